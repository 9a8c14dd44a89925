import { expect, it } from 'vitest';
import type { Value } from '../../ops/build.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { writeNetwork } from '../network-builder.js';
import { adaptiveAveragePool, maxPoolCeil } from './pooling.js';

/** What a pooling makes of an image whose element (i, j) is i + 10·j. */
async function pooled(side: number, pool: (x: Value) => Value): Promise<number[][]> {
  const dims = [1, 1, side, side];
  const model = writeNetwork('pool', { type: 'float32', dims }, 0, (_, x) => pool(x));
  const image = Float32Array.from({ length: side * side }, (_, n) => Math.floor(n / side) + 10 * (n % side));
  const session = await Session.create(model, { threads: 1 });
  const { output } = await session.run({ input: await hostTensor('float32', image, dims) });
  await session.dispose();
  const width = output!.dims[3]!;
  const values = [...(output!.data as Float32Array)];
  return Array.from({ length: output!.dims[2]! }, (_, i) => values.slice(i * width, (i + 1) * width));
}

it('covers an image with windows that overlap', async () => {
  // Rows and columns 0–2, 2–4 and 4–6.
  expect(await pooled(7, (x) => adaptiveAveragePool(x, 3))).toEqual([
    [11, 31, 51],
    [13, 33, 53],
    [15, 35, 55],
  ]);
});

it('repeats an image that is smaller than the windows are many', async () => {
  expect(await pooled(2, (x) => adaptiveAveragePool(x, 3))).toEqual([
    [0, 5, 10],
    [0.5, 5.5, 10.5],
    [1, 6, 11],
  ]);
});

it('leaves an image of the right size alone', async () => {
  expect(await pooled(2, (x) => adaptiveAveragePool(x, 2))).toEqual([
    [0, 10],
    [1, 11],
  ]);
});

it('has a last window that reaches beyond the image', async () => {
  expect(await pooled(4, (x) => maxPoolCeil(x, 3, 2))).toEqual([
    [22, 32],
    [23, 33],
  ]);
});
