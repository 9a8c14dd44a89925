// The oracle of the latency predictors: verify/golden/latency_predictors.py writes small networks down, and what
// PyTorch makes of them with weights that are sines.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { shapesOf, tensorsOf } from '../../nn/batch.js';
import type { Scope } from '../../nn/scope.js';
import { type Objective, trace } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { type HostTensor, hostTensor, Session } from '../../runtime/session.js';
import { EncodedNetworks, type Encoding, type NetworkBatchOptions } from '../views/nnlqp/encodings.js';
import type { NetworkGraph } from '../views/nnlqp/network-graph.js';
import type { NetworkInputs } from './network-heads.js';

/** A predictor: (B, …) → (B, labels). */
export type LatencyModel = (s: Scope, networks: NetworkInputs) => Value;

interface GoldenModel {
  readonly sizes: Readonly<Record<string, number>>;
  readonly platforms: number;
  readonly parameters: number;
  readonly predictions: readonly number[];
}

interface Golden {
  readonly networks: readonly {
    readonly nodes: readonly (readonly [number, readonly number[], [number, number, number, number]])[];
    readonly edges: readonly (readonly [number, number])[];
    readonly statics: readonly [number, number, number, number];
  }[];
  readonly encodings: Readonly<
    Record<string, { network: number; nodes: readonly number[]; statics: readonly number[] }>
  >;
  readonly models: Readonly<Record<string, GoldenModel>>;
}

export const golden = JSON.parse(
  readFileSync(new URL('./fixtures/latency.json', import.meta.url), 'utf8'),
) as Golden;

/** The networks of the fixture. */
export const goldenNetworks: readonly NetworkGraph[] = golden.networks.map(({ nodes, edges, statics }) => {
  const [batch, nnlqpFlops, parameters, memoryAccess] = statics;
  return {
    nodes: nodes.map(([code, attributes, shape], i) => ({
      name: `v${i}`,
      operator: `operator ${code}`,
      code,
      attributes,
      shape,
      nnlqpFlops: 0,
      parameters: 0,
      memoryAccess: 0,
    })),
    edges,
    statics: { batch, nnlqpFlops, parameters, memoryAccess },
    unknownShapes: 0,
  };
});

/** As `Weights` of the script. */
function sines(name: string, dims: readonly number[]): Float32Array {
  const phase = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 97;
  const count = dims.reduce((n, d) => n * d, 1);
  return Float32Array.from({ length: count }, (_, i) => {
    const sine = Math.sin(phase + 0.37 * i + 0.011 * i * i);
    if (name.endsWith('gamma')) return 0.5 + 0.3 * sine;
    if (name.endsWith('bias')) return 0.1 * sine;
    return dims.length === 1 ? 1 + 0.1 * sine : sine / Math.sqrt(dims[0]!);
  });
}

/** What a model with such weights predicts for rows of the fixture's networks, and how many weights it has. */
export async function predictGolden(
  model: LatencyModel,
  encoding: Encoding,
  rows: readonly number[],
  options: NetworkBatchOptions = {},
): Promise<{ readonly predictions: number[]; readonly parameters: number }> {
  const batch = new EncodedNetworks(goldenNetworks, encoding).batch(rows, options);
  const predict = model as unknown as Objective['predict'];
  const traced = trace(shapesOf(batch), false, predict, 'latency');
  const feeds: Record<string, HostTensor> = await tensorsOf(batch);
  let parameters = 0;
  for (const { name, dims } of traced.trace.parameters.values()) {
    const values = sines(name, dims);
    parameters += values.length;
    feeds[name] = await hostTensor('float32', values, dims);
  }
  const session = await Session.create(traced.model, { threads: 1 });
  const { latency } = await session.run(feeds);
  await session.dispose();
  expect(latency!.dims[0]).toBe(rows.length);
  return { predictions: Array.from(latency!.data as Float32Array), parameters };
}

/** Expects PyTorch's predictions and number of parameters, all networks in one batch, padded to 16 nodes. */
export async function expectGoldenModel(
  name: string,
  encoding: Encoding,
  model: (golden: GoldenModel) => LatencyModel,
): Promise<void> {
  const expected = golden.models[name]!;
  const rows = goldenNetworks.map((_, i) => i);
  const { predictions, parameters } = await predictGolden(model(expected), encoding, rows, { nodes: 16 });
  expect(parameters).toBe(expected.parameters);
  // A platform is a label; the fixture has one of them for each network.
  const own = rows.map((i) => predictions[i * expected.platforms + (i % expected.platforms)]!);
  expectClose(own, expected.predictions, name);
}

export function expectClose(actual: ArrayLike<number>, expected: readonly number[], what: string): void {
  expect(actual.length, what).toBe(expected.length);
  expected.forEach((value, i) => {
    const error = Math.abs(actual[i]! - value) / (0.1 + Math.abs(value));
    expect(error, `${what}[${i}]: ${actual[i]}, not ${value}`).toBeLessThan(2e-6);
  });
}

/** Expects as many parameters as PyTorch has, at sizes that are too large to run in a test. */
export function expectGoldenSize(name: string, encoding: Encoding, model: LatencyModel): void {
  const predict = model as unknown as Objective['predict'];
  const batch = new EncodedNetworks(goldenNetworks, encoding).batch([0]);
  const { parameters } = trace(shapesOf(batch), false, predict, 'latency').trace;
  const counts = [...parameters.values()].map(({ dims }) => dims.reduce((n, d) => n * d, 1));
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(golden.models[name]!.parameters);
}
