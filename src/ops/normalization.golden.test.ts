// Gradients of normalisations against PyTorch's: scripts/golden/normalization_gradient.py.
import { readFileSync } from 'node:fs';
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { gradients } from '../autodiff/gradients.js';
import { makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { TensorType } from '../graph/types.js';
import { encodeModel } from '../onnx/write.js';
import { attributesOf } from './ort.testing.js';

interface Numbers {
  readonly dims: readonly number[];
  readonly values: readonly number[];
}

interface Golden {
  readonly name: string;
  readonly op: string;
  readonly attributes: Readonly<Record<string, number>>;
  readonly inputs: readonly Numbers[];
  readonly dy: Numbers;
  readonly gradients: readonly (Numbers | null)[];
}

const file = new URL('./fixtures/normalization-gradient.json', import.meta.url);
const cases: readonly Golden[] = JSON.parse(readFileSync(file, 'utf8'));

type Float = 'float32' | 'float64';

async function computed(golden: Golden, dtype: Float): Promise<Map<string, number[]>> {
  const given = { ...Object.fromEntries(golden.inputs.map((x, i) => [`x${i}`, x])), dy: golden.dy };
  const names = golden.inputs.map((_, i) => `x${i}`);
  const outputs = golden.attributes.training_mode ? ['y', 'mean', 'variance'] : ['y'];
  const graph = makeGraph({
    nodes: [makeNode(golden.op, names, outputs, attributesOf(golden.attributes), { name: 'node' })],
    inputs: Object.entries(given).map(([name, { dims }]) => ({ name, type: new TensorType(dtype, dims) })),
    outputs: [],
  });
  const wanted = names.filter((_, i) => golden.gradients[i]);
  const model = makeModel(graph, { opsetImports: new Map([['', 21]]) });
  const differentiated = gradients(model, 'y', wanted, { seed: 'dy' });
  const session = await ort.InferenceSession.create(encodeModel(differentiated.model), {
    intraOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const array = dtype === 'float32' ? Float32Array : Float64Array;
  const feeds = Object.entries(given).map(([name, { dims, values }]) => [
    name,
    new ort.Tensor(dtype, array.from(values) as Float64Array, dims),
  ]);
  const results = await session.run(Object.fromEntries(feeds));
  return new Map(
    wanted.map((name) => {
      const { data } = results[differentiated.gradients.get(name)!]!;
      return [name, Array.from(data as Float64Array)];
    }),
  );
}

/** The largest difference, beside the largest number. */
function error(actual: readonly number[], expected: readonly number[]): number {
  const scale = Math.max(...expected.map(Math.abs));
  return Math.max(...expected.map((x, i) => Math.abs(x - actual[i]!))) / scale;
}

describe.each<[Float, number]>([
  ['float64', 1e-7],
  ['float32', 2e-5],
])('gradients in %s are those of PyTorch', (dtype, tolerance) => {
  // ONNX Runtime has no float64 kernel of InstanceNormalization.
  const known = cases.filter(({ op }) => dtype === 'float32' || op !== 'InstanceNormalization');
  it.each(known.map((golden) => [`${golden.op}: ${golden.name}`, golden] as const))(
    '%s',
    async (_, golden) => {
      const found = await computed(golden, dtype);
      expect(found.size).toBeGreaterThan(0);
      for (const [name, values] of found) {
        const expected = golden.gradients[Number(name.slice(1))]!;
        expect(values).toHaveLength(expected.values.length);
        expect(error(values, expected.values), name).toBeLessThan(tolerance);
      }
    },
  );
});
