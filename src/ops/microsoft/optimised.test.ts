import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { afterAll, describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { type Attribute, type Model, makeGraph, makeModel, makeNode, type Node } from '../../graph/graph.js';
import type { Tensor } from '../../graph/tensor.js';
import { TensorType } from '../../graph/types.js';
import { readModel } from '../../onnx/file.js';
import { encodeModel } from '../../onnx/write.js';
import { ByteRange } from '../../util/bytes.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-optimised-'));
afterAll(() => rmSync(folder, { recursive: true }));

function weights(name: string, dims: readonly number[], fill = 0.1): [string, Tensor] {
  const values = new Float32Array(dims.reduce((n, d) => n * d, 1)).fill(fill);
  const bytes = ByteRange.of(new Uint8Array(values.buffer));
  return [name, { name, dtype: 'float32', dims, data: { kind: 'raw', bytes } }];
}

function model(
  input: readonly number[],
  nodes: readonly Node[],
  constants: readonly [string, Tensor][],
): Model {
  return makeModel(
    makeGraph({
      nodes,
      inputs: [{ name: 'x', type: new TensorType('float32', input) }],
      outputs: [{ name: 'y', type: { kind: 'unknown' } }],
      initializers: new Map(constants),
    }),
    { opsetImports: new Map([['', 17]]), irVersion: 8 },
  );
}

const ints = (...value: number[]): Attribute => ({ type: 'ints', value });

/** Attention-like: X·Xᵀ, then a feed-forward layer with GELU, a residual and a normalisation. */
const transformer = model(
  [2, 5, 8],
  [
    makeNode('Transpose', ['x'], ['xt'], { perm: ints(0, 2, 1) }),
    makeNode('MatMul', ['x', 'xt'], ['scores']),
    makeNode('MatMul', ['scores', 'x'], ['mixed']),
    makeNode('MatMul', ['mixed', 'w1'], ['product']),
    makeNode('Add', ['product', 'b1'], ['h']),
    makeNode('Div', ['h', 'root2'], ['scaled']),
    makeNode('Erf', ['scaled'], ['erf']),
    makeNode('Add', ['erf', 'one'], ['shifted']),
    makeNode('Mul', ['h', 'shifted'], ['gated']),
    makeNode('Mul', ['gated', 'half'], ['gelu']),
    makeNode('MatMul', ['gelu', 'w2'], ['projected']),
    makeNode('Add', ['projected', 'b2'], ['biased']),
    makeNode('Add', ['biased', 'x'], ['sum']),
    makeNode('LayerNormalization', ['sum', 'scale', 'shift'], ['y'], { axis: { type: 'int', value: -1 } }),
  ],
  [
    weights('w1', [8, 16]),
    weights('b1', [16]),
    weights('root2', [], Math.SQRT2),
    weights('one', [], 1),
    weights('half', [], 0.5),
    weights('w2', [16, 8]),
    weights('b2', [8]),
    weights('scale', [8]),
    weights('shift', [8]),
  ],
);

/** Two convolutions with activations, a residual, a pooling. */
const convolutional = model(
  [1, 3, 12, 12],
  [
    makeNode('Conv', ['x', 'k1', 'c1'], ['a'], { pads: ints(1, 1, 1, 1) }),
    makeNode('Relu', ['a'], ['b']),
    makeNode('Conv', ['b', 'k2'], ['c'], { pads: ints(1, 1, 1, 1) }),
    makeNode('Add', ['b', 'c'], ['d']),
    makeNode('Sigmoid', ['d'], ['e']),
    makeNode('MaxPool', ['e'], ['y'], { kernel_shape: ints(2, 2), strides: ints(2, 2) }),
  ],
  [weights('k1', [16, 3, 3, 3]), weights('c1', [16]), weights('k2', [16, 16, 3, 3])],
);

type Level = 'extended' | 'all';

/** What ONNX Runtime makes of a network at a level of optimisation. */
async function optimise(network: Model, level: Level): Promise<Model> {
  const path = join(folder, `${level}.onnx`);
  const session = await ort.InferenceSession.create(encodeModel(network), {
    graphOptimizationLevel: level,
    optimizedModelFilePath: path,
    logSeverityLevel: 4,
  });
  await session.release();
  return readModel(path);
}

describe('networks that ONNX Runtime has optimised', () => {
  it.each([
    ['transformer', 'extended', transformer, ['FusedMatMul', 'Gelu', 'SkipLayerNormalization']],
    ['convolutional', 'extended', convolutional, ['FusedConv']],
    ['convolutional', 'all', convolutional, []],
  ] as const)('%s, %s: every operator is known, shapes and MACs are those of before', async (...args) => {
    const [, level, network, fused] = args;
    const [before, after] = [inferShapes(network), inferShapes(await optimise(network, level))];
    expect(after.graph.nodes.filter((n) => n.operator === undefined).map((n) => n.node.opType)).toEqual([]);
    expect(after.graph.nodes.map((n) => n.node.opType)).toEqual(expect.arrayContaining([...fused]));
    expect(after.graph.outputTypes.map(String)).toEqual(before.graph.outputTypes.map(String));
    const [costBefore, costAfter] = [cost(before), cost(after)];
    expect(costAfter.totals.macs).toBe(costBefore.totals.macs);
    expect(costAfter.nodes.filter((n) => !n.complete)).toEqual([]);
  });
});
