// The command with a predictor that reads its answer from the architecture's text. The built command line is tested in
// test/evaluate-cli.test.ts.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeGraph, makeModel } from '../graph/graph.js';
import type { Network } from '../networks/network.js';
import type { Networks } from '../networks/networks.js';
import { Resolver } from '../networks/resolver.js';
import { Predictions } from '../predictors/predictions.js';
import type { LabelInfo, Predictor, PredictorInfo, TrainingSplit } from '../predictors/predictor.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { evaluateCommand } from './evaluate.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-evaluate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const ROWS = 120;
const random = Random.seeded(1);
/** Each text has what is predicted of it: `accuracy/latency`. */
const rows = Array.from({ length: ROWS }, (_, i) => {
  const [accuracy, latency] = [60 + 35 * random.float(), 2 + 8 * random.float()];
  return {
    arch: `${(accuracy + random.normal()).toFixed(4)}/${(latency * Math.exp(0.05 * random.normal())).toFixed(4)}`,
    accuracy: i % 40 === 39 ? '' : accuracy.toFixed(3),
    latency: latency.toFixed(3),
  };
});
const HEAD = {
  table: 1,
  space: 'toy',
  labels: {
    accuracy: { unit: '%', better: 'higher', provenance: 'made up' },
    latency: { unit: 'ms', better: 'lower', provenance: 'made up' },
  },
};
writeFileSync(
  at('toy.csv'),
  `# auspex ${JSON.stringify(HEAD)}\narch,accuracy,latency\n${rows.map((r) => `${r.arch},${r.accuracy},${r.latency}`).join('\n')}\n`,
);
const split = { train: [0, 1, 2], validation: [3], test: Array.from({ length: 50 }, (_, i) => 10 + i) };
const splitFile = (name: string, content: object): string => {
  writeFileSync(at(name), JSON.stringify(content));
  return at(name);
};
const RECORD = {
  schema: 'auspex.data.split/1',
  file: 'toy.csv',
  space: 'toy',
  by: 'random',
  seed: 0,
  testOnAll: false,
  files: {},
};
const NONE = { train: [], validation: [] };
splitFile('toy.split.json', { ...RECORD, rows: split });

const ACCURACY: LabelInfo = {
  name: 'accuracy',
  unit: '%',
  better: 'higher',
  transform: 'linear',
  interval: { coverage: 0.9, rows: 50, groups: [{ halfWidth: 1.645 }] },
};
const LATENCY: LabelInfo = {
  name: 'latency',
  unit: 'ms',
  better: 'lower',
  transform: 'log',
  interval: { coverage: 0.9, rows: 50, groups: [{ halfWidth: 0.082 }] },
};

/** A space whose architectures are any texts. */
const TOY = {
  name: 'toy',
  parse: (text: string) => text,
  format: (text: string) => text,
} as Partial<AnySpace> as AnySpace;

class TextPredictor implements Predictor {
  readonly model = makeModel(makeGraph({ name: 'none', nodes: [], inputs: [], outputs: [] }));
  readonly info: PredictorInfo;
  isDisposed = false;
  predicted = 0;

  constructor(labels: readonly LabelInfo[], space = 'toy', split?: TrainingSplit) {
    const own = split ? { split } : {};
    const seen = { spaces: [space], rows: 1563, seed: 7, ...own };
    this.info = { version: 2, kind: 'reads-texts', entries: [], labels, seen, recipe: {} };
  }

  async predict(networks: Networks): Promise<Predictions> {
    const { labels } = this.info;
    this.predicted += networks.count;
    const texts = Array.from({ length: networks.count }, (_, row) => networks.at(row).arch!.text);
    const values = texts.flatMap((text) => text.split('/').slice(0, labels.length).map(Number));
    return new Predictions(labels, Float64Array.from(values));
  }

  covers({ arch }: Network): AuspexError | undefined {
    const isKnown = this.info.seen.spaces.includes(arch?.space.name ?? '');
    return isKnown ? undefined : new AuspexError('OTHER_SPACE', 'is of another space');
  }

  toOnnx(): Uint8Array {
    return new Uint8Array();
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
  }
}

