import { describe, expect, it } from 'vitest';
import { expectGolden } from './golden.testing.js';
import { initialValues } from './initialise.js';
import { batchNorm, layerNorm, layerScale } from './normalise.js';
import { Trace } from './scope.js';

it('layerNorm is PyTorch’s', () => expectGolden('normalise/layerNorm', (s, { x }) => layerNorm(s, x!)));

describe('layerScale', () => {
  it('multiplies every channel', () => expectGolden('normalise/layerScale', (s, { x }) => layerScale(s, x!)));

  it('begins with the value it is told', () => {
    const { scope, builder, parameters } = new Trace(true);
    layerScale(scope, builder.input('x', 'float32', [2, 3]), 0.25);
    expect(initialValues(parameters.get('gamma')!, 1)).toEqual(Float32Array.of(0.25, 0.25, 0.25));
  });
});

describe('batchNorm', () => {
  it('uses the statistics of the batch in training, and moves the running ones', () =>
    expectGolden('normalise/batchNormTraining', (s, { x }) => batchNorm(s, x!)));

  it('uses the running statistics in evaluation', () =>
    expectGolden('normalise/batchNormEvaluation', (s, { x }) => batchNorm(s, x!), { isTraining: false }));

  it('takes features, whose channels come last', () =>
    expectGolden('normalise/batchNormChannelsLast', (s, { x }) =>
      batchNorm(s, x!, { channelAxis: -1, momentum: 0.3 }),
    ));

  it('moves the running statistics once for every time it is applied', () =>
    expectGolden('normalise/batchNormTwice', (s, { x, x2 }) =>
      s.builder.concat([batchNorm(s, x!), batchNorm(s, x2!)], 0),
    ));

  it('does not train its running statistics', () => {
    const { scope, builder, parameters } = new Trace(true);
    batchNorm(scope, builder.input('x', 'float32', [2, 3]));
    const trained = [...parameters.values()].filter((p) => p.isTrained).map((p) => p.name);
    expect(trained).toEqual(['weight', 'bias']);
  });

  it('trains nothing where it has no scale and shift, and is the same at first', () => {
    const both = [true, false].map((affine) => {
      const { scope, builder, parameters } = new Trace(true);
      batchNorm(scope, builder.input('x', 'float32', [2, 3]), { affine });
      const values = [...parameters.values()].map((p) => [p.name, initialValues(p, 1)]);
      return { values, isTrained: [...parameters.values()].some((p) => p.isTrained) };
    });
    expect(both[1]!.isTrained).toBe(false);
    expect(both[1]!.values).toEqual(both[0]!.values);
  });

  it('refuses to train on one element per channel, which has no variance', () => {
    const { scope, builder } = new Trace(true);
    const x = builder.input('x', 'float32', [1, 3]);
    expect(() => batchNorm(scope.at('norm'), x)).toThrow(
      expect.objectContaining({ code: 'BATCH_TOO_SMALL', message: expect.stringContaining('norm.') }),
    );
  });
});
