// What commands write, as a user runs them: no output destroys an input or a file of another kind, and what cannot be
// written is found before the work. The tables are made up.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { digestOf } from '../src/store/fingerprint.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'auspex-outputs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function run(...args: string[]) {
  return warmRun([...args], { cwd: folder });
}

function done(...args: string[]): string {
  const { status, stdout, stderr } = run(...args);
  expect(status, stderr).toBe(0);
  return stdout;
}

/** Expects a refusal with a code, and that nothing has changed. */
function refused(code: string, ...args: string[]): string {
  const before = contents();
  const { status, stdout, stderr } = run(...args);
  expect(stderr).toContain(`${code}: `);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  expect([status, stdout]).toEqual([code === 'FILE_UNWRITABLE' ? 1 : 2, '']);
  expect(contents()).toEqual(before);
  return stderr;
}

/** Of all files but locks, which killed processes leave. */
function contents(): Record<string, string> {
  const names = readdirSync(folder).filter((name) => statSync(at(name)).isFile() && !name.endsWith('.lock'));
  return Object.fromEntries(names.map((name) => [name, digestOf([readFileSync(at(name))])]));
}

const random = Random.seeded(4);
const rows = Array.from({ length: 60 }, (_, i) => {
  const arch = nasBench201.format(nasBench201.sample(random));
  return { arch, acc: 50 + i / 2 + random.float(), ms: 1 + random.float() };
});
const HEAD = {
  table: 2,
  space: 'nasbench201',
  labels: {
    acc: { unit: '%', better: 'higher', provenance: 'made up' },
    ms: { unit: 'ms', better: 'lower', provenance: 'made up' },
  },
};
const csv = (list: typeof rows): string =>
  `# auspex ${JSON.stringify(HEAD)}\narch,acc,ms\n${list.map((r) => `${r.arch},${r.acc},${r.ms}`).join('\n')}\n`;
writeFileSync(at('a.csv'), csv(rows));
linkSync(at('a.csv'), at('hard.csv'));
symlinkSync('a.csv', at('soft.csv'));
copyFileSync(join(ROOT, 'examples/resnet8.onnx'), at('net.onnx'));
writeFileSync(at('files.csv'), 'arch,ms\nnet.onnx,1\n./net.onnx,2\n');
writeFileSync(at('notes.txt'), 'my notes\n');
const TRAIN = ['train', 'flops', '--data', 'a.csv', '--label', 'acc', '--validation', '10'];
const SPLIT = ['--data', 'a.csv', '--label', 'acc', '--split', 'run.split.json'];
writeFileSync(at('list.txt'), `${rows[0]!.arch}\n`);
writeFileSync(at('x.npy'), 'no array');
mkdirSync(at('found-before'));
copyFileSync(at('net.onnx'), at('found-before/winner.onnx'));
done(...TRAIN, '-o', 'p.onnx');
done('data', 'split', 'a.csv', '--train', '30', '-o', 'run');

