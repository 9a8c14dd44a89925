import { describe, expect, it } from 'vitest';
import { expectGradient, gradientsAt, random } from '../../../autodiff/check.testing.js';

describe('casts between float types', () => {
  it('pass the gradient', async () => {
    await expectGradient({ op: 'Cast', inputs: [random(2, 3)], attributes: { to: 11 }, second: true });
    const toSingle = { op: 'Cast', inputs: [random(2)], attributes: { to: 1 } };
    expect((await gradientsAt(toSingle)).x0).toEqual([1, 1]);
  });

  it('like another value, which has none', async () => {
    const inputs = [random(2), { ...random(3), dtype: 'float32' as const }];
    expect(await gradientsAt({ op: 'CastLike', inputs })).toMatchObject({ x0: [1, 1], x1: [0, 0, 0] });
  });
});
