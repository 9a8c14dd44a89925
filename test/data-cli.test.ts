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
import { z } from 'zod';
import { DATA_DOCUMENTS } from '../src/app/documents/data.js';
import { splitRecord } from '../src/datasets/splits/split-record.js';
import { nasBench101 } from '../src/spaces/cells/nasbench101.js';
import { Random } from '../src/util/random.js';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const FIXTURES = join(ROOT, 'src/datasets/fixtures');

const folder = mkdtempSync(join(tmpdir(), 'auspex-data-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, 'data', ...args], { cwd: folder, encoding: 'utf8' });
}

/** The document of a command, as its schema has it. */
function json(...args: string[]) {
  const { status, stdout, stderr } = run(...args, '--json');
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const document = JSON.parse(stdout);
  const schema = z.object(DATA_DOCUMENTS[args[0] as keyof typeof DATA_DOCUMENTS].shape).strict();
  expect(schema.parse(document)).toEqual(document);
  return document;
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content);
  return at(name);
}

function expectNarrow(text: string): void {
  for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
}

/** Different cells of NAS-Bench-101: 40 of four vertices, 60 of five. */
function differentCells(vertices: number, count: number): string[] {
  const random = Random.seeded(1);
  const found = new Set<string>();
  while (found.size < count) {
    const text = nasBench101.format(nasBench101.sample(random));
    if (text.startsWith(`${vertices}:`)) found.add(text);
  }
  return [...found];
}
const TEXTS = [...differentCells(4, 40), ...differentCells(5, 60)];
const CELLS = TEXTS.map((text, i) => {
  const [vertices, adjacency, ops] = text.split(':');
  return `${i},${vertices},${adjacency},${ops!.replaceAll(',', ' ')},${1000 + i},${i < 40 ? `0.${500 + i}` : ''}`;
});
file('cells.csv', `hash,vertices,adjacency,ops,params,test_accuracy\n${CELLS.join('\n')}\n`);
const A = '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|';
const B = '|nor_conv_1x1~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|';
/** Another text for the function of A. */
const SAME_AS_A = '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|none~1|nor_conv_3x3~2|';
file('mine.csv', `net,acc,ms\n${A},91.5,3\n${B},,4.25\n`);

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
    const args = [
      '--space',
      'nasbench201',
      '--arch',
      'net',
      '--label',
      'acc:%:higher',
      '--label',
      'ms:ms:lower',
    ];
    run('import', 'mine.csv', ...args, '--provenance', 'made up', '-o', at('mine.jsonl.gz'));
    expect(gunzipSync(readFileSync(at('mine.jsonl.gz'))).toString()).toBe(
      '{"auspex":{"table":2,"space":"nasbench201","labels":{' +
        '"acc":{"unit":"%","better":"higher","transform":"linear","provenance":"made up"},' +
        '"ms":{"unit":"ms","better":"lower","transform":"log","provenance":"made up"}}}}\n' +
        `{"arch":"${A}","acc":91.5,"ms":3}\n{"arch":"${B}","ms":4.25}\n`,
    );
  });
});