describe('an output that is an input is refused', () => {
  it.each([
    ['train', [...TRAIN, '-o', 'a.csv']],
    ['train, by a hard link', [...TRAIN, '-o', 'hard.csv']],
    ['train, by a symbolic link, with --force', [...TRAIN, '-o', 'soft.csv', '--force']],
    ['train --from', ['train', 'gcn', ...TRAIN.slice(2), '--from', 'p.onnx', '-o', './p.onnx']],
    ['train --curves', ['train', 'gcn', ...TRAIN.slice(2), '-o', 'q.onnx', '--curves', 'a.csv']],
    [
      'train on files',
      'train linear --data files.csv --space onnx --label ms --validation 0 -o net.onnx --force'.split(' '),
    ],
    ['train --split', ['train', 'flops', ...SPLIT, '-o', 'run.split.json', '--force']],
    [
      'train --curves, the split',
      ['train', 'gcn', ...SPLIT, '-o', 'q.onnx', '--curves', 'run.split.json', '--force'],
    ],
    ['evaluate, the predictor', ['evaluate', 'p.onnx', '--data', 'a.csv', '--report', 'p.onnx']],
    ['evaluate, the table', ['evaluate', 'p.onnx', '--data', 'a.csv', '--report', 'a.csv']],
    [
      'evaluate, the split',
      'evaluate p.onnx --data a.csv --split run.split.json --report run.split.json'.split(' '),
    ],
    [
      'search, the table',
      'search nasbench201 --evaluator table:a.csv --label acc --budget 2 --report a.csv'.split(' '),
    ],
    [
      'search, the predictor',
      'search nasbench201 --evaluator predictor:p.onnx --budget 2 --report p.onnx'.split(' '),
    ],
    [
      'search, a limit',
      'search nasbench201 --evaluator table:a.csv --label acc --max p.onnx#acc=9 --budget 2 --report p.onnx'.split(
        ' ',
      ),
    ],
    ['data export', ['data', 'export', 'a.csv', '-o', 'a.csv']],
    ['data import', ['data', 'import', 'a.csv', '-o', './a.csv']],
    ['data split', ['data', 'split', 'run.train.csv.gz', '--train', '3', '-o', 'run']],
    ['proxy, a network', ['proxy', 'net.onnx', '--proxies', 'params', '-o', 'net.onnx']],
    [
      'proxy correlate',
      'proxy correlate --data a.csv --label acc --proxies params --report a.csv'.split(' '),
    ],
    ['proxy correlate -o', 'proxy correlate --data a.csv --label acc --proxies params -o a.csv'.split(' ')],
    ['proxy, a table', 'proxy --data a.csv --proxies params -o a.csv --force'.split(' ')],
    ['proxy, a list', 'proxy --input list.txt --proxies params -o list.txt --force'.split(' ')],
    ['proxy, samples', 'proxy net.onnx --proxies snip --inputs x.npy -o x.npy --force'.split(' ')],
    [
      'proxy, targets',
      'proxy net.onnx --proxies snip --inputs y.npy --targets x.npy -o x.npy --force'.split(' '),
    ],
    [
      'search, a network',
      'search onnx:net.onnx --evaluator proxy:params --budget 2 --report net.onnx --force'.split(' '),
    ],
    [
      'search, a network in the output folder',
      'search onnx:found-before/winner.onnx --evaluator proxy:params --budget 2 -o found-before --force'.split(
        ' ',
      ),
    ],
    ['space export', ['space', 'export', 'onnx:net.onnx', 'base', '-o', 'net.onnx']],
  ])('%s', (_, args) => {
    refused('OUTPUT_IS_INPUT', ...args);
  });

  it('reproduce', () => {
    writeFileSync(at('nasbench201.csv'), csv(rows));
    const args = ['reproduce', 'nb201-accuracy', '--data', '.', '--report', 'nasbench201.csv', '--force'];
    refused('OUTPUT_IS_INPUT', ...args);
  });
});

describe('an output over a file of another kind', () => {
  it.each([
    ['a predictor over a table', [...TRAIN, '-o', 'files.csv'], 'a table'],
    ['a predictor over a network', [...TRAIN, '-o', 'net.onnx'], 'an ONNX network'],
    [
      'a network over a predictor',
      ['space', 'export', 'nats-size', '8:16:24:32:40', '-o', 'p.onnx'],
      'a predictor',
    ],
    ['a table over a text', ['data', 'export', 'a.csv', '-o', 'notes.txt', '--format', 'csv'], 'a text'],
    ['a page over a table', ['evaluate', 'p.onnx', '--data', 'a.csv', '--report', 'files.csv'], 'a table'],
    [
      'curves over a split',
      ['train', 'gcn', ...TRAIN.slice(2), '-o', 'q.onnx', '--curves', 'run.split.json'],
      'a split',
    ],
    [
      'a log that is resumed over a network',
      ['proxy', 'p.onnx', '--proxies', 'params', '-o', 'net.onnx', '--resume'],
      'an ONNX network',
    ],
  ])('is refused: %s', (_, args, what) => {
    expect(refused('OUTPUT_EXISTS', ...args)).toContain(what);
  });

  it('replaces it with --force, and files of its own kind without', () => {
    copyFileSync(at('files.csv'), at('over.onnx'));
    done(...TRAIN, '-o', 'over.onnx', '--force');
    done(...TRAIN, '-o', 'over.onnx');
    done('evaluate', 'over.onnx', '--data', 'a.csv', '--report', 'over.html', '--resamples', '50');
    done('evaluate', 'over.onnx', '--data', 'a.csv', '--report', 'over.html', '--resamples', '50');
    const proxy = ['proxy', 'net.onnx', '--proxies', 'params', '-o', 'over.jsonl'];
    done(...proxy);
    refused('LOG_EXISTS', ...proxy);
    done(...proxy, '--force');
    expect(readFileSync(at('over.jsonl'), 'utf8').trim().split('\n').length).toBe(2);
  });

  it('never goes to the file of another output', () => {
    refused('OUTPUT_TWICE', 'train', 'gcn', ...TRAIN.slice(2), '-o', 'q.onnx', '--curves', './q.onnx');
  });
});

