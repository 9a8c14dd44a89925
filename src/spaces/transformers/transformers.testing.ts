// The oracle of networks of transformers: verify/golden/language_vision_spaces.py writes down how many parameters
// PyTorch counts, and what comes out of small networks whose weights and inputs are sines.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { toldKind } from '../../analysis/parameters.js';
import type { Model } from '../../graph/graph.js';
import { elementCount, fromNumbers, type Tensor } from '../../graph/tensor.js';
import { isTensor } from '../../graph/types.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { describeArchitecture } from '../describe.js';
import type { AnySpace, NetworkOptions } from '../space.js';

interface GoldenSpace {
  /** Trained parameters at the sizes of the paper, by architecture. */
  readonly counts: Readonly<Record<string, number>>;
  readonly outputs?: readonly {
    readonly arch: string;
    readonly options: NetworkOptions;
    /** Positions in the output, all dimensions in one. */
    readonly at: readonly number[];
    readonly values: readonly number[];
  }[];
}

const golden = JSON.parse(
  readFileSync(new URL('fixtures/language-vision.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, GoldenSpace>>;

/** Expects the network of every architecture in the fixture to have PyTorch's number of parameters. */
export function expectGoldenCounts(space: AnySpace): void {
  const { counts } = golden[space.name]!;
  expect(Object.keys(counts).length).toBeGreaterThan(0);
  for (const [text, count] of Object.entries(counts)) {
    expect(describeArchitecture(space, space.parse(text)).parameters, text).toBe(count);
  }
}

/** Expects the same outputs as PyTorch's for the same weights. */
export async function expectGoldenOutput(space: AnySpace): Promise<void> {
  const cases = golden[space.name]!.outputs!;
  expect(cases.length).toBeGreaterThan(0);
  for (const { arch, options, at, values } of cases) {
    const model = withSines(space.network(space.parse(arch), options));
    const { name, type } = model.graph.inputs[0]!;
    if (!isTensor(type)) throw new Error('the input is no tensor');
    const dims = type.shape as readonly number[];
    const count = dims.reduce((n, d) => n * d, 1);
    const feed =
      type.dtype === 'int64'
        ? await hostTensor('int64', tokenIds(count, options.classes!), dims)
        : await hostTensor('float32', sines('input', count, 1), dims);
    const session = await Session.create(model, { threads: 1 });
    const outputs = await session.run({ [name]: feed });
    await session.dispose();
    const data = outputs.output!.data as Float32Array;
    expect(data.length).toBeGreaterThan(Math.max(...at));
    at.forEach((position, i) => {
      expect(Math.abs(data[position]! - values[i]!), `${arch} at ${position}`).toBeLessThan(2e-4);
    });
  }
}

/** Tokens from all parts of the vocabulary. */
function tokenIds(count: number, vocabulary: number): BigInt64Array {
  return BigInt64Array.from({ length: count }, (_, i) => BigInt((i * 7919) % vocabulary));
}

function sines(name: string, count: number, amplitude: number): Float32Array {
  const phase = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 97;
  return Float32Array.from(
    { length: count },
    (_, i) => amplitude * Math.sin(phase + 0.37 * i + 0.011 * i * i),
  );
}

/** A model with other weights: scales of normalisation around 1, all others around 0. */
function withSines(model: Model): Model {
  const initializers = new Map<string, Tensor>();
  for (const [name, tensor] of model.graph.initializers) {
    if (toldKind(tensor) !== 'parameter') {
      initializers.set(name, tensor);
      continue;
    }
    const values = sines(name, elementCount(tensor), 0.3);
    const isScale = /norm\d?\.weight$/.test(name);
    const shifted = isScale ? values.map((v) => 1 + v) : values;
    initializers.set(name, fromNumbers(name, 'float32', tensor.dims, shifted));
  }
  return { ...model, graph: { ...model.graph, initializers } };
}
