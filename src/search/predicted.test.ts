import { describe, expect, it } from 'vitest';
import type { Networks } from '../networks/index.js';
import { Predictions } from '../predictors/predictions.js';
import type { Predictor } from '../predictors/predictor.js';
import { predictorEvaluator, predictorScorer } from './predicted.js';
import { networksOfTexts, outcomesOf } from './toy.testing.js';

function made() {
  const asked: number[] = [];
  const labels = [
    { name: 'accuracy', unit: '%', better: 'higher' as const, transform: 'linear' },
    { name: 'latency', unit: '', better: 'lower' as const, transform: 'log' },
  ];
  const predictor = {
    info: {
      version: 2,
      kind: 'made',
      entries: [],
      labels,
      seen: { spaces: ['digits'], rows: 1, seed: 0 },
      recipe: {},
    },
    predict: async (networks: Networks) => {
      const list = Array.from({ length: networks.count }, (_, row) => networks.at(row).arch!.text);
      asked.push(list.length);
      if (list.includes('bad')) throw new Error('no such architecture');
      const values = Float64Array.from(list.flatMap((arch) => [Number(arch), -Number(arch)]));
      return new Predictions(labels, values);
    },
  } as Pick<Predictor, 'info' | 'predict'> as Predictor;
  return { predictor, asked };
}

describe('a predictor as a score', () => {
  it('gives the label that is asked for, with its direction', async () => {
    const { predictor } = made();
    const scorer = predictorScorer(predictor, 'latency');
    expect([...(await scorer.score(networksOfTexts(['1', '2', '3'])))]).toEqual([-1, -2, -3]);
    expect(scorer.better).toBe('lower');
    expect(predictorScorer(predictor, 'accuracy').better).toBe('higher');
    expect(() => predictorScorer(predictor, 'energy')).toThrow(/does not predict 'energy'/);
  });
});

describe('a predictor as evaluator', () => {
  it('is asked once for all labels of a list', async () => {
    const { predictor, asked } = made();
    const evaluator = predictorEvaluator(predictor, ['latency', 'accuracy']);
    expect(evaluator.objectives).toEqual([
      { name: 'latency', better: 'lower' },
      { name: 'accuracy', better: 'higher', unit: '%' },
    ]);
    expect(await outcomesOf(evaluator, networksOfTexts(['1', '2', '3']))).toEqual(
      [1, 2, 3].map((n) => ({ values: [-n, n] })),
    );
    expect(asked).toEqual([3]);
  });

  it('fails for the architectures at fault only', async () => {
    const { predictor } = made();
    const texts = ['1', '2', 'bad', '4', '5'];
    const evaluator = predictorEvaluator(predictor, ['accuracy']);
    const found = await outcomesOf(evaluator, networksOfTexts(texts));
    expect(found.map((outcome) => ('values' in outcome ? outcome.values[0] : outcome.error))).toEqual([
      1,
      2,
      { code: 'EVALUATION_FAILED', message: 'no such architecture' },
      4,
      5,
    ]);
  });
});
