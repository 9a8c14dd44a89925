// Commands that are told to stop, as a user or a scheduler does it: they exit with 130 or 143, say what is kept, and go
// on from there. The tables are made up.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { Random } from '../src/util/random.js';

const CLI = join(resolve(import.meta.dirname, '..'), 'dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'auspex-signals-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const random = Random.seeded(4);
const archs = Array.from({ length: 400 }, () => nasBench201.format(nasBench201.sample(random)));
const HEAD = {
  table: 1,
  space: 'nasbench201',
  labels: {
    cifar10_valid: { unit: '%', higherIsBetter: true, provenance: 'made up' },
    cifar10_test: { unit: '%', higherIsBetter: true, provenance: 'made up' },
  },
};
mkdirSync(at('tables'));
writeFileSync(
  at('tables/nasbench201.csv'),
  `# auspex ${JSON.stringify(HEAD)}\narch,cifar10_valid,cifar10_test\n${archs.map((arch, i) => `${arch},${50 + i / 10},${51 + i / 11}`).join('\n')}\n`,
);
// So large that reading and searching it takes a while.
const OPS = ['none', 'skip_connect', 'nor_conv_1x1', 'nor_conv_3x3', 'avg_pool_3x3'];
const whole = Array.from({ length: OPS.length ** 6 }, (_, i) => {
  const [a, b, c, d, e, f] = Array.from({ length: 6 }, (_, k) => OPS[Math.floor(i / 5 ** k) % 5]);
  return `|${a}~0|+|${b}~0|${c}~1|+|${d}~0|${e}~1|${f}~2|`;
});
writeFileSync(
  at('tables/whole.csv'),
  `# auspex ${JSON.stringify(HEAD)}\narch,cifar10_valid,cifar10_test\n${whole.map((arch, i) => `${arch},${50 + ((i * 7919) % 4999) / 100},${51 + ((i * 104_729) % 4813) / 100}`).join('\n')}\n`,
);
writeFileSync(at('archs.txt'), `${archs.join('\n')}\n`);

interface Ended {
  /** As a shell gives it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command, and sends it signals once it has begun. */
async function stopped(
  args: readonly string[],
  hasBegun: (stderr: string) => boolean,
  ...signals: NodeJS.Signals[]
): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    text.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text.stderr += chunk;
  });
  const ended = new Promise<number>((done) => {
    child.on('close', (code, signal) => done(code ?? 128 + constants.signals[signal!]));
  });
  while (!hasBegun(text.stderr) && child.exitCode === null) await setTimeout(5);
  for (const signal of signals) {
    child.kill(signal);
    await setTimeout(20);
  }
  return { code: await ended, ...text };
}

const leftovers = (): string[] => readdirSync(folder).filter((name) => /\.(lock|tmp)$/.test(name));

const SMALL = ['--members', '1', '--batch', '16', '--threads', '1'];
const TRAIN = [
  ...['train', 'gcn', '--data', 'tables/nasbench201.csv', '--label', 'cifar10_test', '--train', '60'],
  ...['--validation', '20', '--scratch', '--model', '{"width":8}', ...SMALL],
];

