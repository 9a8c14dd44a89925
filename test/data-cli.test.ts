// `auspex data import`, `list`, `show` and `export` as built, run as a user would. Every table is made up.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { A, B, dataFolder, expectNarrow, FIXTURES, TEXTS } from './data-cli.testing.js';

const { at, file, folder, json, run } = dataFolder();

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
