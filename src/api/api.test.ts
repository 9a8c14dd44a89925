// The library's functions: what they take, what they refuse, and that they give what the layers below give.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as auspex from '../index.js';
import { memoryLog } from '../search/log.js';
import { here, PAGE, useEnvironment } from './environment.js';

const ROOT = resolve(import.meta.dirname, '../..');
const RESNET = join(ROOT, 'examples/resnet8.onnx');
const CELL = '|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|skip_connect~2|';
const folder = mkdtempSync(join(tmpdir(), 'auspex-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As JavaScript calls it, without types. */
const untyped = auspex as unknown as Record<string, (...args: unknown[]) => unknown>;
const codeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    const result = await work();
    const isIterator = typeof (result as AsyncGenerator)?.next === 'function';
    return isIterator ? await (result as AsyncGenerator).next() : 'nothing was thrown';
  } catch (error) {
    return error instanceof auspex.AuspexError ? error.code : error;
  }
};

const widths = (): auspex.Table =>
  new auspex.Table({
    space: 'nats-size',
    labels: [{ name: 'ms', unit: 'ms', better: 'lower', provenance: 'made up' }],
    architectures: auspex.sample('nats-size', { count: 60, seed: 3 }),
    columns: { ms: Array.from({ length: 60 }, (_, i) => 1 + i) },
  });

describe('what is wrong is an AuspexError', () => {
  it.each([
    ['network', [5]],
    ['network', [null]],
    ['network', [RESNET, { batch: -1 }]],
    ['networks', [[{}]]],
    ['predict', [CELL, { label: ['cifar10_test'] }]],
    ['predict', [CELL, { labels: 'cifar10_test' }]],
    ['predict', [CELL, { labels: ['nothing'] }]],
    ['predict', [CELL, 'cifar10_test']],
    ['predict', [CELL, { predictors: [{}] }]],
    ['predict', ['no such cell']],
    ['loadPredictor', [RESNET]],
    ['train', ['nothing', widths()]],
    ['train', ['forest', 'table.csv']],
    ['train', ['forest', widths(), { steps: 3 }]],
    ['train', ['forest', widths(), { labels: [] }]],
    ['train', ['nn-former', widths()]],
    [
      'train',
      ['forest', widths(), { split: { train: new Uint32Array(), validation: new Uint32Array() }, train: 3 }],
    ],
    ['pretrain', ['forest', 'nasbench201']],
    ['pretrain', ['nn-former', 'nowhere']],
    ['evaluate', [{}, widths()]],
    ['metric', ['nothing']],
    ['metric', [3]],
    ['score', [RESNET, 'snip']],
    ['score', [RESNET, ['snipp']]],
    ['score', [RESNET, ['snip'], { batchs: 3 }]],
    ['explain', [RESNET, { init: 'nothing' }]],
    ['correlate', [widths(), 'nothing', ['params']]],
    ['correlate', [widths(), 'ms', ['params'], { sample: -1 }]],
    ['search', [{}]],
    ['search', [{ evaluator: auspex.fromProxy('params'), budget: 3 }]],
    ['search', [{ evaluator: auspex.fromProxy('params'), space: 'nowhere', budget: 3 }]],
    ['search', [{ evaluator: auspex.fromProxy('params'), space: 'nats-size', budget: 3, resume: true }]],
    ['search', [{ evaluator: auspex.fromProxy('params'), space: 'nats-size', budget: 3, max: { size: 3 } }]],
    ['fromTable', [{}]],
    ['fromTable', [widths(), []]],
    ['fromPredictor', [{}]],
    ['fromProxy', ['nothing']],
    ['fromCommand', ['true', { objectives: [] }]],
    ['space', ['nowhere']],
    ['sample', ['nats-size', { count: 0 }]],
    ['readTable', [join(folder, 'nowhere.csv')]],
    ['split', [widths(), { train: 100 }]],
    ['split', [widths(), { by: 'chance' }]],
    ['writeTable', [3]],
  ])('%s, %#', async (name, args) => {
    expect(await codeOf(() => untyped[name]!(...args))).toMatch(/^[A-Z][A-Z_0-9]+$/);
  });

  it('names the option and what there is', () => {
    expect(() => untyped.sample!('nats-size', { counts: 3 })).toThrow(/no option 'counts'/);
    const options = { dims: { n: 1.5 } };
    expect(() => auspex.network(RESNET, options)).toThrow(/option 'dims\.n' of network/);
  });
});

describe('networks', () => {
  it('are the same from a path, bytes, a model and a network', () => {
    const model = auspex.readModel(RESNET);
    const hash = auspex.structureHash(RESNET);
    expect(auspex.structureHash(model)).toBe(hash);
    expect(auspex.structureHash(auspex.network(model))).toBe(hash);
    const path = join(folder, 'nets', 'copy.onnx');
    mkdirSync(join(folder, 'nets'));
    auspex.writeModel(model, path);
    const [only, ...others] = [...auspex.networks(join(folder, 'nets')).chunks(5)].flat();
    expect([only!.file, only!.hash(), others]).toEqual([path, hash, []]);
    expect(auspex.networks(join(folder, 'nets', '*.onnx')).count).toBe(1);
  });

  it('have the sizes that are asked for', () => {
    const [one, eight] = [1, 8].map((batch) => auspex.cost('nats-size:8:8:8:8:8', { batch }).totals.macs);
    expect(eight).toBe(8 * (one as number));
    const list = auspex.networks(widths(), { batch: 2 });
    expect(auspex.networks(list, { batch: 4 }).at(0).sizes.batch).toBe(4);
  });

  it('that are wrong are told, and do not take others with them', async () => {
    const told: unknown[] = [];
    const onError = (ref: string, { code }: auspex.AuspexError): void => void told.push([ref, code]);
    const found = await auspex.predict([CELL, 'missing.onnx'], { cost: false, onError });
    expect([found.length, told]).toEqual([1, [['missing.onnx', 'FILE_UNREADABLE']]]);
    const scored = await auspex.score(['missing.onnx', RESNET], ['params'], { onError });
    expect(scored.map(({ scores }) => scores)).toEqual([{ params: 77946 }]);
    expect(told.length).toBe(2);
  });
});