describe('a command that is stopped', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('train: %s', async (signal, code) => {
    const output = `${signal}.onnx`;
    const args = [...TRAIN, '--steps', '3000', '-o', output];
    const hasBegun = (): boolean => existsSync(at(`${output}.member0.checkpoint`));
    const found = await stopped(args, hasBegun, signal);
    expect(found).toMatchObject({ code, stdout: '' });
    expect(found.stderr).toMatch(
      /TRAINING_STOPPED: [\s\S]*1 checkpoint is kept; the same command with --resume/,
    );
    expect(existsSync(at(output))).toBe(false);
    expect(leftovers()).toEqual([]);
    const resumed = spawnSync(process.execPath, [CLI, ...args, '--resume'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith(signal))).toEqual([output]);
  });

  it('pretrain', async () => {
    const args = ['pretrain', 'gcn', '--space', 'nasbench201', '--rows', '100', ...SMALL, '-o', 'pre.onnx'];
    const hasBegun = (): boolean => existsSync(at('pre.onnx.pretraining0.checkpoint'));
    const found = await stopped(args, hasBegun, 'SIGTERM');
    expect(found).toMatchObject({ code: 143, stderr: expect.stringContaining('--resume continues') });
  });

  it('search', async () => {
    const args = 'search nasbench201 --strategy random --budget 50 -o found --evaluate'.split(' ');
    const lines = (): string[] =>
      existsSync(at('found/trials.jsonl'))
        ? readFileSync(at('found/trials.jsonl'), 'utf8').trim().split('\n')
        : [];
    const found = await stopped([...args, 'sleep 0.1; echo 1'], () => lines().length > 2, 'SIGINT');
    expect(found.code).toBe(130);
    expect(found.stderr).toMatch(
      /stopped after \d+ of 50 evaluations; the same command with --resume continues/,
    );
    expect(found.stdout).toContain('search stopped');
    expect(existsSync(at('found/winner.onnx'))).toBe(true);
    expect(readdirSync(at('found'))).not.toContain('trials.jsonl.lock');
  });

  it.each(['1', '2'])('proxy, with %s workers', async (workers) => {
    const output = `scores${workers}.jsonl`;
    const args = 'proxy --space nasbench201 --input archs.txt --proxies snip --batch 2 --workers'.split(' ');
    const hasBegun = (): boolean =>
      existsSync(at(output)) && readFileSync(at(output), 'utf8').split('\n').length > 4;
    const found = await stopped([...args, workers, '-o', output], hasBegun, 'SIGTERM');
    expect(found.code).toBe(143);
    expect(found.stderr.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`stopped after \\d+ of 400 networks; the same command with --resume continues ${output}`),
    );
    expect(leftovers()).toEqual([]);
  });

  // Work that no runtime does: it has to pause by itself.
  const TABLE = ['--data', 'tables/nasbench201.csv', '--label', 'cifar10_test'];
  const SEARCH = 'search nasbench201 --evaluator table:tables/whole.csv --budget 15000'.split(' ');
  it.each([
    ['train forest', ['train', 'forest', ...TABLE, '--model', '{"trees":10000}', '-o', 'sync.onnx']],
    ['train linear', ['train', 'linear', '--data', 'tables/whole.csv', ...TABLE.slice(2), '-o', 'sync.onnx']],
    ['search local', [...SEARCH, '--label', 'cifar10_test', '--strategy', 'local']],
    ['search nsga2', [...SEARCH, '--label', 'cifar10_test,cifar10_valid', '--strategy', 'nsga2']],
  ])('%s, within a second', async (_, args) => {
    // Notes and progress are told once it has begun.
    let told = 0;
    const hasBegun = (stderr: string): boolean => {
      told = Date.now();
      return /held out|too few|%/.test(stderr);
    };
    const found = await stopped(args, hasBegun, 'SIGINT');
    expect(found).toMatchObject({ code: 130, stderr: expect.stringMatching(/stopped/i) });
    expect(Date.now() - told).toBeLessThan(1000);
    expect(leftovers()).toEqual([]);
    expect(existsSync(at('sync.onnx'))).toBe(false);
  });

  it('reproduce', async () => {
    const args =
      'reproduce nb201-accuracy --data tables --only ^156-t-nn-former$ --draws 1 --threads 1'.split(' ');
    const results = join('results', 'nb201-accuracy');
    const hasBegun = (): boolean =>
      existsSync(at(results)) && readdirSync(at(results)).some((name) => name.endsWith('.checkpoint'));
    const found = await stopped(args, hasBegun, 'SIGINT');
    expect(found).toMatchObject({ code: 130, stderr: expect.stringContaining('the same command continues') });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('data split: %s, within a second', async (signal, code) => {
    // Twenty times all cells, which take some seconds to read.
    const [first, header, ...rows] = readFileSync(at('tables/whole.csv'), 'utf8').trimEnd().split('\n');
    writeFileSync(at('many.csv'), `${[first, header, ...Array(20).fill(rows).flat()].join('\n')}\n`);
    const args = ['data', 'split', 'many.csv', '--train', '100', '-o', 'parts', '--force'];
    const begin = Date.now();
    const found = await stopped(args, () => Date.now() - begin > 600, signal);
    expect(Date.now() - begin).toBeLessThan(1600);
    expect(found).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/stopped/i) });
    expect(readdirSync(folder).filter((name) => name.startsWith('parts'))).toEqual([]);
  });

  it('data import, which waits for a reader here', async () => {
    execFileSync('mkfifo', [at('pipe.csv')]);
    const begin = Date.now();
    const args = ['data', 'import', 'tables/nasbench201.csv', '-o', 'pipe.csv'];
    const found = await stopped(args, () => Date.now() - begin > 1500, 'SIGINT');
    expect(found).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('STOPPED: stopped by SIGINT'),
    });
  });

  it('ends at once when it is told twice, also in the middle of a network', async () => {
    const args =
      'proxy --space nasbench201 --input archs.txt --proxies zen,meco --workers 2 -o zen.jsonl'.split(' ');
    const hasBegun = (): boolean =>
      existsSync(at('zen.jsonl')) && readFileSync(at('zen.jsonl'), 'utf8').split('\n').length > 3;
    const found = await stopped(args, hasBegun, 'SIGINT', 'SIGINT');
    expect(found.code).toBe(130);
    expect(leftovers()).toEqual([]);
  });

  it('ends at once when it is told twice', async () => {
    const args = 'search nasbench201 --strategy random --budget 5 -o twice --evaluate'.split(' ');
    const hasBegun = (): boolean => existsSync(at('begun'));
    const begin = Date.now();
    const command = 'trap "" TERM INT; touch begun; sleep 30; echo 1';
    const found = await stopped([...args, command], hasBegun, 'SIGINT', 'SIGINT');
    expect(found.code).toBe(130);
    expect(Date.now() - begin).toBeLessThan(20_000);
    expect(existsSync(at('twice/trials.jsonl.lock'))).toBe(false);
  });
});
