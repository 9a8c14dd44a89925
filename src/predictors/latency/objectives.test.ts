import { expect, it } from 'vitest';
import { tensorsOf } from '../../nn/batch.js';
import { trace } from '../../nn/step.js';
import { Session } from '../../runtime/session.js';
import { golden } from './golden.testing.js';
import { twoPassLoss } from './objectives.js';

it('is PyTorch’s for two passes', async () => {
  const { first, second, latency, loss } = golden.loss;
  const column = (values: readonly number[]) =>
    ({ type: 'float32', dims: [values.length, 1], data: Float32Array.from(values) }) as const;
  const batch = { first: column(first), second: column(second), latency: column(latency) };
  const write: Parameters<typeof trace>[2] = (_, v) => twoPassLoss(v.first!, v.second!, v.latency!);
  const session = await Session.create(trace(batch, true, write, 'loss').model, { threads: 1 });
  const result = await session.run(await tensorsOf(batch));
  await session.dispose();
  expect(result.loss!.dims).toEqual([]);
  expect(Number(result.loss!.data[0])).toBeCloseTo(loss, 6);
});
