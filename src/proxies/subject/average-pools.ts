// Means over windows as two matrix products. ONNX Runtime's AveragePool of opset 19 and later takes about twenty times as
// long as the one before, unless it rewrites the graph; products with the matrices that take the means do not.

import { isDefaultDomain, type Model, type Node } from '../../graph/graph.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import type { Value } from '../../ops/build.js';
import { elementCounts, placedPool } from '../../ops/families/layers/pool.gradient.js';
import type { PlacedAxis } from '../../ops/families/layers/window.gradient.js';
import type { Expansion } from '../../ops/gradient.js';
import { traitsOf } from '../../ops/index.js';
import { rewriteNodes } from '../../transform/rewrite.js';

const SLOW_SINCE = 19;

/** Elements along a side from which on products take as long. */
const LARGE_SIDE = 128;

export function poolsAsProducts(model: Model): Model {
  const isSlow = (model.opsetImports.get('') ?? 1) >= SLOW_SINCE;
  if (!isSlow || !model.graph.nodes.some(isAveragePool)) return model;
  const known: Matrices = new Map();
  return rewriteNodes(model, (pool) => asProducts(pool, known));
}

function isAveragePool(node: Node): boolean {
  const { pooling } = traitsOf(node);
  return pooling?.keeps === 'average' && pooling.over === 'window' && isDefaultDomain(node.domain);
}

/** Matrices that take means, by all that they follow from. */
type Matrices = Map<string, Value>;

function asProducts(pool: Expansion, known: Matrices): readonly Value[] | undefined {
  const { call, builder } = pool;
  if (!isAveragePool(call.node) || ![call.inputs[0], call.outputs[0]].every(isSmallImage)) return undefined;
  const x = pool.input(0);
  const [rows, columns] = placedPool(call, x, builder.value(call.node.outputs[0]!)).map((axis, i) => {
    const counts = elementCounts(call, axis, i);
    const key = JSON.stringify([x.dtype, axis, counts]);
    const matrix = known.get(key) ?? meansAlong(x, axis, counts);
    known.set(key, matrix);
    return matrix;
  }) as [Value, Value];
  return [rows.matmul(x).matmul(columns.transpose())];
}

function isSmallImage(type: ValueType | undefined): boolean {
  const shape = isTensor(type) ? type.shape : undefined;
  return (
    shape?.length === 4 && shape.slice(2).every((size) => typeof size === 'number' && size <= LARGE_SIDE)
  );
}

/** (positions, size): a row for each position, 1/count where it sees an element. */
function meansAlong({ builder, dtype }: Value, axis: PlacedAxis, counts: readonly number[]): Value {
  const { kernel, stride, dilation, begin, size, positions } = axis;
  const values = new Float64Array(positions * size);
  for (let t = 0; t < positions; t++) {
    for (let i = 0; i < kernel; i++) {
      const at = t * stride + i * dilation - begin;
      if (at >= 0 && at < size) values[t * size + at] = 1 / counts[t]!;
    }
  }
  return builder.constant(values, dtype, [positions, size]);
}
