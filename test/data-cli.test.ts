// `auspex data` as built, run as a user would. Every table is made up.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const FIXTURES = join(ROOT, 'src/datasets/fixtures');

const folder = mkdtempSync(join(tmpdir(), 'auspex-data-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, 'data', ...args], { cwd: folder, encoding: 'utf8' });
}

function json(...args: string[]) {
  const { status, stdout, stderr } = run(...args, '--json');
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content);
  return at(name);
}

function expectNarrow(text: string): void {
  for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
}

/** Cells of NAS-Bench-101's form: 40 of three vertices, 60 of four. */
const CELLS = Array.from({ length: 100 }, (_, i) =>
  i < 40
    ? `${i},3,111,maxpool3x3,${1000 + i},0.${500 + i}`
    : `${i},4,111011,maxpool3x3 conv1x1-bn-relu,${1000 + i},`,
);
file('cells.csv', `hash,vertices,adjacency,ops,params,test_accuracy\n${CELLS.join('\n')}\n`);
file('mine.csv', 'net,acc,ms\n"a,b",91.5,3\nc,,4.25\n');

describe('auspex data import', () => {
  it('reads official files and writes tables that say what they are', () => {
    const out = at('nats.csv.gz');
    expect(json('import', join(FIXTURES, 'nats-tss.pickle.pbz2'), '-o', out)).toMatchObject({
      schema: 'auspex.data.import/1',
      space: 'nasbench201',
      rows: 2,
      output: out,
    });
    const [head] = gunzipSync(readFileSync(out)).toString().split('\n');
    expect(JSON.parse(head!.replace('# auspex ', ''))).toMatchObject({
      table: 2,
      space: 'nasbench201',
      labels: { cifar10_test: { unit: '%', better: 'higher' } },
    });
    expect(json('show', out)).toMatchObject({ space: 'nasbench201', rows: 2 });
  });

  it('reads folders of NATS-Bench', () => {
    const { status, stdout } = run('import', join(FIXTURES, 'nats-sss'), '-o', at('size.jsonl'));
    expect(stdout).toMatch(/^nats-size: 2 rows, 16 labels, written to .*size\.jsonl\n$/);
    expect(status).toBe(0);
    expect(readFileSync(at('size.jsonl'), 'utf8').split('\n')[0]).toMatch(
      /^\{"auspex":\{"table":2,"space":"nats-size"/,
    );
  });

  it('reads plain files as it is told', () => {
    const args = ['--space', 'toy', '--arch', 'net', '--label', 'acc:%:higher', '--label', 'ms:ms:lower'];
    run('import', 'mine.csv', ...args, '--provenance', 'made up', '-o', at('mine.jsonl.gz'));
    expect(gunzipSync(readFileSync(at('mine.jsonl.gz'))).toString()).toBe(
      '{"auspex":{"table":2,"space":"toy","labels":{"acc":{"unit":"%","better":"higher","provenance":"made up"},' +
        '"ms":{"unit":"ms","better":"lower","provenance":"made up"}}}}\n' +
        '{"arch":"a,b","acc":91.5,"ms":3}\n{"arch":"c","ms":4.25}\n',
    );
  });
});

describe('auspex data show and list', () => {
  it('show a table within 80 columns', () => {
    const { status, stdout, stderr } = run('show', 'cells.csv');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatchSnapshot();
    expectNarrow(stdout);
  });

  it('show statistics as JSON', () => {
    const shown = json('show', 'cells.csv', '--rows', '1');
    expect(shown.labels).toEqual([
      expect.objectContaining({
        name: 'params',
        count: 100,
        missing: 0,
        min: 1000,
        median: 1049.5,
        max: 1099,
      }),
      expect.objectContaining({
        name: 'test_accuracy',
        unit: 'fraction',
        count: 40,
        missing: 60,
        min: 0.5,
        max: 0.539,
      }),
    ]);
    expect(shown.first).toEqual([{ arch: '3:111:maxpool3x3', values: { params: 1000, test_accuracy: 0.5 } }]);
  });

  it('list the tables of a folder, and count the rest', () => {
    const inner = at('listed');
    mkdirSync(inner);
    writeFileSync(join(inner, 'cells.csv'), readFileSync(at('cells.csv')));
    writeFileSync(join(inner, 'what.csv'), 'a,b\n1,2\n');
    writeFileSync(join(inner, 'notes.txt'), 'not looked at');
    const { stdout, status } = run('list', inner);
    expect(status).toBe(0);
    expect(stdout).toMatchSnapshot();
    expectNarrow(stdout);
    expect(json('list', inner)).toMatchObject({
      tables: [{ file: 'cells.csv', space: 'nasbench101', rows: 100, labels: ['params', 'test_accuracy'] }],
      others: [{ file: 'what.csv', code: 'TABLE_UNKNOWN' }],
    });
    expect(run('list', FIXTURES).stdout).toContain('nasbench101.tfrecord');
  });
});

describe('auspex data split', () => {
  const rowsOf = (path: string): string[] =>
    gunzipSync(readFileSync(path)).toString().trimEnd().split('\n').slice(2);

  it('writes three tables and the split', () => {
    const made = json(
      'split',
      'cells.csv',
      '--train',
      '20',
      '--validation',
      '10',
      '--seed',
      '3',
      '-o',
      at('r'),
    );
    expect(made).toMatchObject({
      schema: 'auspex.data.split/1',
      by: 'random',
      seed: 3,
      counts: { train: 20, validation: 10, test: 70 },
    });
    const all = ['train', 'validation', 'test'].flatMap((part) => rowsOf(made.files[part]));
    // Parameters tell rows apart.
    expect(new Set(all.map((row) => row.match(/,(1\d{3}),/)![1])).size).toBe(100);
    const record = JSON.parse(readFileSync(at('r.split.json'), 'utf8'));
    expect(record.rows.train.length).toBe(20);
    expect(rowsOf(made.files.train)[0]).toContain(`,${1000 + record.rows.train[0]},`);
    // The same again, byte for byte.
    const before = readFileSync(made.files.train);
    json('split', 'cells.csv', '--train', '20', '--validation', '10', '--seed', '3', '-o', at('r'));
    expect(readFileSync(made.files.train).equals(before)).toBe(true);
  });

  it('splits in every way', () => {
    const counts = (...args: string[]) => json('split', 'cells.csv', ...args, '-o', at('w')).counts;
    expect(counts('--by', 'first', '--train', '5', '--test-on-all')).toEqual({
      train: 5,
      validation: 0,
      test: 100,
    });
    expect(counts('--by', 'size', '--train', '10')).toEqual({ train: 10, validation: 0, test: 90 });
    const train = JSON.parse(readFileSync(at('w.split.json'), 'utf8')).rows.train as number[];
    expect(train.filter((row) => row < 40).length).toBe(4);
    expect(counts('--by', 'family', '--family', '^(\\d+):', '--leave', '3')).toEqual({
      train: 60,
      validation: 0,
      test: 40,
    });
    expect(counts('--by', 'fold', '--folds', '4', '--fold', '2', '--validation', '5')).toEqual({
      train: 70,
      validation: 5,
      test: 25,
    });
    expect(counts('--present', 'test_accuracy', '--train', '30')).toEqual({
      train: 30,
      validation: 0,
      test: 10,
    });
  });

  it('tells people what it wrote', () => {
    const { stdout } = run('split', 'cells.csv', '--train', '20', '-o', 'told');
    expect(stdout).toBe(
      'nasbench101 by random, seed 0\n' +
        '  train             20 rows  told.train.csv.gz\n' +
        '  validation         0 rows\n' +
        '  test              80 rows  told.test.csv.gz\n',
    );
    expect(existsSync(at('told.validation.csv.gz'))).toBe(false);
  });
});

describe('auspex data export', () => {
  it('writes chosen labels in the format asked for', () => {
    const out = at('cells.out');
    const made = json(
      'export',
      'cells.csv',
      '-o',
      out,
      '--format',
      'jsonl',
      '--labels',
      'test_accuracy',
      '--present',
    );
    expect(made).toMatchObject({ format: 'jsonl', rows: 40 });
    expect(readFileSync(out, 'utf8').split('\n')[1]).toBe('{"arch":"3:111:maxpool3x3","test_accuracy":0.5}');
    run('export', 'cells.csv', '-o', at('cells.jsonl.gz'));
    run('export', 'cells.jsonl.gz', '-o', at('again.csv'));
    run('export', 'cells.csv', '-o', at('direct.csv'));
    expect(readFileSync(at('again.csv'), 'utf8')).toBe(readFileSync(at('direct.csv'), 'utf8'));
  });

  it('leaves nothing behind when it cannot write', () => {
    const { status, stderr } = run('export', 'cells.csv', '-o', join('nowhere', 'out.csv'));
    expect(status).toBe(1);
    expect(stderr).toContain('FILE_UNWRITABLE');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('mistakes of a user', () => {
  const MISTAKES: readonly [what: string, code: string, args: () => string[]][] = [
    ['a missing file', 'FILE_UNREADABLE', () => ['show', 'nowhere.csv']],
    ['a missing folder', 'FILE_UNREADABLE', () => ['list', 'nowhere']],
    ['a folder that is no NATS-Bench', 'TABLE_UNKNOWN', () => ['show', FIXTURES]],
    ['an empty file', 'TABLE_EMPTY', () => ['show', file('empty.csv', '')]],
    ['an unknown table', 'TABLE_UNKNOWN', () => ['show', 'mine.csv']],
    [
      'a broken row',
      'CSV_FIELDS',
      () => ['show', file('broken.csv', 'channels,cifar10,cifar100,imagenet16_120\n8:8,1\n')],
    ],
    [
      'a cut-off file',
      'BZIP2_TRUNCATED',
      () => [
        'show',
        file('cut.pbz2', readFileSync(join(FIXTURES, 'nats-tss.pickle.pbz2')).subarray(0, 5000)),
      ],
    ],
    ['a name without a format', 'TABLE_FORMAT', () => ['import', 'cells.csv', '-o', 'out.xlsx']],
    ['an option that needs another', 'BAD_OPTION', () => ['show', 'mine.csv', '--arch', 'net']],
    [
      'a label that is not there',
      'TABLE_NO_LABEL',
      () => ['export', 'cells.csv', '-o', 'out.csv', '--labels', 'x'],
    ],
    ['a split without a size', 'BAD_OPTION', () => ['split', 'cells.csv', '-o', 'x']],
    ['a split that is too large', 'SPLIT_SIZE', () => ['split', 'cells.csv', '--train', '101', '-o', 'x']],
    [
      'a family that is not there',
      'SPLIT_FAMILY',
      () => ['split', 'cells.csv', '--by', 'family', '--family', '^(\\d)', '--leave', '9', '-o', 'x'],
    ],
    [
      'a pattern that is none',
      'BAD_OPTION',
      () => ['split', 'cells.csv', '--by', 'family', '--family', '(', '--leave', '9', '-o', 'x'],
    ],
    [
      'a fold that is not there',
      'BAD_OPTION',
      () => ['split', 'cells.csv', '--by', 'fold', '--folds', '3', '--fold', '4', '-o', 'x'],
    ],
  ];
  it.each(MISTAKES)('%s: %s, exit code 2, no stack trace', (_, code, args) => {
    const given = args();
    const { status, stderr, stdout } = run(...given);
    expect(stderr).toContain(`${code}: `);
    expect(stderr).not.toMatch(/\n\s+at .*\.js/);
    expect(stdout).toBe('');
    expect(status).toBe(2);
    expect(JSON.parse(run(...given, '--json').stdout).error.code).toBe(code);
  });

  it('names the file, the line and the column', () => {
    const path = file(
      'wrong.csv',
      'channels,cifar10,cifar100,imagenet16_120\n8:8:8:8:8,1,2,3\n8:8:8:8:8,1,many,3\n',
    );
    expect(run('show', path).stderr).toBe(
      `CSV_NUMBER: 'many' is not a number\n  at: ${path}, line 3, column 13\n`,
    );
  });

  it.each([
    [['show']],
    [['import', 'cells.csv']],
    [['split', 'cells.csv', '--by', 'beauty', '-o', 'x']],
    [['import', 'mine.csv', '--label', 'a:b:c', '-o', 'x.csv']],
    [['shoe', 'cells.csv']],
  ])('wrong usage %j exits with 2 and points to --help', (args) => {
    const { status, stderr } = run(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/--help|Did you mean/);
  });

  it.each(['import', 'list', 'show', 'split', 'export'])('%s helps with an example', (command) => {
    const { status, stdout } = run(command, '--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/Examples?:\n {2}auspex data /);
    expectNarrow(stdout);
  });
});
