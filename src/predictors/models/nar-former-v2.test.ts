import { describe, expect, it } from 'vitest';
import type { Batch } from '../../nn/batch.js';
import { relativeSquaredError } from '../../nn/losses.js';
import { adam } from '../../nn/optimiser.js';
import { constantRate } from '../../nn/schedules.js';
import { Trace } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import { Trainer } from '../../nn/trainer.js';
import { EncodedCells } from '../views/cell-batch.js';
import { EncodedNetworks } from '../views/nnlqp/encodings.js';
import { computed, computedOfAnyBatch, expectClose, goldenCell, goldenVocabulary } from './golden.testing.js';
import {
  cellTokens,
  NAR_FORMER_V2_ACCURACY,
  NAR_FORMER_V2_LATENCY,
  NAR_FORMER_V2_RELEASED,
  type NarFormerV2AccuracyOptions,
  type NarFormerV2Options,
  narFormerV2Accuracy,
  narFormerV2Latency,
} from './nar-former-v2.js';
import { cellOf, golden, networkOf, VOCABULARY } from './nar-former-v2.testing.js';
import { narFormerV2Encoding } from './nar-former-v2-encoding.js';
import type { NetworkInputs } from './network-heads.js';
import type { GraphInputs } from './nn-former.js';

const SIZES = { width: golden.width, groups: golden.groups };

describe('accuracy', () => {
  const predict =
    (options: Partial<NarFormerV2AccuracyOptions> = {}) =>
    (s: Parameters<typeof narFormerV2Accuracy>[0], inputs: Inputs) =>
      narFormerV2Accuracy(s, inputs as unknown as GraphInputs, {
        ...NAR_FORMER_V2_ACCURACY,
        ...SIZES,
        layers: golden.layers.accuracy,
        ...options,
      });
  const batchOf = (nodes: number): Batch => {
    const encoded = new EncodedCells(golden.accuracy.map(cellOf), VOCABULARY, nodes);
    return encoded.batch(golden.accuracy.map((_, i) => i));
  };

  // Cells of 2 to 8 nodes, all of them padded to 8 and to 11.
  it.each([
    ['exact', 8, {}],
    ['exact', 11, {}],
    ['exact with root', 8, { root: true }],
    ['released', 8, NAR_FORMER_V2_RELEASED],
    ['released', 11, NAR_FORMER_V2_RELEASED],
  ] as const)("is PyTorch's, %s, padded to %i nodes", async (name, nodes, options) => {
    const found = await computed(batchOf(nodes), predict(options));
    expectClose(
      found,
      golden.accuracy.map(({ outputs }) => outputs[name]),
    );
  });

  it.each(golden.chains)("is PyTorch's for three labels and $codes operations", async (chain) => {
    const vocabulary = goldenVocabulary(chain.codes);
    const encoded = new EncodedCells([goldenCell(chain, vocabulary)], vocabulary, 31);
    const found = await computed(encoded.batch([0]), predict({ root: true, outputs: 3 }));
    expectClose(found, chain.outputs);
  });

  // Exact codes repeat after 62.
  it.each([62, 63, 300])('has a code of its own for each of %i operations', async (count) => {
    const eye = Float32Array.from({ length: count * count }, (_, i) => Number(i % (count + 1) === 0));
    const operations = { type: 'float32', dims: [1, count, count], data: eye } as const;
    const tokens = await computed({ operations }, (_, inputs) => cellTokens(inputs.operations!, 'exact'));
    const rows = Array.from({ length: count }, (_, i) => tokens.subarray(128 * i, 128 * i + 64));
    const near = (a: Float32Array, b: Float32Array): boolean => a.every((x, k) => Math.abs(x - b[k]!) < 0.05);
    expect(rows.filter((row, i) => rows.some((other, j) => j < i && near(row, other)))).toEqual([]);
  });

  it('takes batches of any size', async () => {
    const found = await computedOfAnyBatch(batchOf(8), predict());
    expectClose(
      found,
      golden.accuracy.map(({ outputs }) => outputs.exact),
    );
  });

  it('has as many weights as its layers say', () => {
    const trace = new Trace(false);
    const { builder } = trace;
    const operations = builder.input('operations', 'float32', [1, 7, 32]);
    const adjacency = builder.input('adjacency', 'float32', [1, 7, 7]);
    narFormerV2Accuracy(trace.scope, { operations, adjacency });
    const count = [...trace.parameters.values()].reduce((n, p) => n + p.dims.reduce((a, d) => a * d, 1), 0);
    // Attention: gate, query, neighbours. Feed-forward: two grouped layers with norms, the norm before, γ.
    const attention = (d: number): number => 2 * d + d * d + d + d * 512 + 512;
    const feedForward = 2 * ((512 * 2048) / 8) + 2048 + 512 + 2 * (256 + 64) + 2 * 512 + 512;
    const readout = 3072 * 768 + 768 + 768 * 6 + 6 + 2 * (512 * 512 + 512) + 513;
    expect(count).toBe(attention(128) + 5 * attention(512) + 6 * feedForward + readout);
  });
});

describe('latency', () => {
  const batchOf = (nodes: number, variant: 'meant' | 'released'): Batch => {
    const encoded = new EncodedNetworks(golden.latency.map(networkOf), narFormerV2Encoding(variant));
    return encoded.batch(
      golden.latency.map((_, i) => i),
      { nodes },
    );
  };
  const predict =
    (options: Partial<NarFormerV2Options> = {}) =>
    (s: Parameters<typeof narFormerV2Latency>[0], inputs: Inputs) =>
      narFormerV2Latency(s, inputs as unknown as NetworkInputs, {
        ...NAR_FORMER_V2_LATENCY,
        ...SIZES,
        ...options,
      });

  // Networks of 2, 5 and 9 operators, all of them padded.
  it.each([
    ['meant', 9],
    ['meant', 20],
    ['released', 9],
    ['released', 20],
  ] as const)("is PyTorch's, %s, padded to %i nodes", async (variant, nodes) => {
    const found = await computed(batchOf(nodes, variant), predict({ root: variant === 'released' }));
    expectClose(
      found,
      golden.latency.map(({ outputs }) => outputs[variant]),
    );
  });

  // Nodes that are not there must not spoil the gradient either.
  it('learns the latencies of padded networks', async () => {
    const trainer = new Trainer(
      {
        loss: (s, { target, ...inputs }) => relativeSquaredError(predict()(s, inputs as Inputs), target!),
        predict: predict(),
      },
      { optimiser: adam(), schedule: constantRate(1e-3), session: { threads: 1 } },
    );
    const target = { type: 'float32', dims: [3, 1], data: Float32Array.of(0.5, 2, 6) } as const;
    const batch = { ...batchOf(12, 'meant'), target };
    const losses: number[] = [];
    for (let step = 0; step < 60; step++) losses.push((await trainer.step(batch)).loss);
    await trainer.dispose();
    expect(losses.at(-1)! / losses[0]!).toBeLessThan(0.2);
  });
});
