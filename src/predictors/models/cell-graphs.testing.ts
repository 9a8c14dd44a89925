// The oracle of the graph convolutional network and of GraphSAGE on cells: what verify/golden/cell_graphs.py computes with
// PyTorch.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Batch } from '../../nn/batch.js';
import { mse } from '../../nn/losses.js';
import { adam } from '../../nn/optimiser.js';
import { constantRate } from '../../nn/schedules.js';
import type { Scope } from '../../nn/scope.js';
import { trace } from '../../nn/step.js';
import { Trainer } from '../../nn/trainer.js';
import type { Value } from '../../ops/build.js';
import { EncodedCells } from '../views/cell-batch.js';
import {
  computed,
  computedOfAnyBatch,
  expectClose,
  type GoldenCell,
  goldenCell,
  goldenVocabulary,
  type Written,
} from './golden.testing.js';
import type { GraphInputs } from './nn-former.js';

type Name = 'gcn' | 'sage';

export const golden: {
  readonly codes: number;
  readonly width: number;
  readonly layers: number;
  /** How many a model of the paper's sizes has: one label by `gcn`, three by `sage`. */
  readonly weights: Readonly<Record<Name, number>>;
  readonly cells: readonly (GoldenCell & {
    readonly outputs: Readonly<Record<Name, Readonly<Record<1 | 3, readonly number[]>>>>;
  })[];
} = JSON.parse(readFileSync(new URL('./fixtures/cell-graphs.json', import.meta.url), 'utf8'));

/** All cells, of 2 to 24 nodes. */
function batchOf(nodes: number): Batch {
  const vocabulary = goldenVocabulary(golden.codes);
  const cells = golden.cells.map((cell) => goldenCell(cell, vocabulary));
  return new EncodedCells(cells, vocabulary, nodes).batch(cells.map((_, i) => i));
}

/**
 * What both models are held to.
 *
 * @param write the model at the fixture's sizes
 */
export function itIsGolden(
  name: Name,
  write: (s: Scope, graphs: GraphInputs, outputs: number) => Value,
): void {
  const model =
    (outputs: number): Written =>
    (s, inputs) =>
      write(s, inputs as unknown as GraphInputs, outputs);
  const expected = (outputs: 1 | 3): number[] => golden.cells.flatMap((cell) => cell.outputs[name][outputs]);

  it.each([
    [1, 24],
    [1, 31],
    [3, 24],
  ] as const)("is PyTorch's, %i labels, padded to %i nodes", async (outputs, nodes) => {
    expectClose(await computed(batchOf(nodes), model(outputs)), expected(outputs));
  });

  it('takes batches of any size', async () => {
    expectClose(await computedOfAnyBatch(batchOf(24), model(3)), expected(3));
  });

  // Nodes that are not there must not spoil the gradient either.
  it('learns labels of padded cells', async () => {
    const trainer = new Trainer(
      {
        loss: (s, { target, ...inputs }) => mse(model(2)(s, inputs), target!),
        predict: model(2),
      },
      { optimiser: adam(), schedule: constantRate(3e-3), session: { threads: 1 } },
    );
    const data = Float32Array.from({ length: 2 * golden.cells.length }, (_, i) => Math.cos(2 * i));
    const target = { type: 'float32', dims: [golden.cells.length, 2], data } as const;
    const losses: number[] = [];
    for (let step = 0; step < 80; step++) {
      losses.push((await trainer.step({ ...batchOf(26), target })).loss);
    }
    await trainer.dispose();
    expect(losses.at(-1)! / losses[0]!).toBeLessThan(0.1);
  });
}

/** Expects as many weights as PyTorch has, for codes of the fixture's width. */
export function expectWeights(name: Name, write: (s: Scope, graphs: GraphInputs) => Value): void {
  const { parameters } = trace(
    batchOf(24),
    false,
    (s, inputs) => write(s, inputs as unknown as GraphInputs),
    'y',
  ).trace;
  const counts = [...parameters.values()].map(({ dims }) => dims.reduce((n, d) => n * d, 1));
  expect(counts.reduce((a, b) => a + b)).toBe(golden.weights[name]);
}
