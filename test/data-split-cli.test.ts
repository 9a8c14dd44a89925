// `auspex data split` as built, run as a user would. Every table is made up.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { splitRecord } from '../src/datasets/splits/split-record.js';
import { A, B, dataFolder, SAME_AS_A } from './data-cli.testing.js';

const { at, file, json, run } = dataFolder();

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
