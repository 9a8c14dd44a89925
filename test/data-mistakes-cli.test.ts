// Mistakes of a user of `auspex data`: a code, a place, exit code 2.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { A, dataFolder, expectNarrow, FIXTURES } from './data-cli.testing.js';

const { file, run } = dataFolder();

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
