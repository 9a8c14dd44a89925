import { describe, expect, it } from 'vitest';
import type { Predictor } from '../predictors/predictor.js';
import { predictorEvaluator, predictorScorer } from './predicted.js';
import { networksOfTexts, outcomesOf } from './toy.testing.js';

function made() {
  const asked: number[] = [];
  const labels = [
    { name: 'accuracy', unit: '%', scale: 'linear' as const },
    { name: 'latency', unit: '', scale: 'log' as const },
    { name: 'loss', unit: '', scale: 'linear' as const },
  ];
  const predictor = {
    info: { version: 1, kind: 'made', space: 'digits', labels, rows: 1, seed: 0 },
    values: async (list: readonly string[]) => {
      asked.push(list.length);
      if (list.includes('bad')) throw new Error('no such architecture');
      return Float64Array.from(list.flatMap((arch) => [Number(arch), -Number(arch), 0]));
    },
  } as Pick<Predictor, 'info' | 'values'> as Predictor;
  return { predictor, asked };
}

describe('a predictor as a score', () => {
  it('gives the label that is asked for, with its direction', async () => {
    const { predictor } = made();
    const scorer = predictorScorer(predictor, 'latency');
    expect([...(await scorer.score(networksOfTexts(['1', '2', '3'])))]).toEqual([-1, -2, -3]);
    expect(scorer.better).toBe('lower');
    expect(predictorScorer(predictor, 'accuracy').better).toBe('higher');
    expect(predictorScorer(predictor, 'loss').better).toBe('lower');
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
