import { describe, expect, it } from 'vitest';
import { evaluate } from '../../predictors/evaluate.js';
import { withInterval } from '../../predictors/predictions.js';
import type { LabelInfo } from '../../predictors/predictor.js';
import { Random } from '../../util/random.js';
import { elementsOf, expectPlot } from '../plots/plots.testing.js';
import {
  bootstrapText,
  coverageText,
  type EvaluatedLabel,
  evaluationReport,
  resultTexts,
} from './evaluation-report.js';

const AWKWARD = `<img src=x onerror="alert(1)"> & 'quoted'`;

function evaluatedLabel(label: string, rows: number, better: 'higher' | 'lower' = 'higher'): EvaluatedLabel {
  const info: LabelInfo = {
    name: label,
    unit: '%',
    better: 'higher',
    transform: 'linear',
    interval: { coverage: 0.9, rows: 20, groups: [{ halfWidth: 1.6 }] },
  };
  const random = Random.seeded(rows);
  const truths = Float64Array.from({ length: rows }, (_, i) =>
    i === 3 ? Number.NaN : 80 + 10 * random.float(),
  );
  const predictions = Array.from(truths, (truth) => withInterval((truth || 80) + random.normal(), info));
  return {
    label,
    unit: '%',
    better,
    trainedOn: label,
    promised: 0.9,
    evaluation: evaluate(predictions, truths, { resamples: 60, better }),
    predictions,
    truths,
  };
}

function reportOf(labels: readonly EvaluatedLabel[], name = 'nn-former'): string {
  return evaluationReport({
    predictor: {
      file: `${name}.onnx`,
      info: {
        version: 2,
        kind: name,
        entries: [],
        labels: labels.map(({ label }) => ({ name: label, unit: '%', better: 'lower', transform: 'log' })),
        seen: {
          spaces: [name],
          rows: 1563,
          seed: 4,
          split: { seed: 9, train: 1563, validation: 200, of: 15_625 },
        },
        recipe: {},
      },
    },
    data: { file: `${name}.csv.gz`, rows: 'all 1000' },
    labels,
    version: '0.1.0',
  });
}

const svgs = (html: string): string[] => html.match(/<svg .*?<\/svg>/gs) ?? [];

describe('the report of an evaluation', () => {
  it('has three plots for each label, the metrics, and what was compared', () => {
    const html = reportOf([evaluatedLabel('cifar10_test', 60), evaluatedLabel('latency', 50, 'lower')]);
    expect(svgs(html).length).toBe(6);
    for (const svg of svgs(html)) expectPlot(svg);
    for (const text of [
      '1,563 rows, drawn from 15,625 with seed 9; training seed 4',
      '59 rows; 1 without a value left out. Higher is better.',
      'Lower is better.',
      'Kendall&#39;s τ-b',
      'nominal 90.0%',
      '60 resamples of all 59 rows',
      'cifar10_test (log), latency (log)',
    ]) {
      expect(html).toContain(text);
    }
  });

  it('is a page by itself: no scripts, nothing from elsewhere, well formed', () => {
    const html = reportOf([evaluatedLabel('accuracy', 40)]);
    expect(html).not.toMatch(/<script|<link|<img|<iframe|url\(|@import|src=|href=/);
    expect(html.match(/https?:[^"]*/g)?.every((url) => url === 'http://www.w3.org/2000/svg')).toBe(true);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('prefers-color-scheme:dark');
    elementsOf(html.slice(html.indexOf('<main>'), html.indexOf('</main>') + '</main>'.length));
  });

  it('shows texts of users as texts', () => {
    const html = reportOf([{ ...evaluatedLabel(AWKWARD, 40), unit: AWKWARD, trainedOn: AWKWARD }], AWKWARD);
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
    elementsOf(html.slice(html.indexOf('<main>'), html.indexOf('</main>') + '</main>'.length));
  });

  it('stays below a megabyte for many rows', () => {
    const random = Random.seeded(1);
    const rows = 60_000;
    const truths = Float64Array.from({ length: rows }, () => random.float());
    const predictions = Array.from(truths, () => ({ value: random.float() }));
    const evaluation = evaluate(predictions, truths, { metrics: ['mae'], resamples: 40 });
    const html = reportOf([
      { ...evaluatedLabel('noise', 40), evaluation, predictions, truths, promised: undefined },
    ]);
    expect(html.length).toBeLessThan(1_000_000);
    expect(html).toContain('rescaled by √(2000/60000)');
  });

  it('says what has no value', () => {
    const predictions = [1, 1, 1].map((value) => ({ value }));
    const truths = [1, 2, 3];
    const evaluation = evaluate(predictions, truths, { resamples: 100 });
    const html = reportOf([{ ...evaluatedLabel('x', 40), evaluation, predictions, truths }]);
    expect(html).toContain('all 3 predictions are 1');
    for (const svg of svgs(html)) expectPlot(svg);
  });
});

it.each<[estimate: number, low: number, high: number, value: string, interval: string]>([
  [0.81234567, 0.8012, 0.8231, '0.812', '0.801 to 0.823'],
  [0.81234567, 0.81201, 0.81262, '0.81235', '0.81201 to 0.81262'],
  [1.6912, 0, 2.6, '1.69', '0.00 to 2.60'],
  [1234.567, 1200, 1300, '1235', '1200 to 1300'],
  [-0.02, -0.31, 0.3, '-0.0200', '-0.3100 to 0.3000'],
  [1, 1, 1, '1.00', '1.00 to 1.00'],
  [0, 0, 0, '0', '0 to 0'],
  [0, 0, 0.5, '0.00', '0.00 to 0.50'],
])('%s from %s to %s has the digits that make sense', (estimate, low, high, ...texts) => {
  expect(resultTexts({ name: 'x', title: 'x', better: 'lower', estimate, low, high })).toEqual(texts);
});

it('what has no value has a reason in its place', () => {
  const about = {
    name: 'x',
    title: 'x',
    better: 'lower',
    problem: { code: 'X', message: 'because' },
  } as const;
  expect(resultTexts(about)).toEqual(['–', 'because']);
  expect(resultTexts({ ...about, estimate: 0.5 })).toEqual(['0.500', 'because']);
});

it('sentences', () => {
  const coverage = { rows: 1000, inside: 905, share: 0.905, low: 0.885, high: 0.9217, meanWidth: 3.29 };
  expect(coverageText(coverage, 0.9, 'ms')).toBe(
    '90.5% of the prediction intervals contain the true value (905 of 1,000; 95% interval 88.5% to 92.2%), nominal 90.0%; mean width 3.29 ms.',
  );
  expect(coverageText(coverage, undefined, '')).toMatch(/92\.2%\); mean width 3\.29\.$/);
  const bootstrap = { confidence: 0.95, resamples: 1000, seed: 0, drawn: 2000 };
  expect(bootstrapText(344_000, bootstrap)).toBe(
    '95% intervals: percentile bootstrap, 1,000 resamples of 2,000 of the 344,000 rows, rescaled by √(2000/344000); metrics of the k best resample only the rows that can be among them.',
  );
});
