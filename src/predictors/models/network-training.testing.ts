// Whether a latency predictor can be trained: on the three networks of the fixture, padded to unequal degrees.
import { expect } from 'vitest';
import { relativeSquaredError } from '../../nn/losses.js';
import { adamW } from '../../nn/optimiser.js';
import { constantRate } from '../../nn/schedules.js';
import type { Objective } from '../../nn/step.js';
import { type Batch, Trainer } from '../../nn/trainer.js';
import { EncodedNetworks, type Encoding } from '../views/nnlqp/encodings.js';
import { goldenNetworks, type LatencyModel } from './network-golden.testing.js';

const LATENCIES = [1.7, 0.6, 4.2];

/** Expects mean relative errors below 10 % after 60 steps, from more than 30 %, and finite numbers all along. */
export async function expectLearns(encoding: Encoding, model: LatencyModel): Promise<void> {
  const predict = model as unknown as Objective['predict'];
  const objective: Objective = {
    predict,
    loss: (s, { latency, ...inputs }) => relativeSquaredError(predict(s, inputs), latency!),
  };
  const networks = new EncodedNetworks(goldenNetworks, encoding);
  const inputs = networks.batch([0, 1, 2], { nodes: 14 });
  const latency = { type: 'float32', dims: [3, 1], data: Float32Array.from(LATENCIES) } as const;
  const batch: Batch = { ...inputs, latency };
  const trainer = new Trainer(objective, {
    optimiser: adamW(),
    schedule: constantRate(3e-3),
    clipNorm: 5,
    seed: 1,
    session: { threads: 1 },
  });
  const error = async (): Promise<number> => {
    const predicted = await trainer.predict(inputs);
    const off = LATENCIES.map((y, i) => Math.abs(Number(predicted.data[i]) / y - 1));
    return off.reduce((sum, e) => sum + e, 0) / off.length;
  };
  await trainer.step(batch);
  expect(await error()).toBeGreaterThan(0.3);
  for (let i = 0; i < 59; i++) await trainer.step(batch);
  expect(await error()).toBeLessThan(0.1);
  await trainer.dispose();
}
