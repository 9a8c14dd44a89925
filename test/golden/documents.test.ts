// The structure of every JSON document that commands print and of every file of JSON they write: keys and types, not
// values. Fields may be added; none may go or change its type without a new version in `schema`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ZodType } from 'zod';
import { convertDocument } from '../../src/app/documents/convert.js';
import { correlateDocument } from '../../src/app/documents/correlate.js';
import { DATA_DOCUMENTS } from '../../src/app/documents/data.js';
import { evaluateDocument } from '../../src/app/documents/evaluate.js';
import { inspectDocument } from '../../src/app/documents/inspect.js';
import { predictDocument, predictListDocument } from '../../src/app/documents/predict.js';
import { reproduceDocument, reproduceListDocument } from '../../src/app/documents/reproduce.js';
import { scoreDocument } from '../../src/app/documents/score.js';
import { searchDocument } from '../../src/app/documents/search.js';
import {
  spaceDescribeDocument,
  spaceExportDocument,
  spaceListDocument,
  spaceSampleDocument,
} from '../../src/app/documents/space.js';
import { pretrainDocument, trainDocument } from '../../src/app/documents/train.js';
import {
  documentsOf,
  findFile,
  forAll,
  isUpdate,
  readFixture,
  run,
  scratch,
  writeFixture,
} from './harness.js';

const FIXTURE = 'documents.json';
const { folder, remove } = scratch('documents');
afterAll(remove);

const { architectures } = readFixture<{ architectures: Record<string, string[]> }>('prediction-inputs.json');
const ARCHS = architectures.nasbench201!;
const NET = findFile('resnet8.onnx');

/** A type, or the paths of all values below a document with the types they have. */
type Structure = Record<string, string>;

/** Objects by their keys, lists by all of their elements together; maps with names of their own by all values. */
function structureOf(
  value: unknown,
  at = '',
  into: Record<string, Set<string>> = {},
): Record<string, Set<string>> {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  into[at] = (into[at] ?? new Set()).add(at === '.schema' ? String(value) : kind);
  if (Array.isArray(value)) for (const item of value) structureOf(item, `${at}[]`, into);
  else if (kind === 'object') {
    for (const [key, below] of Object.entries(value as object)) structureOf(below, `${at}.${key}`, into);
  }
  return into;
}

function structure(documents: unknown[]): Structure {
  const found: Record<string, Set<string>> = {};
  for (const document of documents) structureOf(document, '', found);
  return Object.fromEntries(
    Object.keys(found)
      .sort()
      .map((at) => [at, [...found[at]!].sort().join(' | ')]),
  );
}

/** The schemas of documents, by what they say of themselves. */
const SCHEMAS: Readonly<Record<string, ZodType>> = {
  inspect: inspectDocument,
  convert: convertDocument,
  'space.list': spaceListDocument,
  'space.sample': spaceSampleDocument,
  'space.describe': spaceDescribeDocument,
  'space.export': spaceExportDocument,
  ...Object.fromEntries(Object.entries(DATA_DOCUMENTS).map(([name, schema]) => [`data.${name}`, schema])),
  predict: predictDocument,
  'predict.list': predictListDocument,
  train: trainDocument,
  pretrain: pretrainDocument,
  evaluate: evaluateDocument,
  proxy: scoreDocument,
  'proxy.correlate': correlateDocument,
  search: searchDocument,
  'reproduce.list': reproduceListDocument,
  reproduce: reproduceDocument,
};