describe('an output that cannot be written is found before the work', () => {
  // The predictor or table is missing, which would be said next.
  it.each([
    ['train', 'train flops --data no.csv --label acc -o none/p.onnx'],
    ['train --curves', 'train gcn --data no.csv --label acc -o q.onnx --curves none/c.json'],
    ['pretrain', 'pretrain gcn --space nasbench201 -o none/p.onnx'],
    ['evaluate', 'evaluate no.onnx --data no.csv --report none/r.html'],
    ['search -o', 'search nasbench201 --evaluator table:no.csv --budget 2 -o /proc/x'],
    ['search -o over a file', 'search nasbench201 --evaluator table:no.csv --budget 2 -o notes.txt'],
    ['search --report', 'search nasbench201 --evaluator table:no.csv --budget 2 --report /proc/x/r.html'],
    ['data import', 'data import no.csv -o none/t.csv'],
    ['data export', 'data export no.csv -o none/t.csv'],
    ['data split', 'data split no.csv --train 2 -o none/run'],
    ['proxy', 'proxy no.onnx --proxies params -o none/log.jsonl'],
    ['proxy correlate', 'proxy correlate --data no.csv --label acc --report none/r.html'],
    ['space export', 'space export nats-size 8:16:24:32:40 -o /proc/net.onnx'],
    ['reproduce', 'reproduce nb201-accuracy --data . --out /proc/x'],
    ['a folder', 'data export no.csv --format csv -o .'],
  ])('%s', (_, command) => {
    refused('FILE_UNWRITABLE', ...command.split(' '));
  });
});

describe('what is not a regular file', () => {
  const exported = (output: string) => ['space', 'export', 'nats-size', '8:8:8:8:8', '-o', output];

  it.each([
    ['a model', exported('/dev/full')],
    ['a predictor', [...TRAIN, '-o', '/dev/full']],
    ['a table', ['data', 'export', 'a.csv', '--format', 'csv', '-o', '/dev/full']],
    ['a log', ['proxy', 'net.onnx', '--proxies', 'params', '-o', '/dev/full']],
  ])('stays what it is: %s to a full device', (_, args) => {
    const { status, stderr } = run(...args);
    expect(stderr).toMatch(/FILE_UNWRITABLE: .*no space is left/);
    expect(stderr).toContain('at: /dev/full');
    expect(status).toBe(1);
    expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  it('fails in one line as standard output: a full device', () => {
    const command = `"${process.execPath}" "${CLI}" space list > /dev/full`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect(stderr).toMatch(/^FILE_UNWRITABLE: standard output cannot be written: .*no space left.*\n$/);
    expect([status, stdout]).toEqual([1, '']);
  });

  it('is written through: a pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const args of [exported('pipe'), ['data', 'export', 'a.csv', '--format', 'csv', '-o', 'pipe']]) {
      const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'ignore'] });
      const chunks: Buffer[] = [];
      reader.stdout.on('data', (chunk) => chunks.push(chunk));
      const writer = spawn(process.execPath, [CLI, ...args], { cwd: folder, stdio: 'ignore' });
      const codes = await Promise.all(
        [reader, writer].map((child) => new Promise((end) => void child.on('close', end))),
      );
      expect(codes).toEqual([0, 0]);
      expect(Buffer.concat(chunks).length).toBeGreaterThan(1000);
      expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
    }
  });

  it('is written through: standard output, in a file and in a pipe', () => {
    const args = [CLI, 'data', 'export', 'a.csv', '--format', 'csv', '-o', '/dev/stdout'];
    const shell = (end: string): string =>
      execFileSync('sh', ['-c', `"$0" "$@" ${end}`, process.execPath, ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
    shell('> stdout.csv');
    for (const text of [readFileSync(at('stdout.csv'), 'utf8'), shell('| cat'), shell('')]) {
      expect(text).toBe(
        `${readFileSync(at('a.csv'), 'utf8')}nasbench201: 60 rows, 2 labels, written to /dev/stdout\n`,
      );
    }
  });

  it('is followed: a link stays, its target is replaced, permissions stay', () => {
    mkdirSync(at('inner'));
    writeFileSync(at('inner/t.csv'), csv(rows.slice(0, 2)));
    chmodSync(at('inner/t.csv'), 0o600);
    symlinkSync('inner/t.csv', at('link.csv'));
    symlinkSync('inner/new.onnx', at('link.onnx'));
    done('data', 'export', 'a.csv', '-o', 'link.csv');
    done(...exported('link.onnx'));
    expect([lstatSync(at('link.csv')), lstatSync(at('link.onnx'))].every((s) => s.isSymbolicLink())).toBe(
      true,
    );
    expect(readFileSync(at('inner/t.csv'), 'utf8')).toBe(readFileSync(at('a.csv'), 'utf8'));
    expect(statSync(at('inner/t.csv')).mode & 0o777).toBe(0o600);
    expect(readdirSync(at('inner')).sort()).toEqual(['new.onnx', 't.csv']);
  });
});

