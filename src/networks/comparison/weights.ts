// How far the weights of two networks are from each other, tensor by tensor, for nodes that correspond.
import type { InferredGraph } from '../../analysis/infer.js';
import { constantsByName, type GraphMatch } from '../../analysis/match.js';
import { isFloat } from '../../graph/dtype.js';
import { nodeLabel } from '../../graph/graph.js';
import { hasData, type Tensor } from '../../graph/tensor.js';
import { floatData } from '../../transform/tensor-data.js';
import { attempt } from '../../util/attempt.js';

export interface WeightDifference {
  /** As the first network calls it. */
  readonly name: string;
  readonly node: string;
  readonly dims: readonly number[];
  /** The largest |a − b|. */
  readonly absolute: number;
  /** ‖a − b‖ / ‖a‖; infinite where only a is zero. */
  readonly relative: number;
}

export interface WeightComparison {
  /** Tensors of floats that both networks have. */
  readonly compared: number;
  /** Those that are equal to the last bit. */
  readonly equal: number;
  /** Those whose data is not in the file. */
  readonly absent: number;
  /** Those that differ, the farthest first. */
  readonly different: readonly WeightDifference[];
}

/** Compares the constants of floats that paired nodes read at the same input. */
export function compareWeights(match: GraphMatch, a: InferredGraph, b: InferredGraph): WeightComparison {
  const [tensorsA, tensorsB] = [constantsByName(a), constantsByName(b)];
  const seen = new Set<string>();
  const different: WeightDifference[] = [];
  let [compared, equal, absent] = [0, 0, 0];
  for (const pair of match.pairs) {
    pair.a.node.inputs.forEach((name, slot) => {
      const [x, y] = [tensorsA.get(name), tensorsB.get(pair.b.node.inputs[slot] ?? '')];
      if (!x || !y || seen.has(name) || !isFloat(x.dtype) || String(x.dims) !== String(y.dims)) return;
      seen.add(name);
      compared++;
      const found = hasData(x) && hasData(y) ? attempt(() => distance(x, y)) : undefined;
      if (found === undefined) absent++;
      else if (found.absolute === 0) equal++;
      else different.push({ name, node: nodeLabel(pair.a.node), dims: x.dims, ...found });
    });
  }
  different.sort((p, q) => q.relative - p.relative);
  return { compared, equal, absent, different };
}

function distance(a: Tensor, b: Tensor): Pick<WeightDifference, 'absolute' | 'relative'> {
  const [x, y] = [floatData(a), floatData(b)];
  let [absolute, squares, norm] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const d = Math.abs(x[i]! - y[i]!);
    // Equal infinities differ by NaN.
    if (x[i] === y[i] || (Number.isNaN(x[i]) && Number.isNaN(y[i]))) {
      norm += x[i]! ** 2 || 0;
      continue;
    }
    if (!(d <= absolute)) absolute = d;
    squares += d * d;
    norm += x[i]! * x[i]!;
  }
  return { absolute, relative: squares === 0 ? 0 : Math.sqrt(squares / norm) };
}