describe('what auspex data import is told and finds', () => {
  const space = ['--space', 'nasbench201', '--arch', 'net'];

  it('takes a direction for a direction, and the rest from the name', () => {
    const path = file('lat.csv', `net,lat,pixel_ms,quality\n${A},1,2,3\n${B},2,3,4\n`);
    const labels = ['--label', 'lat:lower', '--label', 'pixel_ms', '--label', 'quality'];
    expect(json('import', path, ...space, ...labels, '-o', at('lat.jsonl'))).toMatchObject({
      labels: [
        { name: 'lat', unit: '', better: 'lower', transform: 'log' },
        { name: 'pixel_ms', unit: 'ms', better: 'lower', transform: 'log' },
        { name: 'quality', unit: '', better: 'higher', transform: 'linear' },
      ],
      inferred: [
        { name: 'lat', inferred: ['unit', 'transform'], from: ['lat'] },
        { name: 'pixel_ms', inferred: ['unit', 'better', 'transform'], from: ['ms'] },
        { name: 'quality', from: [] },
      ],
    });
    const { stdout } = run('import', path, ...space, ...labels, '-o', at('lat.jsonl'));
    expect(stdout.replaceAll(/\n {4}/g, ' ')).toContain(
      'pixel_ms: ms, lower is better, logarithmic (from its name; change with --label pixel_ms:higher:linear)',
    );
    expect(stdout.replaceAll(/\n {4}/g, ' ')).toContain('quality: higher is better, linear (a guess;');
    expectNarrow(stdout);
  });

  it('learns no logarithms of what has none', () => {
    const path = file('zero.csv', `net,lat\n${A},0\n${B},2\n`);
    const args = (label: string) => ['import', path, ...space, '--label', label, '-o', at('zero.csv.gz')];
    expect(json(...args('lat')).labels[0].transform).toBe('linear');
    expect(run(...args('lat:log')).stderr).toMatch(/TABLE_VALUE: label 'lat' is 0, so it has no logarithm/);
  });

  it('skips bad rows if told, and lists them', () => {
    const path = file('bad.csv', `net,ms\n${A},1\nx,2\n${B},inf\n${B},4\n`);
    const args = ['import', path, ...space, '--label', 'ms', '-o', at('good.csv.gz')];
    expect(run(...args).stderr).toContain(`at: ${path}, line 3, column 1`);
    expect(existsSync(at('good.csv.gz'))).toBe(false);
    expect(json(...args, '--skip-bad')).toMatchObject({
      rows: 2,
      skipped: [
        { at: 'line 3', code: 'ARCH_TEXT' },
        { at: 'line 4', code: 'TABLE_VALUE' },
      ],
    });
    const { stdout, status } = run(...args, '--skip-bad');
    expect(status).toBe(0);
    expect(stdout).toContain('2 invalid rows have been left out');
    expect(stdout).toContain('line 4: TABLE_VALUE');
  });

  it('recognises a long table, and pivots it', () => {
    const rows = [`${A},pixel,1`, `${A},iphone,2`, `${B},pixel,3`, `${B},iphone,4`];
    const path = file('long.csv', `net,device,ms\n${rows.join('\n')}\n`);
    const args = ['import', path, ...space, '--label', 'ms', '-o', at('wide.csv')];
    expect(json(...args)).toMatchObject({ rows: 4, duplicates: 2, long: 'device', pivot: null });
    expect(run(...args).stdout).toContain('--pivot device');
    expect(json(...args, '--pivot', 'device')).toMatchObject({
      rows: 2,
      duplicates: 0,
      long: null,
      pivot: { column: 'device', values: ['iphone', 'pixel'], averaged: 0 },
      labels: [
        { name: 'ms@iphone', unit: 'ms', better: 'lower' },
        { name: 'ms@pixel', unit: 'ms', better: 'lower' },
      ],
    });
    expect(readFileSync(at('wide.csv'), 'utf8').split('\n').slice(1, 3)).toEqual([
      'arch,ms@iphone,ms@pixel',
      `${A},2,1`,
    ]);
  });

  it('counts rows of equal architectures', () => {
    const path = file('same.csv', `net,acc\n${A},1\n${B},2\n${A},3\n`);
    expect(json('import', path, ...space, '--label', 'acc', '-o', at('same.csv.gz')).duplicates).toBe(1);
    const { stdout } = run('import', path, ...space, '--label', 'acc', '-o', at('same.csv.gz'));
    expect(stdout).toContain('1 row has the architecture of an earlier row');
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
    expect(shown.first).toEqual([{ arch: TEXTS[0], values: { params: 1000, test_accuracy: 0.5 } }]);
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
    expect(counts('--by', 'family', '--family', '^(\\d+):', '--leave', '4')).toEqual({
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

  it('keeps equal architectures together, and groups that are asked for', () => {
    const cells = [A, B, SAME_AS_A, A.replaceAll('none', 'skip_connect')];
    const rows = Array.from({ length: 24 }, (_, i) => `${cells[i % 4]},${i % 2 === 0 ? 'x' : 'y'},${i}`);
    const path = file('double.csv', `net,family,acc\n${rows.join('\n')}\n`);
    const args = ['split', path, '--space', 'nasbench201', '--arch', 'net', '--label', 'acc', '-o', at('d')];
    const made = json(...args, '--train', '12', '--seed', '5');
    expect(made).toMatchObject({ duplicates: 20, dropped: 0, group: null, counts: { train: 12, test: 12 } });
    const archs = (part: string) => new Set(rowsOf(at(`d.${part}.csv.gz`)).map((row) => row.split(',')[0]));
    expect([...archs('train')].filter((arch) => archs('test').has(arch))).toEqual([]);
    const { rows: split } = JSON.parse(readFileSync(at('d.split.json'), 'utf8'));
    expect(new Set(split.train.map((row: number) => row % 4)).size).toBe(2);
    expect(json(...args, '--train', '12', '--group', 'family')).toMatchObject({ group: 'family' });
    const { rows: grouped } = JSON.parse(readFileSync(at('d.split.json'), 'utf8'));
    expect(new Set(grouped.train.map((row: number) => row % 2)).size).toBe(1);
    expect(json(...args, '--train', '12', '--equal', 'function').duplicates).toBe(21);
    // A protocol keeps its training rows; what they tell already is not tested.
    expect(json(...args, '--by', 'first', '--train', '2')).toMatchObject({
      dropped: 10,
      counts: { train: 2, test: 12 },
    });
  });

  it('writes a split that is only of this table', () => {
    json('split', 'cells.csv', '--train', '20', '-o', at('only'));
    const record = splitRecord.parse(JSON.parse(readFileSync(at('only.split.json'), 'utf8')));
    expect(record.table).toEqual({ rows: 100, digest: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(run('split', 'cells.csv', '--train', '5', '--group', 'color', '-o', at('x')).stderr).toContain(
      "no column 'color'",
    );
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
    expect(readFileSync(out, 'utf8').split('\n')[1]).toBe(
      JSON.stringify({ arch: TEXTS[0], test_accuracy: 0.5 }),
    );
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
  const plain = (path: string, space: string, ...more: string[]): string[] => [
    'import',
    path,
    ...['--space', space, '--arch', 'net', '-o', 'out.csv', ...more],
  ];
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
    ['an unknown space', 'SPACE_UNKNOWN', () => plain('mine.csv', 'nasbench202', '--label', 'acc')],
    ["another space's architectures", 'ARCH_TEXT', () => plain('mine.csv', 'nasbench101', '--label', 'acc')],
    ['no labels', 'TABLE_NO_LABELS', () => plain('mine.csv', 'nasbench201')],
    [
      'an infinite label',
      'TABLE_VALUE',
      () => plain(file('i.csv', `net,a\n${A},-inf\n`), 'nasbench201', '--label', 'a'),
    ],
    [
      'NaN as a label',
      'TABLE_VALUE',
      () => plain(file('n.csv', `net,a\n${A},NaN\n`), 'nasbench201', '--label', 'a'),
    ],
    [
      'only bad rows',
      'TABLE_EMPTY',
      () => plain(file('o.csv', 'net,a\nx,1\n'), 'nasbench201', '--label', 'a', '--skip-bad'),
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

  it('tells the space of architectures that are of another one', () => {
    const { stderr } = run(...plain('mine.csv', 'nasbench101', '--label', 'acc'));
    expect(stderr).toMatch(/give --space\s+nasbench201/);
    expect(stderr).toContain('line 2, column 1');
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
