// What tests against PyTorch share: cells by codes of their operations, weights that are sines, as the scripts of
// scripts/golden make them too, and running a model with them.
import { expect } from 'vitest';
import { symbol } from '../../graph/dim.js';
import { type Model, makeGraph, makeModel, type ValueInfo } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import type { Batch } from '../../nn/batch.js';
import { freeze } from '../../nn/freeze.js';
import type { Scope, Trace } from '../../nn/scope.js';
import { type Inputs, trace } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import '../../ops/index.js';
import { hostTensor, Session } from '../../runtime/session.js';
import type { Cell } from '../../spaces/space.js';

export interface GoldenCell {
  readonly ops: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
}

export function goldenCell({ ops, edges }: GoldenCell, vocabulary: readonly string[]): Cell {
  const adjacency = ops.map(() => ops.map(() => 0));
  for (const [i, j] of edges) adjacency[i]![j] = 1;
  return { ops: ops.map((code) => vocabulary[code]!), adjacency };
}

export function goldenVocabulary(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `operation ${i}`);
}

/** A part of a model: what it computes for a batch. */
export type Written = (s: Scope, inputs: Inputs) => Value;

const OUTPUT = 'computed';

/** What `write` computes for a batch, with weights that are sines. */
export async function computed(batch: Batch, write: Written): Promise<Float32Array> {
  const { model, trace: traced } = trace(batch, false, write, OUTPUT);
  return run(withSines(model, traced), batch);
}

/** The same of a model that was written for one row: it must not know how many there will be. */
export async function computedOfAnyBatch(batch: Batch, write: Written): Promise<Float32Array> {
  const one = Object.fromEntries(
    Object.entries(batch).map(([name, { type, dims }]) => [name, { type, dims: [1, ...dims.slice(1)] }]),
  );
  const { model, trace: traced } = trace(one, false, write, OUTPUT);
  const { graph } = withSines(model, traced);
  const free = ({ name, type }: ValueInfo): ValueInfo => {
    const { dtype, shape } = type as TensorType;
    return { name, type: new TensorType(dtype, [symbol('batch'), ...shape!.slice(1)]) };
  };
  const [inputs, outputs] = [graph.inputs.map(free), graph.outputs.map(free)];
  return run(makeModel(makeGraph({ ...graph, inputs, outputs }), model), batch);
}

/** Of place and name, scales of normalisations around 1. */
function weightOf(name: string, dims: readonly number[]): Float32Array {
  const start = [...name].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 97;
  const offset = Number(name.endsWith('norm.weight'));
  const count = dims.reduce((n, d) => n * d, 1);
  return Float32Array.from(
    { length: count },
    (_, i) => offset + 0.3 * Math.sin(start + 0.37 * i + 0.011 * i * i),
  );
}

function withSines(model: Model, { parameters }: Trace): Model {
  const weights = [...parameters.values()].map((p) => [p.name, weightOf(p.name, p.dims)] as const);
  return freeze(model, new Map(weights));
}

async function run(model: Model, batch: Batch): Promise<Float32Array> {
  const session = await Session.create(model, { threads: 1 });
  const feeds = await Promise.all(
    session.inputs.map(async (name) => {
      const { type, data, dims } = batch[name]!;
      return [name, await hostTensor(type, data, dims)] as const;
    }),
  );
  const { [OUTPUT]: found } = await session.run(Object.fromEntries(feeds));
  await session.dispose();
  return found!.data as Float32Array;
}

/** Within 1e-5. */
export function expectClose(found: ArrayLike<number>, expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(found[i]! - value), `${i}: ${found[i]}, not ${value}`).toBeLessThan(1e-5);
  });
}
