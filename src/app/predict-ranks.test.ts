import { describe, expect, it } from 'vitest';
import type { Network } from '../networks/index.js';
import { AuspexError } from '../util/errors.js';
import type { PredictedNetwork } from './predict.js';
import { ranksOf } from './predict-ranks.js';

function predicted(
  values: Readonly<Record<string, number>>,
  better: 'higher' | 'lower' = 'higher',
): PredictedNetwork {
  return {
    ref: 'net',
    network: {} as Network,
    answers: Object.entries(values).map(([name, value]) => ({
      label: { name, unit: '', better, transform: 'linear' },
      prediction: { value },
      predictor: 'p',
      assumed: [],
    })),
    ...{ refused: [], cost: undefined, family: undefined, needed: undefined },
  };
}

const places = (found: readonly PredictedNetwork[]) => ranksOf(found).map((rank) => rank?.place);

describe('ranks of networks', () => {
  it('are by the label that most have', () => {
    const found = [
      predicted({ ms: 1 }),
      predicted({ acc: 70 }),
      predicted({ acc: 80, ms: 2 }),
      predicted({ acc: 75 }),
    ];
    expect(places(found)).toEqual([undefined, 3, 1, 2]);
    expect(ranksOf(found)[1]).toEqual({ place: 3, of: 3, label: 'acc' });
  });

  it('are the same for what is predicted alike', () => {
    expect(places([predicted({ acc: 70 }), predicted({ acc: 80 }), predicted({ acc: 80 })])).toEqual([
      3, 1, 1,
    ]);
  });

  it('begin with the lowest where lower is better', () => {
    expect(places([predicted({ ms: 3 }, 'lower'), predicted({ ms: 2 }, 'lower')])).toEqual([2, 1]);
  });

  it('are none of one network, nor of those that could not be read', () => {
    const bad: PredictedNetwork = { ref: 'bad', network: undefined, error: new AuspexError('X', 'wrong') };
    expect(places([predicted({ acc: 70 }), bad, predicted({})])).toEqual([undefined, undefined, undefined]);
  });
});
