// Gradients of whole expressions against PyTorch: models that torch exported, with both of its exporters, and the
// gradients that torch computed in float64. Made by verify/golden/expressions.py (see its docstring).
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { decodeModel } from '../onnx/read.js';
import { encodeModel } from '../onnx/write.js';
import { gradients } from './gradients.js';

interface Expression {
  readonly name: string;
  /** By exporter. */
  readonly models: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, { type: 'float32' | 'int64'; dims: number[]; data: string }>>;
  readonly loss: number;
  readonly gradients: Readonly<Record<string, string>>;
}

/** Of the largest element: what float32 leaves of results that were computed in float64. */
const TOLERANCE = 2e-5;

const FIXTURE = resolve(import.meta.dirname, 'fixtures/expressions.json');
const { expressions } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { expressions: Expression[] };

const cases = expressions.flatMap((expression) =>
  Object.keys(expression.models).map((exporter) => ({ name: expression.name, exporter, expression })),
);

describe("PyTorch's gradients of", () => {
  it.each(cases)('$name by $exporter', async ({ exporter, expression }) => {
    const bytes = gunzipSync(Buffer.from(expression.models[exporter]!, 'base64'));
    const wanted = Object.keys(expression.gradients);
    const { model, gradients: found } = gradients(decodeModel(bytes), 'loss', wanted);
    const results = await run(encodeModel(model), expression.inputs);
    expect(results.loss!.data[0]).toBeCloseTo(expression.loss, 4);
    const errors = wanted.map((name) => {
      const expected = floats(expression.gradients[name]!);
      return { name, error: relativeError(results[found.get(name)!]!.data as Float32Array, expected) };
    });
    expect(errors.filter(({ error }) => !(error <= TOLERANCE))).toEqual([]);
  });
});

async function run(
  model: Uint8Array,
  inputs: Expression['inputs'],
): Promise<ort.InferenceSession.ReturnType> {
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 3 });
  try {
    const feeds = Object.entries(inputs).map(([name, { type, dims, data }]) => [
      name,
      type === 'float32'
        ? new ort.Tensor('float32', floats(data), dims)
        : new ort.Tensor('int64', new BigInt64Array(bytesOf(data)), dims),
    ]);
    return await session.run(Object.fromEntries(feeds));
  } finally {
    await session.release();
  }
}

function bytesOf(base64: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(base64, 'base64')).buffer;
}

function floats(base64: string): Float32Array {
  return new Float32Array(bytesOf(base64));
}

/** The largest difference, of the largest element; NaN where the sizes differ. */
function relativeError(actual: Float32Array, expected: Float32Array): number {
  if (actual.length !== expected.length) return Number.NaN;
  const differences = actual.map((x, i) => Math.abs(x - expected[i]!));
  return Math.max(...differences) / Math.max(...expected.map(Math.abs));
}