describe('what the functions give', () => {
  it('predict: the values of the predictor', async () => {
    const [bundled] = auspex.bundledPredictors().filter(({ name }) => name === 'nasbench201-accuracy');
    const predictor = await bundled!.load();
    const cells = auspex.networks([CELL, CELL.replace('none', 'skip_connect')]);
    const found = await auspex.predict(cells, { predictors: [predictor], labels: ['cifar10_test'] });
    const columns = await predictor.predict!(cells);
    expect(found.map(({ labels }) => Object.keys(labels))).toEqual([['cifar10_test'], ['cifar10_test']]);
    expect(found.map(({ labels }) => labels.cifar10_test!.value)).toEqual([
      ...columns.column('cifar10_test').values,
    ]);
    await predictor.dispose();
  });

  it('train: only rows of the split, and unseen rows are the others', async () => {
    const table = widths();
    const sets = await auspex.split(table, { train: 30, validation: 10, seed: 2 });
    const { predictor } = await auspex.train('linear', table, { split: sets, threads: 1 });
    expect(predictor.info.seen.rows).toBe(30);
    const [unseen] = await auspex.evaluate(predictor, table, { unseen: true, resamples: 40 });
    const [test] = await auspex.evaluate(predictor, table, { rows: sets.test, resamples: 40 });
    expect(unseen!.evaluation.rows).toBe(20);
    expect(unseen!.evaluation.metrics[0]!.estimate).toBe(test!.evaluation.metrics[0]!.estimate);
    await predictor.dispose();
  });

  it('search: the same trials from a log, and limits are kept', async () => {
    const table = widths();
    const evaluator = auspex.fromTable(table, ['ms']);
    const options = { evaluator, budget: 10, seed: 4, strategy: 'random', max: { parameters: 3e5 } };
    const run = async (more: Partial<auspex.SearchOptions>): Promise<auspex.Trial[]> => {
      const trials: auspex.Trial[] = [];
      for await (const trial of auspex.search({ ...options, ...more })) trials.push(trial);
      return trials;
    };
    const log = join(folder, 'search.jsonl');
    const first = await run({ log, budget: 4 });
    const all = await run({ log, resume: true });
    expect(all.slice(0, 4).map(({ arch }) => arch)).toEqual(first.map(({ arch }) => arch));
    expect((await run({ log: memoryLog() })).map(({ arch }) => arch)).toEqual(all.map(({ arch }) => arch));
    for (const { arch } of all) {
      expect(auspex.network(`nats-size:${arch}`).counts().parameters).toBeLessThanOrEqual(3e5);
    }
  });

  it('search: a strategy that is guided by a proxy evaluates its favourites', async () => {
    const options = { pool: 8, candidates: 2, top: 1, rounds: 1 };
    const trials: auspex.Trial[] = [];
    const guided = {
      space: 'nats-size',
      evaluator: auspex.fromProxy('params'),
      strategy: 'etas',
      guide: 'params',
    };
    for await (const trial of auspex.search({ ...guided, options, budget: 1, seed: 5 })) trials.push(trial);
    const plain = { space: 'nats-size', evaluator: auspex.fromProxy('params'), strategy: 'random' };
    for await (const trial of auspex.search({ ...plain, budget: 3, seed: 5 })) trials.push(trial);
    expect(trials[0]!.value).toBeGreaterThanOrEqual(Math.max(...trials.slice(1).map(({ value }) => value!)));
  });

  it('score: combinations rank the networks that are given', async () => {
    const pool = ['nats-size:8:8:8:8:8', 'nats-size:16:16:16:16:16', 'nats-size:24:24:24:24:24'];
    const found = await auspex.score(pool, ['params+macs', 'params']);
    expect(found.map(({ scores }) => scores['params+macs'])).toEqual([1, 2, 3]);
  });
});

describe('without files', () => {
  const node = here();
  afterAll(() => useEnvironment(node));

  it('does the same in memory, and says that there are no files', async () => {
    useEnvironment(PAGE);
    const [scored] = await auspex.score('nats-size:8:8:8:8:8', ['params', 'synflow'], { batch: 1 });
    const [predicted] = await auspex.predict(CELL);
    const sets = await auspex.split(widths(), { train: 10 });
    expect(await codeOf(() => auspex.predict(RESNET))).toBe('NETWORKS_UNREADABLE');
    expect(await codeOf(() => auspex.readTable('t.csv'))).toBe('NETWORKS_UNREADABLE');
    expect(await codeOf(() => auspex.explain('nats-size:8:8:8:8:8', { images: 'folder' }))).toBe(
      'NETWORKS_UNREADABLE',
    );
    useEnvironment(node);
    expect((await auspex.score('nats-size:8:8:8:8:8', ['params', 'synflow'], { batch: 1 }))[0]).toEqual(
      scored,
    );
    expect(predicted).toMatchObject({ labels: {}, family: { name: 'NAS-Bench-201' } });
    expect([...(await auspex.split(widths(), { train: 10 })).train]).toEqual([...sets.train]);
  });
});
