// A law: on random graphs of random operators, what is inferred is what ONNX Runtime computes, for every value
// in between. And with the input sizes as symbols, what is inferred must give the same numbers back.
import fc from 'fast-check';
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { inferShapes } from '../src/analysis/infer.js';
import type { Dim } from '../src/graph/dim.js';
import type { Model } from '../src/graph/graph.js';
import { parseDim } from '../src/graph/parse-dim.js';
import { formatType, isTensor, TensorType } from '../src/graph/types.js';
import { encodeModel } from '../src/onnx/write.js';
import { numbers, randomModel, STEPS, type Value } from './random-graphs.testing.js';

async function runInOrt(model: Model, { dims }: Value): Promise<string[]> {
  const session = await ort.InferenceSession.create(encodeModel(model), {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  const data = new Float32Array(dims.reduce((n, d) => n * d, 1)).fill(0.5);
  const results = await session.run({ x: new ort.Tensor('float32', data, dims) });
  await session.release();
  return session.outputNames.map(
    (name) => `${name}: ${results[name]!.type}[${results[name]!.dims.join(',')}]`,
  );
}

function inferred(model: Model, type?: TensorType): [name: string, type: TensorType][] {
  const { graph } = inferShapes(model, type ? { types: { x: type } } : {});
  return graph.outputNames.map((name, i) => {
    const found = graph.outputTypes[i]!;
    if (!isTensor(found)) throw new Error(`${name} is ${formatType(found)}`);
    return [name, found];
  });
}

describe('random graphs', () => {
  it('infers what ONNX Runtime computes', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async (choices) => {
        const { model, input } = randomModel(choices);
        const expected = await runInOrt(model, input);
        expect(inferred(model).map(([name, type]) => `${name}: ${type}`)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('infers the same with symbols as with the numbers they stand for', () => {
    fc.assert(
      fc.property(numbers, (choices) => {
        // A slice of a symbolic size is taken to lie inside it (see ops/slice.ts); small numbers break that.
        const steps = Object.values(STEPS).filter((step) => step !== STEPS.slice);
        const { model, input } = randomModel(choices, steps);
        const bindings = new Map(input.dims.map((d, i): [string, number] => [`d${i}`, d]));
        // One dimension as a symbol at a time: constants in the graph fit the others.
        for (const axis of input.dims.keys()) {
          const dims = input.dims.map((d, i): Dim => (i === axis ? parseDim(`d${i}`) : d));
          let symbolic: [string, TensorType][];
          try {
            symbolic = inferred(model, new TensorType('float32', dims));
          } catch {
            continue; // A constant of the graph does not fit any size but the real one.
          }
          const plain = inferred(model);
          for (const [i, [name, type]] of symbolic.entries()) {
            const values = type.shape?.map((d) =>
              typeof d === 'number' ? d : parseDim(String(d), bindings),
            );
            // Opaque terms (min, max, sizes only running tells) cannot be evaluated by parsing.
            if (values?.every((d) => typeof d === 'number'))
              expect([name, values]).toEqual([name, plain[i]![1].shape]);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
