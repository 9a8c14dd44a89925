// `auspex proxy` as built, run as a user would: workers, kill −9, a search that a proxy guides.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { natsSize } from '../src/spaces/cells/nats-size.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const MODEL = join(ROOT, 'examples/resnet8.onnx');
const folder = mkdtempSync(join(tmpdir(), 'auspex-proxy-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function run(...args: string[]) {
  return warmRun([...args], { cwd: folder });
}

/** Lines of a log, however the workers ordered them. */
const linesOf = (name: string): string[] => readFileSync(at(name), 'utf8').split('\n').slice(0, -1).sort();

const random = Random.seeded(6);
const archs = Array.from({ length: 20 }, () => natsSize.format(natsSize.sample(random)));
archs[7] = 'broken';
writeFileSync(at('archs.txt'), `${archs.join('\n')}\n`);
const SMALL = '--resolution 8 --batch 2 --threads 1 --workers 2'.split(' ');
const POOL = [
  'proxy',
  '--space',
  'nats-size',
  '--input',
  'archs.txt',
  '--proxies',
  'l2_norm+params,l2_norm',
  ...SMALL,
];

describe('auspex proxy', () => {
  it('loses nothing when it is killed, and goes on to the same scores', async () => {
    const whole = run(...POOL, '-o', 'whole.jsonl', '--json');
    expect([whole.status, whole.stderr]).toEqual([0, expect.stringContaining('1 of 20 networks')]);
    let had = 0;
    for (const least of [3, 8]) {
      const resume = least === 3 ? [] : ['--resume'];
      const child = spawn(process.execPath, [CLI, ...POOL, '-o', 'cut.jsonl', ...resume], {
        cwd: folder,
        stdio: 'ignore',
      });
      const ended = new Promise((done) => void child.on('close', (_, signal) => done(signal)));
      while (
        child.exitCode === null &&
        (!existsSync(at('cut.jsonl')) || linesOf('cut.jsonl').length < least)
      ) {
        await setTimeout(2);
      }
      child.kill('SIGKILL');
      expect(await ended).toBe('SIGKILL');
      expect(linesOf('cut.jsonl').length).toBeGreaterThan(had);
      had = linesOf('cut.jsonl').length;
    }
    expect(had).toBeLessThan(21);
    const resumed = run(...POOL, '-o', 'cut.jsonl', '--resume', '--json');
    expect(resumed.status).toBe(0);
    expect(linesOf('cut.jsonl')).toEqual(linesOf('whole.jsonl'));
    const [a, b] = [whole, resumed].map(({ stdout }) => ({ ...JSON.parse(stdout), output: '' }));
    expect(b).toEqual(a);
    expect(a).toMatchObject({ given: 20, scored: 19, failed: 1 });
    expect(a.networks[7]).toMatchObject({ network: 'broken', error: { code: 'ARCH_TEXT' } });
  });

  it('runs networks in workers', () => {
    const args = ['proxy', MODEL, MODEL, '--proxies', 'snip', '--threads', '1'];
    const [two, one] = ['2', '1'].map((workers) => run(...args, '--workers', workers, '--json').stdout);
    expect(JSON.parse(two!).scored).toBe(2);
    expect(two).toBe(one);
  });

  it('shows all workers the same images, and ends with 2 where they cannot be read', () => {
    for (let i = 0; i < 4; i++) writeFileSync(at(`${i}.pgm`), `P5 2 2 255\n${'abcdefg'.slice(i, i + 4)}`);
    const args = ['proxy', MODEL, MODEL, '--proxies', 'zico', '--threads', '1', '--batch', '2', '--json'];
    const [two, one] = ['2', '1'].map((n) => run(...args, '--workers', n, '--images', '.').stdout);
    expect(JSON.parse(two!)).toMatchObject({ scored: 2, options: { images: { folder: '.' } } });
    expect(two).toBe(one);
    writeFileSync(at('photo.jpg'), '');
    const refused = run(...args, '--workers', '2', '--images', '.');
    expect([refused.status, JSON.parse(refused.stdout).error.code]).toEqual([2, 'IMAGE_FORMAT']);
  });

  it('tells options of the command from those of `correlate`', () => {
    const { status, stderr, stdout } = run(
      'proxy',
      'correlate',
      '--data',
      'no.csv',
      '--label',
      'x',
      '--seed',
      '1',
    );
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/FILE_UNREADABLE/);
  });

  it('exits with 2 if every network is at fault', () => {
    const { status, stdout, stderr } = run('proxy', 'nowhere.onnx', '--proxies', 'snip');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^nowhere\.onnx: FILE_UNREADABLE: the file does not exist\n/);
    expect(run('proxy', 'nowhere.onnx', '--proxies', 'what').status).toBe(2);
  });
});

it('guides a search', () => {
  const etas = '--strategy etas --option pool=8 --option candidates=4 --option rounds=1 --option top=1'.split(
    ' ',
  );
  const judged = ['--proxy', 'params', '--evaluator', 'proxy:params', '--budget', '2', '--json'];
  const { status, stdout, stderr } = run('search', 'nats-size', ...etas, ...judged);
  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    strategy: 'etas',
    options: { scorer: 'params' },
    evaluator: 'params',
    evaluations: 2,
    failed: 0,
  });
});
