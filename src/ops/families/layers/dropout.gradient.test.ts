import { describe, expect, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientInput,
  gradientsAt,
  random,
} from '../../../autodiff/check.testing.js';

const X = between(0.5, 2, [4, 8]);

function scalar(dtype: 'bool' | 'float64', value: number, constant: boolean): GradientInput {
  return { dtype, dims: [], values: [value], ...(constant ? { constant: true } : {}) };
}

describe('Dropout', () => {
  it('passes all in inference', async () => {
    await expectGradient({ op: 'Dropout', inputs: [random(2, 3)], outputs: 2, second: true });
    await expectGradient({
      op: 'Dropout',
      inputs: [random(2, 3), scalar('float64', 0.3, true), scalar('bool', 0, true)],
    });
  });

  // Every run drops others, so there are no finite differences. But y = x·dx.
  it.each([
    [0.25, 1, true],
    [0.25, 1, false],
    [undefined, 1, true],
    [undefined, 1, false],
    [0.25, 0, false],
  ])('ratio %s, training %d, known before: %s', async (ratio, training, known) => {
    const { y0, x0 } = await gradientsAt({
      op: 'Dropout',
      inputs: [
        X,
        ratio === undefined ? null : scalar('float64', ratio, known),
        scalar('bool', training, known),
      ],
      attributes: { seed: 1 },
      outputs: 2,
    });
    y0!.forEach((y, i) => {
      expect(x0![i]! * X.values![i]!).toBeCloseTo(y, 12);
    });
    const scales = new Set(x0!.map((dx) => dx.toFixed(6)));
    const scale = (1 / (1 - (ratio ?? 0.5))).toFixed(6);
    expect(scales).toEqual(new Set(training ? [(0).toFixed(6), scale] : ['1.000000']));
  });

  it('needs its mask in training', async () => {
    const inputs = [X, null, scalar('bool', 1, true)];
    await expect(gradientsAt({ op: 'Dropout', inputs })).rejects.toMatchObject({
      code: 'GRADIENT_UNSUPPORTED',
    });
  });
});