async function run(predictor: TextPredictor, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const command = evaluateCommand({
    load: async () => predictor,
    write: (text) => lines.push(text),
    resolver: new Resolver({ spaces: [TOY] }),
  });
  command.exitOverride();
  await command.parseAsync(['p.onnx', '--data', at('toy.csv'), '--resamples', '200', ...args], {
    from: 'user',
  });
  return lines.join('\n');
}

const json = async (predictor: TextPredictor, ...args: string[]) =>
  JSON.parse(await run(predictor, '--json', ...args));

describe('auspex evaluate', () => {
  it('compares all labels, and says it as documented', async () => {
    const predictor = new TextPredictor([ACCURACY, LATENCY]);
    const found = await json(predictor, '--seed', '3');
    expect(found).toMatchObject({
      schema: 'auspex.evaluate/1',
      predictor: { file: 'p.onnx', kind: 'reads-texts', space: 'toy', rows: 1563, seed: 7 },
      data: { file: at('toy.csv'), rows: ROWS, split: null, part: null, chosen: ROWS },
      absent: [],
      report: null,
    });
    const [accuracy, latency] = found.labels;
    expect(accuracy).toMatchObject({ label: 'accuracy', unit: '%', rows: 117, withoutTruth: 3 });
    expect(accuracy.bootstrap).toEqual({ confidence: 0.95, resamples: 200, seed: 3, drawn: 117 });
    expect(accuracy.intervals.promised).toBe(0.9);
    // The noise is normal, and the interval as wide as 90% of it: 117 draws are within 80 to 97%.
    expect(accuracy.intervals.share).toBeGreaterThan(0.8);
    expect(accuracy.intervals.share).toBeLessThan(0.97);
    expect(accuracy.intervals.meanWidth).toBeCloseTo(3.29, 10);
    const value = (name: string) => accuracy.metrics.find((m: { name: string }) => m.name === name);
    // Of normal errors, √(2/π) and 1.
    expect(value('mae').value).toBeGreaterThan(0.65);
    expect(value('mae').value).toBeLessThan(0.95);
    expect(value('tau-b').low).toBeLessThan(value('tau-b').value);
    expect(value('tau-b').problem).toBeNull();
    expect(latency).toMatchObject({ label: 'latency', better: 'lower', rows: ROWS });
    expect(predictor.isDisposed).toBe(true);
  });

  it('tells people within 80 columns', async () => {
    const text = await run(new TextPredictor([ACCURACY, LATENCY]));
    expect(text.replaceAll(folder, 'folder')).toMatchSnapshot();
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it('takes the label that is named, also another than it was trained on', async () => {
    const named = await json(new TextPredictor([ACCURACY, LATENCY]), '--label', 'latency');
    expect(named.labels.map((l: { label: string }) => l.label)).toEqual(['latency']);
    const other = new TextPredictor([{ ...ACCURACY, name: 'validation' }]);
    expect((await json(other, '--label', 'accuracy')).labels).toMatchObject([
      { label: 'accuracy', trainedOn: 'validation' },
    ]);
    expect(await run(other, '--label', 'accuracy')).toContain('trained on validation');
  });

  it('compares what the table has, and names the rest', async () => {
    const predictor = new TextPredictor([ACCURACY, { ...LATENCY, name: 'energy' }]);
    expect(await json(predictor)).toMatchObject({ labels: [{ label: 'accuracy' }], absent: ['energy'] });
    expect(await run(predictor)).toContain('not in the table: energy');
  });

  it('leaves out what it was trained on', async () => {
    const of = rows.filter(({ accuracy }) => accuracy !== '').length;
    const own = { seed: 3, train: 20, validation: 10, of };
    const predictor = new TextPredictor([ACCURACY], 'toy', own);
    const found = await json(predictor, '--unseen');
    expect(found.data).toMatchObject({ part: 'test', chosen: of - 30 });
    expect(predictor.predicted).toBe(of - 30);
  });

  it('compares rows of a split, and predicts no others', async () => {
    const predictor = new TextPredictor([ACCURACY]);
    const found = await json(predictor, '--split', at('toy.split.json'));
    expect(found.data).toMatchObject({ part: 'test', chosen: 50, split: at('toy.split.json') });
    // Row 39 has no accuracy.
    expect(found.labels[0]).toMatchObject({ rows: 49, withoutTruth: 1 });
    expect(predictor.predicted).toBe(49);
    const train = await json(predictor, '--split', at('toy.split.json'), '--part', 'train');
    expect(train.labels[0].rows).toBe(3);
    // Three rows have no ten best.
    expect(
      train.labels[0].metrics.find((m: { name: string }) => m.name === 'precision@10').problem.code,
    ).toBe('METRIC_K');
  });

  it('writes a report, and the same one again', async () => {
    const made = async (name: string): Promise<string> => {
      const text = await run(new TextPredictor([ACCURACY, LATENCY]), '--report', at(name));
      expect(text).toContain(`report written to ${at(name)}`.slice(0, 79));
      return readFileSync(at(name), 'utf8');
    };
    const html = await made('a.html');
    expect(await made('b.html')).toBe(html);
    expect(html.match(/<svg /g)?.length).toBe(6);
    expect(html).toContain('reads-texts on accuracy, latency');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('mistakes', () => {
  const one = () => new TextPredictor([ACCURACY]);
  const two = () => new TextPredictor([ACCURACY, LATENCY]);
  it.each<[code: string, what: string, predictor: () => TextPredictor, args: () => string[]]>([
    ['EVALUATE_SPACE', 'another space', () => new TextPredictor([ACCURACY], 'nasbench201'), () => []],
    ['TABLE_NO_LABEL', 'a label that the table lacks', one, () => ['--label', 'beauty']],
    [
      'TABLE_NO_LABEL',
      'nothing in common',
      () => new TextPredictor([{ ...ACCURACY, name: 'energy' }]),
      () => [],
    ],
    [
      'EVALUATE_LABEL',
      'one of several that it does not predict',
      () => new TextPredictor([LATENCY, { ...LATENCY, name: 'energy' }]),
      () => ['--label', 'accuracy'],
    ],
    ['BAD_OPTION', 'a part of nothing', one, () => ['--part', 'train']],
    ['FILE_UNREADABLE', 'no split', one, () => ['--split', at('nowhere.json')]],
    ['SPLIT_UNKNOWN', 'a predictor that does not tell its rows', one, () => ['--unseen']],
    ['SPLIT_FILE', 'a split that is none', one, () => ['--split', splitFile('no.json', { rows: 1 })]],
    ['SPLIT_FILE', 'a split that is no JSON', one, () => ['--split', at('toy.csv')]],
    [
      'SPLIT_FILE',
      'rows that are no rows',
      one,
      () => ['--split', splitFile('odd.json', { ...RECORD, rows: { ...NONE, test: [0, 1.5] } })],
    ],
    [
      'SPLIT_FILE',
      'a split of another table',
      one,
      () => ['--split', splitFile('far.json', { ...RECORD, rows: { ...NONE, test: [0, ROWS] } })],
    ],
    [
      'EVALUATE_TOO_FEW',
      'one row',
      two,
      () => ['--split', splitFile('one.json', { ...RECORD, rows: { ...NONE, test: [4] } })],
    ],
    ['FILE_UNWRITABLE', 'a report in no folder', one, () => ['--report', at('no/where.html')]],
  ])('%s: %s', async (code, _, predictor, args) => {
    await expect(run(predictor(), ...args())).rejects.toMatchObject({ name: 'AuspexError', code });
  });

  it('write no report when they are interrupted', async () => {
    class Interrupted extends TextPredictor {
      override predict(networks: Networks): Promise<Predictions> {
        process.emit('SIGINT');
        return super.predict(networks);
      }
    }
    const predictor = new Interrupted([ACCURACY]);
    await expect(run(predictor, '--report', at('stopped.html'))).rejects.toMatchObject({ code: 'STOPPED' });
    expect([predictor.isDisposed, readdirSync(folder).includes('stopped.html')]).toEqual([true, false]);
  });

  it('end the predictor, too', async () => {
    const predictor = new TextPredictor([ACCURACY]);
    await expect(run(predictor, '--label', 'beauty')).rejects.toThrow();
    expect(predictor.isDisposed).toBe(true);
  });
});
