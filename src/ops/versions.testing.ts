// The oracle of changes between versions: a case runs in ONNX Runtime in its own opset and in another, and gives the same
// bits.
import * as ort from 'onnxruntime-node';
import { expect } from 'vitest';
import type { Model } from '../graph/graph.js';
import { encodeModel } from '../onnx/write.js';
import { withOpset } from '../transform/opset.js';
import { input, modelOf, ortTensor, type TestCase, type TestInput } from './ort.testing.js';

/** An input of which all elements differ. */
export function ramp(dims: readonly number[], dtype: TestInput['dtype'] = 'float32'): TestInput {
  const size = dims.reduce((n, d) => n * d, 1);
  const isFloat = dtype.startsWith('float');
  return input(
    dtype,
    dims,
    Array.from({ length: size }, (_, i) => (isFloat ? Math.sin(i * 1.7) * 2 : i)),
  );
}

/** What a model gives in ONNX Runtime. */
export async function resultsOf(
  model: Model,
  inputs: readonly (TestInput | null)[],
): Promise<{ dims: readonly number[]; data: unknown }[]> {
  const session = await ort.InferenceSession.create(encodeModel(model), {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  try {
    const feeds: Record<string, ort.Tensor> = {};
    inputs.forEach((x, i) => {
      if (x !== null && !x.constant) feeds[`x${i}`] = ortTensor(x);
    });
    const results = await session.run(feeds);
    return session.outputNames.map((name) => ({ dims: results[name]!.dims, data: results[name]!.data }));
  } finally {
    await session.release();
  }
}

/** Checks that a case gives the same in another opset. Returns the operators it is written with there. */
export function expectSameIn(opset: number, test: TestCase): Promise<string[]> {
  return expectModelSameIn(opset, modelOf(test), test.inputs);
}

/** The same for any model with inputs `x0`, `x1` …. */
export async function expectModelSameIn(
  opset: number,
  model: Model,
  inputs: readonly (TestInput | null)[],
): Promise<string[]> {
  const converted = withOpset(model, opset).model;
  expect(converted.opsetImports.get('')).toBe(opset);
  expect(await resultsOf(converted, inputs)).toEqual(await resultsOf(model, inputs));
  return converted.graph.nodes.map((node) => node.opType);
}
