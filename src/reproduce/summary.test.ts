import { describe, expect, it } from 'vitest';
import { tableMarkdown } from './markdown.js';
import { type DrawResult, RESULT_SCHEMA, settingsKey, settingsOf } from './result.js';
import { meanOf, summarise } from './summary.js';
import type { ReproducedTable, ResultCell } from './table.js';
import { meanText, metricTitle, publishedText } from './table-numbers.js';

const CELL: ResultCell = {
  id: 'two-devices',
  series: 'two devices',
  data: 'nasbench201_latency',
  kind: 'nn-former',
  rows: 900,
  validation: 200,
  labels: ['phone', 'board'].map((name) => ({ train: name, test: name })),
  scale: 'log',
  metrics: ['mape', 'spearman'],
  published: [{ by: 'Somebody', metric: 'mape', value: 0.0347, source: 'A paper, Table 1' }],
  others: [
    { by: 'Else', metric: 'spearman', label: 'board', value: 0.9, source: 'Memory', isUnverified: true },
  ],
  differs: ['Two devices.'],
};
const TABLE: ReproducedTable = {
  id: 'toy',
  title: 'A toy',
  paper: 'None',
  shows: 'Nothing.',
  differs: ['All of it.'],
  plot: 'bars',
  cells: [CELL],
};

/** @param values MAPE of both devices */
function drawn(seed: number, values: readonly number[], more: Partial<DrawResult> = {}): DrawResult {
  return {
    schema: RESULT_SCHEMA,
    table: 'toy',
    cell: CELL.id,
    seed,
    settings: settingsOf(CELL),
    data: { file: 'nasbench201_latency.csv', rows: 2000 },
    rows: { train: 900, validation: 200, test: 900, development: 0 },
    labels: CELL.labels.map(({ train, test }, i) => ({
      train,
      test,
      unit: 'ms',
      metrics: { mape: { estimate: values[i]! }, spearman: i === 0 ? { estimate: 0.5 } : null },
      coverage: null,
    })),
    validation: [],
    recipe: { steps: 10 },
    threads: 1,
    seconds: { train: 10 + seed, test: 1 },
    isResumed: false,
    version: '0',
    ...more,
  };
}

const summaryOf = (...results: DrawResult[]) => summarise(TABLE, new Map([[CELL.id, results]]));

describe('means over draws', () => {
  it('have the deviation of a sample', () => {
    // numpy.std([2, 4, 4, 4, 5, 5, 7, 9], ddof=1)
    const { mean, deviation } = meanOf([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(mean).toBe(5);
    expect(deviation).toBeCloseTo(2.138089935299395, 14);
    expect(meanOf([3]).deviation).toBeUndefined();
  });

  it('are of every label and of their mean', () => {
    const lines = summaryOf(drawn(0, [0.1, 0.3]), drawn(1, [0.2, 0.6]));
    expect(lines.map(({ label }) => label)).toEqual([undefined, 'phone', 'board']);
    expect(lines.map(({ metrics }) => metrics.get('mape')!.mean)).toEqual([
      expect.closeTo(0.3, 12),
      expect.closeTo(0.15, 12),
      expect.closeTo(0.45, 12),
    ]);
    // A deviation of means over labels, not a mean of deviations.
    expect(lines[0]!.metrics.get('mape')!.values).toEqual([expect.closeTo(0.2, 12), expect.closeTo(0.4, 12)]);
    expect(lines[0]!.seeds).toEqual([0, 1]);
    expect(lines[0]!.seconds).toBe(10.5);
  });

  it('leave out a metric that a label does not have', () => {
    const lines = summaryOf(drawn(0, [0.1, 0.3]));
    expect(lines.map(({ metrics }) => metrics.has('spearman'))).toEqual([false, true, false]);
  });

  it('have published numbers on the line that they are of', () => {
    const lines = summaryOf();
    expect(lines.map(({ published }) => published.length)).toEqual([1, 0, 0]);
    expect(lines.map(({ others }) => others.length)).toEqual([0, 0, 1]);
    expect(lines[0]!.metrics.size).toBe(0);
  });

  it('are doubted where draws are not of the same recipe or table', () => {
    const other = { recipe: { steps: 20 }, data: { file: 'nasbench201_latency.csv', rows: 3000 } };
    expect(summaryOf(drawn(0, [1, 1]), drawn(1, [1, 1]))[0]!.problems).toEqual([]);
    expect(summaryOf(drawn(0, [1, 1]), drawn(1, [1, 1], other))[0]!.problems).toHaveLength(2);
  });

  it('do not count the seconds of a training that went on', () => {
    const resumed = drawn(1, [1, 1], { isResumed: true, seconds: { train: 1, test: 1 } });
    expect(summaryOf(drawn(0, [1, 1]), resumed)[0]!.seconds).toBe(10);
    expect(summaryOf(resumed)[0]!.seconds).toBeUndefined();
  });

  it('are judged by floor and goal', () => {
    const judged = (value: number) => {
      const cell: ResultCell = { ...CELL, metrics: ['spearman'], floor: 0.4, goal: 0.8 };
      const result = drawn(0, [1, 1]);
      const labels = result.labels.map((label) => ({ ...label, metrics: { spearman: { estimate: value } } }));
      return summarise({ cells: [cell] }, new Map([[cell.id, [{ ...result, labels }]]]))[0]!.verdict;
    };
    expect([0.39, 0.4, 0.79, 0.8].map(judged)).toEqual(['below', 'floor', 'floor', 'goal']);
    expect(summaryOf(drawn(0, [1, 1]))[0]!.verdict).toBeUndefined();
  });
});

describe('settings', () => {
  it('have one key, whatever the order of their fields', () => {
    const settings = settingsOf(CELL);
    const turned = Object.fromEntries(Object.entries(settings).reverse()) as unknown as typeof settings;
    expect(settingsKey(turned)).toBe(settingsKey(settings));
    expect(settingsKey(JSON.parse(JSON.stringify(settings)))).toBe(settingsKey(settings));
    expect(settingsKey(settingsOf(CELL, 5))).not.toBe(settingsKey(settings));
    expect(settingsKey(settingsOf({ ...CELL, rows: 901 }))).not.toBe(settingsKey(settings));
  });
});

describe('numbers as people read them', () => {
  it('are percentages where papers print those', () => {
    expect(meanText('mape', { mean: 0.0347, deviation: 0.001 })).toBe('3.47% ± 0.10%');
    expect(meanText('tau-b', { mean: 0.80412, deviation: undefined })).toBe('0.8041');
    expect(metricTitle('acc@0.05')).toBe('Acc(5%)');
  });

  it('keep the digits that were printed, and say what is not certain', () => {
    expect(publishedText({ by: '', metric: 'tau-b', value: 0.89, source: '' })).toBe('0.89');
    expect(
      publishedText({
        by: '',
        metric: 'mape',
        value: 0.0347,
        deviation: 0.0013,
        source: '',
        isUnverified: true,
      }),
    ).toBe('3.47% ± 0.13%?');
  });

  it('make a table of Markdown', () => {
    const results = [drawn(0, [0.1, 0.3]), drawn(1, [0.2, 0.6])];
    const lines = summarise(TABLE, new Map([[CELL.id, results]]));
    expect(
      tableMarkdown({ table: TABLE, lines, results, command: 'auspex reproduce toy' }),
    ).toMatchSnapshot();
  });
});