const SMALL = '--members 1 --batch 8 --threads 1'.split(' ');
const LABELS = '--space nasbench201 --label acc:%:higher --label ms:ms:lower --provenance made'.split(' ');
/** Exit codes other than 0 are behind. */
const CALLS: readonly [name: string, args: string[], exit?: number][] = [
  ['inspect', ['inspect', NET, '--tree']],
  ['inspect with symbols', ['inspect', NET, '--shape', 'image=batch,3,32,32']],
  ['error', ['inspect', 'nowhere.onnx'], 2],
  ['convert', ['convert', NET, '-o', 'converted.onnx', '--opset', '13']],
  ['convert --dry-run', ['convert', NET, '--opset', '18', '--dry-run']],
  ['space list', ['space', 'list']],
  ['space list of one', ['space', 'list', 'nasbench201']],
  ['space sample', ['space', 'sample', 'nasbench201', '-n', '2']],
  ['space describe', ['space', 'describe', 'nasbench201', ARCHS[0]!]],
  ['space describe of lines', ['space', 'describe', 'nasbench201', '--input', 'archs.txt'], 2],
  ['space export', ['space', 'export', 'nasbench201', ARCHS[0]!, '-o', 'net.onnx']],
  ['data import', ['data', 'import', 'plain.csv', ...LABELS, '-o', 'table.csv.gz']],
  ['data list', ['data', 'list', 'tables']],
  ['data show', ['data', 'show', 'table.csv.gz']],
  ['data split', ['data', 'split', 'table.csv.gz', '--train', '6', '--validation', '4', '-o', 'run']],
  ['data export', ['data', 'export', 'table.csv.gz', '-o', 'table.jsonl']],
  ['predict', ['predict', ARCHS[0]!]],
  ['predict of lines', ['predict', '--input', 'good.txt', '--cost', '--label', 'cifar10_test']],
  [
    'train a forest',
    ['train', 'forest', '--data', 'table.csv.gz', '--label', 'acc', '--validation', '10', '-o', 'f.onnx'],
  ],
  [
    'train a network',
    [
      ...'train gcn --data table.csv.gz --label acc,ms --validation 10 --scratch --steps 3 -o g.onnx'.split(
        ' ',
      ),
      ...SMALL,
      ...['--model', '{"width":8}', '--curves', 'curves.json'],
    ],
  ],
  ['pretrain', ['pretrain', ...'gcn --space nasbench201 --rows 12 --steps 1 -o t.onnx'.split(' '), ...SMALL]],
  ['evaluate', ['evaluate', 'f.onnx', '--data', 'table.csv.gz', '--resamples', '40']],
  [
    'evaluate unseen',
    ['evaluate', 'f.onnx', '--data', 'table.csv.gz', '--split', 'run.split.json', '--resamples', '40'],
  ],
  ['proxy', ['proxy', NET, 'nowhere.onnx', '--proxies', 'snip,sept,params+l2_norm', '-o', 'scores.jsonl']],
  ['proxy with an explanation', ['proxy', NET, '--explain']],
  ['proxy correlate', 'proxy correlate --data table.csv.gz --label acc --proxies params'.split(' ')],
  ['search', 'search nasbench201 --evaluator table:table.csv.gz --label acc --budget 5 -o search'.split(' ')],
  [
    'search of two',
    'search nasbench201 --evaluator table:table.csv.gz --label acc,ms --strategy nsga2 --option population=4 --budget 8'.split(
      ' ',
    ),
  ],
  ['reproduce', ['reproduce']],
  ['reproduce a table', ['reproduce', 'nb201-accuracy']],
];
/** Commands use what those of an earlier stage wrote. */
const stageOf = (args: readonly string[]): number =>
  args[0] === 'evaluate'
    ? 2
    : args.some((arg) => arg.includes('table.csv.gz')) && args[1] !== 'import'
      ? 1
      : 0;
const WRITTEN = ['run.split.json', 'curves.json', 'scores.jsonl', join('search', 'trials.jsonl')];

const found: Record<string, Structure> = {};
const documents: Record<string, unknown[]> = {};

beforeAll(async () => {
  const rows = ARCHS.map((arch, i) => `${arch},${90 - i * 0.7},${5 + ((i * i) % 7)}`);
  writeFileSync(join(folder, 'plain.csv'), `arch,acc,ms\n${rows.join('\n')}\n`);
  mkdirSync(join(folder, 'tables'));
  const head = {
    table: 1,
    space: 'toy',
    labels: { ms: { unit: 'ms', higherIsBetter: false, provenance: 'made' } },
  };
  writeFileSync(join(folder, 'tables/a.csv'), `# auspex ${JSON.stringify(head)}\narch,ms\nx,1\n`);
  writeFileSync(join(folder, 'tables/b.csv'), 'a,b\n1,2\n');
  writeFileSync(join(folder, 'archs.txt'), `${ARCHS[0]}\nnonsense\n`);
  writeFileSync(join(folder, 'good.txt'), `${ARCHS.slice(0, 3).join('\n')}\n`);
  for (const stage of [0, 1, 2]) {
    const calls = CALLS.filter(([, args]) => stageOf(args) === stage);
    await forAll(calls, async ([name, args, exit = 0]) => {
      const { status, stdout, stderr } = await run(folder, [...args, '--json']);
      expect(status, `${name}: ${stderr}`).toBe(exit);
      documents[name] = documentsOf(stdout);
      found[name] = structure(documents[name]);
    });
  }
  for (const name of WRITTEN) {
    expect(existsSync(join(folder, name)), name).toBe(true);
    found[name] = structure(documentsOf(readFileSync(join(folder, name), 'utf8')));
  }
  const names = [...CALLS.map(([name]) => name), ...WRITTEN];
  if (isUpdate) writeFixture(FIXTURE, Object.fromEntries(names.map((name) => [name, found[name]])));
}, 240_000);

describe('documents', () => {
  const frozen = isUpdate ? {} : readFixture<Record<string, Structure>>(FIXTURE);

  it.each([...CALLS.map(([name]) => name), ...WRITTEN])('%s', (name) => {
    const then = isUpdate ? found[name]! : frozen[name]!;
    expect(Object.keys(found[name]!)).toEqual(expect.arrayContaining(Object.keys(then)));
    const now = Object.fromEntries(Object.keys(then).map((at) => [at, found[name]![at]]));
    expect(now).toEqual(then);
    const isDocument = !WRITTEN.includes(name) && name !== 'error';
    if (isDocument) expect(found[name]!['.schema']).toMatch(/^auspex\.[a-z.]+\/\d+$/);
  });

  it.each(CALLS.map(([name]) => name).filter((name) => name !== 'error'))(
    '%s: as its schema says',
    (name) => {
      for (const document of documents[name]!) {
        const { schema } = document as { schema: string };
        // Nothing that the schema does not know: parsing leaves it out.
        expect(SCHEMAS[/^auspex\.(.+)\/\d+$/.exec(schema)![1]!]!.parse(document), schema).toEqual(document);
      }
    },
  );
});
