import { expect, it } from 'vitest';
import { symbol } from '../graph/dim.js';
import { makeGraph, makeModel } from '../graph/graph.js';
import { Builder } from '../ops/build.js';
import '../ops/index.js';
import { hostTensor, sessionFor } from '../runtime/session.js';
import { atOnce } from '../util/pauses.js';
import golden from './fixtures/kernel-regression.json' with { type: 'json' };
import { KernelRegression } from './kernel-regression.js';
import { TailWarp, type TargetCurve } from './tail-warp.js';
import { FeatureRows } from './views/feature-rows.js';

function fitted(targets: readonly number[], curves?: readonly TargetCurve[]): KernelRegression {
  const rows = new FeatureRows(['a', 'b', 'c', 'constant'], golden.rows);
  const groups = { of: (name: string) => Number(name === 'c'), scalings: golden.scalings };
  return atOnce(KernelRegression.fitting(rows, Float64Array.from(targets), groups, curves));
}

/** Labels with outliers. */
function bent(): KernelRegression {
  const far = Float64Array.from(golden.far);
  return fitted(
    golden.far,
    golden.bends.map((bend) => new TailWarp(far, bend)),
  );
}

/** By ONNX Runtime. */
async function predicted(regression: KernelRegression): Promise<Float32Array> {
  const builder = new Builder({ opsets: new Map([['', 21]]) });
  const y = regression.apply(builder.input('x', 'float32', [symbol('n'), 4]));
  const graph = makeGraph({
    name: 'regression',
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs: [{ name: y.name, type: y.type }],
    initializers: builder.initializers,
  });
  const session = await sessionFor(makeModel(graph, { opsetImports: builder.opsets }));
  const x = await hostTensor('float32', Float32Array.from(golden.new), [6, 4]);
  return (await session.run({ x }))[y.name]!.data as Float32Array;
}

it('averages kernels by their marginal likelihood, and predicts as scikit-learn does', async () => {
  const found = await predicted(fitted(golden.targets));
  golden.predictions.forEach((value, i) => void expect(found[i]).toBeCloseTo(value, 3));
});

it('tells of every row what the others say of it, as scikit-learn does without the row', () => {
  const { leftOut } = fitted(golden.targets);
  golden.leftOut.forEach((value, i) => void expect(leftOut[i]).toBeCloseTo(value, 6));
});

it('averages curves of labels by their marginal likelihood too, as scikit-learn does', async () => {
  const found = await predicted(bent());
  golden.bent.predictions.forEach((value, i) => void expect(found[i]).toBeCloseTo(value, 3));
  const { leftOut } = bent();
  golden.bent.leftOut.forEach((value, i) => void expect(leftOut[i]).toBeCloseTo(value, 6));
});
