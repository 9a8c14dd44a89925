import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import type { Batch } from '../../nn/batch.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { trainSemiSupervised } from '../semi-supervised.js';
import { ARCH2VEC } from './arch2vec.js';
import { accuracyHead, cellLoss, ioHead } from './cell-heads.js';

interface Tensors {
  readonly [name: string]: { readonly dims: number[]; readonly data: number[] };
}
interface Golden {
  readonly inputs: Tensors;
  readonly begin: Tensors;
  readonly losses: number[];
  readonly end: Tensors;
}

/** Made by verify/golden/cell_models.py. */
const golden: Readonly<Record<'accuracy' | 'io', Golden>> = JSON.parse(
  readFileSync(new URL('./fixtures/cell-models.json', import.meta.url), 'utf8'),
);

const OPTIONS = { ...ARCH2VEC, operations: 4, layers: 2, width: 6, latent: 3, dropout: 0 };
const HEAD = { flat: 4, width: 5, depth: 2, dropout: 0 };
const HEADS: Readonly<Record<keyof typeof golden, (s: Scope, z: Value, inputs: Inputs) => Value>> = {
  accuracy: (s, z) => accuracyHead(s, z, HEAD),
  io: (s, z, { image }) => ioHead(s, z, image!, { ...HEAD, channels: [2, 3, 4], outputs: 3 }),
};

describe.each(['accuracy', 'io'] as const)('four steps of the %s model', (name) => {
  it('have the losses and the weights of PyTorch, with two optimisers over shared weights', async () => {
    const { inputs, begin, losses, end } = golden[name];
    const count = inputs.operations!.dims[0]!;
    const batchOf = (names: readonly string[], rows: readonly number[]): Batch =>
      Object.fromEntries(
        names.map((input) => {
          const { dims, data } = inputs[input]!;
          const size = data.length / count;
          const chosen = rows.flatMap((row) => data.slice(row * size, (row + 1) * size));
          return [input, { type: 'float32', dims, data: Float32Array.from(chosen) }];
        }),
      );
    const cellsOf = ({ operations, adjacency }: Inputs) => ({
      operations: operations!,
      adjacency: adjacency!,
    });
    const { weights, curves } = await trainSemiSupervised(
      {
        labelled: {
          count,
          batch: (rows) => batchOf(Object.keys(inputs), rows),
          objective: {
            predict: (_, { target }) => target!,
            loss: (s, given) =>
              cellLoss(s, cellsOf(given), OPTIONS, {
                predict: (scope, z) => HEADS[name](scope, z, given),
                target: given.target!,
              }),
          },
        },
        unlabelled: {
          count,
          batch: (rows) => batchOf(['operations', 'adjacency'], rows),
          objective: {
            predict: (_, { operations }) => operations!,
            loss: (s, given) => cellLoss(s, cellsOf(given), OPTIONS),
          },
        },
        networks: count,
        steps: 4,
        batch: count,
        rate: 1e-3,
        clipNorm: 5,
        weights: new Map(Object.entries(begin).map(([key, { data }]) => [key, Float32Array.from(data)])),
      },
      { seed: 1, threads: 1 },
    );
    curves.loss.forEach((loss, i) => {
      expect(Math.abs(loss - losses[i]!)).toBeLessThan(1e-5 * Math.abs(losses[i]!));
    });
    expect([...weights.keys()].sort()).toEqual(Object.keys(end).sort());
    for (const [key, { data }] of Object.entries(end)) {
      // Without effect: a normalisation follows, so that the gradient is rounding, which Adam makes steps of.
      const isIdle = /mlp\.[01]\.bias$/.test(key);
      const follows = /layer\.\d+\.(mlp\.)?norm\.running_mean$/.test(key);
      const tolerance = isIdle ? 5e-3 : follows ? 1e-3 : 1e-5;
      data.forEach((wanted, i) => {
        expect(Math.abs(weights.get(key)![i]! - wanted), `${key} ${i}`).toBeLessThan(tolerance);
      });
      // All that is trained has moved.
      const moved = isIdle || data.some((value, i) => Math.abs(value - begin[key]!.data[i]!) > 1e-4);
      expect([key, moved]).toEqual([key, true]);
    }
  });
});