const STEPS = ['--scratch', '--members', '1', '--batch', '16', '--threads', '1', '--model', '{"width":8}'];
const STEPPED = ['train', 'gcn', '--data', 'a.csv', '--label', 'acc', '--validation', '10', ...STEPS];

/** Runs a command until a file is there. */
async function begun(file: string, args: readonly string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((end) => void child.on('close', (_, signal) => end(signal)));
  while (!existsSync(at(file)) && child.exitCode === null) await setTimeout(5);
  return { child, ended };
}

describe('two trainings with one output', () => {
  it('are refused while the first runs, and after it was killed only --resume may continue', async () => {
    const args = [...STEPPED, '--steps', '100000', '-o', 'both.onnx'];
    const { child, ended } = await begun('both.onnx.lock', args);
    for (const command of [args, [...args, '--resume'], [...TRAIN, '-o', 'both.onnx']]) {
      const { status, stderr } = run(...command);
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(new RegExp(`OUTPUT_IN_USE: process ${child.pid} `)),
      ]);
    }
    while (!existsSync(at('both.onnx.member0.checkpoint'))) await setTimeout(5);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    refused('CHECKPOINT_EXISTS', ...args);
    expect(existsSync(at('both.onnx'))).toBe(false);
  });
});

describe('--resume', () => {
  it('of a training names what differs, and keeps its checkpoints', async () => {
    const args = [...STEPPED, '--steps', '50000', '-o', 'cut.onnx'];
    const { child, ended } = await begun('cut.onnx.member0.checkpoint', args);
    child.kill('SIGKILL');
    await ended;
    writeFileSync(at('other.csv'), csv(rows.map((row) => ({ ...row, acc: row.acc + 1 }))));
    const changed = (...change: string[]): string[] => [...args, ...change, '--resume'];
    for (const [what, command] of [
      ['--label differs: was ["acc"], is ["ms"]', changed('--label', 'ms')],
      ['--train differs: was 50, is 40', changed('--train', '40')],
      ['--validation differs: was 10, is 11', changed('--validation', '11')],
      ['--steps differs: was 50000, is 3', changed('--steps', '3')],
      ['--batch differs: was 16, is 8', changed('--batch', '8')],
      ['--members differs: was 1, is 2', changed('--members', '2')],
      ['--seed differs: was 0, is 5', changed('--seed', '5')],
      ['--rate differs', changed('--rate', '0.5')],
      ['--model differs', changed('--model', '{"width":16}')],
      ['--scratch differs: was true, is not given', changed().filter((arg) => arg !== '--scratch')],
      ['--data differs: its content has changed', changed('--data', 'other.csv')],
      ['--scale differs: was "linear", is "log"', changed('--scale', 'log')],
      ['the predictor differs: was "gcn", is "sage"', changed().map((arg) => (arg === 'gcn' ? 'sage' : arg))],
    ] as const) {
      expect(refused('CHECKPOINT_MISMATCH', ...command).replace(/\s+/g, ' ')).toContain(what);
    }
    // The same rows under another name are the same training.
    copyFileSync(at('a.csv'), at('copy.csv'));
    const again = await begun('cut.onnx.lock', changed('--data', 'copy.csv'));
    await setTimeout(1500);
    expect(again.child.exitCode).toBe(null);
    again.child.kill('SIGKILL');
    await again.ended;
  });

  it('of a search notices another file under the same name', () => {
    copyFileSync(at('p.onnx'), at('judge.onnx'));
    const args = 'search nasbench201 --evaluator predictor:judge.onnx --strategy random -o found'.split(' ');
    done(...args, '--budget', '3');
    done(...args, '--budget', '4', '--resume');
    done(...TRAIN.map((arg) => (arg === 'acc' ? 'ms' : arg)), '-o', 'judge.onnx');
    done(...TRAIN, '--seed', '1', '-o', 'judge.onnx');
    const stderr = refused('SEARCH_LOG_OTHER', ...args, '--budget', '5', '--resume');
    expect(stderr).toContain('the file of --evaluator has changed since the search began');
  });
});
