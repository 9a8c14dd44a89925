// The oracle of layers and losses: PyTorch. verify/golden/nn.py writes what it makes of inputs and parameters;
// here the same layer is traced, run, and compared, values and gradients.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { gradients } from '../autodiff/gradients.js';
import type { Value } from '../ops/build.js';
import { type HostTensor, hostTensor, Session } from '../runtime/session.js';
import type { Scope } from './scope.js';
import { type Inputs, trace } from './step.js';

interface GoldenTensor {
  readonly type: 'float32' | 'int64' | 'bool';
  readonly dims: readonly number[];
  readonly data: readonly number[];
}

type GoldenTensors = Readonly<Record<string, GoldenTensor>>;

export interface GoldenCase {
  readonly inputs: GoldenTensors;
  readonly parameters: GoldenTensors;
  readonly output: GoldenTensor;
  /** The gradient of the output. */
  readonly seed: GoldenTensor;
  readonly gradients: GoldenTensors;
  readonly updates: GoldenTensors;
}

const golden = JSON.parse(readFileSync(new URL('fixtures/nn.json', import.meta.url), 'utf8')) as {
  readonly cases: Readonly<Record<string, GoldenCase>>;
  readonly schedules: Readonly<Record<string, readonly number[]>>;
};

export const goldenSchedules = golden.schedules;

/** Runs what `write` traces on the inputs of a case, and expects PyTorch's output, gradients and updates. */
export async function expectGolden(
  name: string,
  write: (s: Scope, inputs: Inputs) => Value,
  { isTraining = true } = {},
): Promise<void> {
  const found = golden.cases[name];
  if (found === undefined) throw new Error(`the fixture has no case '${name}'`);
  return expectGoldenCase(found, write, { isTraining });
}

/** The same for a case of another fixture. */
export async function expectGoldenCase(
  found: GoldenCase,
  write: (s: Scope, inputs: Inputs) => Value,
  { isTraining = true } = {},
): Promise<void> {
  const { inputs, parameters, output, seed } = found;
  const shapes = { ...inputs, seed };
  const { trace: traced, model } = trace(shapes, isTraining, write, 'output');
  expect(dimsOf(traced.parameters)).toEqual(dimsOf(new Map(Object.entries(parameters))));

  const wanted = Object.keys(found.gradients);
  const differentiated = gradients(model, 'output', wanted, { seed: 'seed' });
  const session = await Session.create(differentiated.model, { threads: 1 });
  const feeds = await Promise.all(
    Object.entries({ ...shapes, ...parameters }).map(async ([key, t]) => [key, await toHost(t)] as const),
  );
  // Again with the same tensors, as training does: a step must leave what it is given as it was.
  await session.run(Object.fromEntries(feeds));
  const results = await session.run(Object.fromEntries(feeds));
  await session.dispose();
  expectClose(results.output!, output, 'output');
  for (const [key, expected] of Object.entries(found.gradients)) {
    expectClose(results[differentiated.gradients.get(key)!]!, expected, `gradient of ${key}`);
  }
  expect([...traced.updates.keys()]).toEqual(Object.keys(found.updates));
  for (const [key, expected] of Object.entries(found.updates)) {
    expectClose(results[traced.updates.get(key)!.name]!, expected, `update of ${key}`);
  }
}

function dimsOf(tensors: ReadonlyMap<string, { readonly dims: readonly number[] }>): object {
  return Object.fromEntries([...tensors].map(([name, { dims }]) => [name, dims]));
}

function toHost({ type, dims, data }: GoldenTensor): Promise<HostTensor> {
  if (type === 'int64') return hostTensor(type, BigInt64Array.from(data, BigInt), dims);
  return hostTensor(type, type === 'bool' ? Uint8Array.from(data) : Float32Array.from(data), dims);
}

/** Within 1e-5 of the expected numbers, or of the greatest of them where they are small. */
function expectClose(actual: HostTensor, expected: GoldenTensor, what: string): void {
  expect(actual.dims, `shape of the ${what}`).toEqual(expected.dims);
  const scale = Math.max(...expected.data.map(Math.abs));
  expected.data.forEach((value, i) => {
    const error = Math.abs(Number(actual.data[i]) - value) / (1e-3 + Math.abs(value) + 0.1 * scale);
    expect(error, `${what}[${i}]: ${actual.data[i]}, not ${value}`).toBeLessThan(1e-5);
  });
}
