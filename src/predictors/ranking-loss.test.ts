import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import { dropout } from '../nn/dropout.js';
import { linear } from '../nn/linear.js';
import { adamW } from '../nn/optimiser.js';
import { constantRate } from '../nn/schedules.js';
import type { Batch } from '../nn/trainer.js';
import { Trainer } from '../nn/trainer.js';
import { computed, golden } from './models/nar-former-v2.testing.js';
import { NAR_FORMER_V2_LOSS, rankingLoss } from './ranking-loss.js';

const x = [0.3, -1.2, 0.8, 2.1];
const y = [0.5, 0.1, 0.9, 0.4];
const order = [2, 0, 3, 1];

const batch: Batch = {
  x: { type: 'float32', dims: [4, 1], data: Float32Array.from(x) },
  target: { type: 'float32', dims: [4, 1], data: Float32Array.from(y) },
  permutation: { type: 'int64', dims: [4], data: BigInt64Array.from(order, BigInt) },
};

/** The loss of p = 0.7x + 0.2, without dropout. */
async function lossOf(rank: number, consistency: number): Promise<number> {
  const objective = {
    predict: (s: Parameters<typeof linear>[0], { x }: Record<string, Parameters<typeof linear>[1]>) =>
      linear(s, x!, 1),
    loss: (s: Parameters<typeof linear>[0], inputs: Parameters<typeof rankingLoss>[1]) =>
      rankingLoss(s, inputs, (_, { x }) => linear(s, x!, 1), { error: 'squared', rank, consistency }),
  };
  const weights = new Map([
    ['weight', Float32Array.of(0.7)],
    ['bias', Float32Array.of(0.2)],
  ]);
  const trainer = new Trainer(objective, { optimiser: adamW(), schedule: constantRate(0), weights });
  const { loss } = await trainer.step(batch);
  await trainer.dispose();
  return loss;
}

describe('the ranking loss', () => {
  const p = x.map((value) => 0.7 * value + 0.2);
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;
  const error = mean(p.map((value, i) => (value - y[i]!) ** 2));
  const rank = mean(p.map((value, i) => Math.abs(value - p[order[i]!]! - (y[i]! - y[order[i]!]!))));

  it('is the error and that of differences between pairs', async () => {
    expect(await lossOf(0, 0)).toBeCloseTo(error, 6);
    expect(await lossOf(0.2, 0)).toBeCloseTo(error + 0.2 * rank, 6);
  });

  it('is no different for two passes that agree', async () => {
    expect(await lossOf(0.2, 1)).toBeCloseTo(error + 0.2 * rank, 6);
  });

  it('is more where two passes differ', async () => {
    const passes = (consistency: number) => ({
      predict: (s: Parameters<typeof linear>[0], inputs: Parameters<typeof rankingLoss>[1]) =>
        linear(s, inputs.x!, 1),
      loss: (s: Parameters<typeof linear>[0], inputs: Parameters<typeof rankingLoss>[1]) =>
        rankingLoss(s, inputs, (scope, { x }) => dropout(scope, linear(s, x!, 1), 0.5), {
          error: 'squared',
          rank: 0,
          consistency,
        }),
    });
    const losses = [];
    for (const consistency of [1e-9, 1]) {
      const trainer = new Trainer(passes(consistency), {
        optimiser: adamW(),
        schedule: constantRate(0),
        seed: 5,
      });
      losses.push((await trainer.step(batch)).loss);
      await trainer.dispose();
    }
    expect(losses[1]).toBeGreaterThan(losses[0]! + 1e-3);
  });
});

it.each(golden.losses)("NAR-Former V2's is PyTorch's, $loss", async ({ p, y, order, loss }) => {
  const batch = {
    p: { type: 'float32', dims: [p.length, 1], data: Float32Array.from(p) },
    target: { type: 'float32', dims: [p.length / 2, 1], data: Float32Array.from(y.slice(0, p.length / 2)) },
    permutation: { type: 'int64', dims: [p.length], data: BigInt64Array.from(order, BigInt) },
  } as const;
  const found = await computed(batch, (s, inputs) =>
    rankingLoss(s, inputs, (_, given) => given.p!, NAR_FORMER_V2_LOSS),
  );
  expect(Math.abs(found[0]! - loss) / loss).toBeLessThan(1e-5);
});
