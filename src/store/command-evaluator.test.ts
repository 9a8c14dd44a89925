import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { ArchNetwork } from '../networks/index.js';
import { readModel } from '../onnx/file.js';
import { oneByOne } from '../search/evaluating.js';
import { runSearch } from '../search/run.js';
import { randomSearch } from '../search/strategies/random-search.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { type CommandOptions, commandEvaluator, numbersOf } from './command-evaluator.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const scratch = at('scratch');
mkdirSync(scratch);

const ARCH = nasBench201.example;
const NETWORK = new ArchNetwork(nasBench201, nasBench201.parse(ARCH), { width: 0.25 });
const never = new AbortController().signal;

const evaluatorOf = (command: string, more: Partial<CommandOptions> = {}) =>
  commandEvaluator({
    command,
    objectives: [{ name: 'accuracy', better: 'higher' }],
    timeoutSeconds: 20,
    folder: scratch,
    ...more,
  });

async function outcome(
  command: string,
  more: Partial<CommandOptions> = {},
): Promise<readonly number[] | string> {
  try {
    return await evaluatorOf(command, more).evaluate(NETWORK, never);
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    expect(readdirSync(scratch)).toEqual([]);
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // One that has ended, but whose end nobody has noted, is not alive.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

async function ended(pid: number): Promise<boolean> {
  for (let i = 0; i < 50 && isAlive(pid); i++) await sleep(20);
  return !isAlive(pid);
}

describe('numbers of a text', () => {
  it.each([
    ['accuracy: 93.5', [93.5]],
    ['epoch 3/10 loss=0.25\n-1.5e-3', [3, 10, 0.25, -0.0015]],
    ['nan', [Number.NaN]],
    ['loss: -inf, Infinity', [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]],
    ['layer3 conv3x3 v1.2.3 banana', []],
    ['.5 5. 1e3', [0.5, 5, 1000]],
    ['93.5%', [93.5]],
    ['', []],
  ])('%j', (text, numbers) => {
    expect(numbersOf(text)).toEqual(numbers);
  });
});

describe('a command as evaluator', () => {
  it('gets the network and gives the last number', async () => {
    expect(await outcome('echo epoch 1: 50; echo 93.25')).toEqual([93.25]);
    expect(await outcome(`cp {onnx} ${at('copy.onnx')} && echo 1`)).toEqual([1]);
    expect(readModel(at('copy.onnx')).graph.nodes.length).toBeGreaterThan(10);
    expect(await outcome(`printf %s {arch} > ${at('arch')}; echo 1`)).toEqual([1]);
    expect(readFileSync(at('arch'), 'utf8')).toBe(ARCH);
    expect(await outcome('test -f "$AUSPEX_ONNX" && test "$AUSPEX_ARCH" = {arch} && echo 2')).toEqual([2]);
  });

  it('quotes what it puts in', async () => {
    const evaluator = evaluatorOf(`printf %s {arch} > ${at('quoted')}; echo 1`);
    const nasty = `it's $(touch ${at('touched')}) "; echo 5 #`;
    const network = new ArchNetwork({ ...nasBench201, format: () => nasty }, undefined);
    expect(await evaluator.evaluate(network, never)).toEqual([1]);
    expect(readFileSync(at('quoted'), 'utf8')).toBe(nasty);
    expect(existsSync(at('touched'))).toBe(false);
  });

  it('gives several objectives', async () => {
    const objectives = [
      { name: 'accuracy', better: 'higher' },
      { name: 'latency', better: 'lower' },
    ] as const;
    expect(await outcome('echo 1 2; echo accuracy 93 latency 4.5', { objectives })).toEqual([93, 4.5]);
    expect(await outcome('echo 93', { objectives })).toBe('COMMAND_NO_NUMBER');
  });

  it.each([
    ['true', 'COMMAND_NO_NUMBER'],
    ['echo no number', 'COMMAND_NO_NUMBER'],
    ['echo 5 >&2', 'COMMAND_NO_NUMBER'],
    ['echo 5; exit 3', 'COMMAND_FAILED'],
    ['echo 5; kill -9 $$', 'COMMAND_FAILED'],
    ['no-such-command-at-all', 'COMMAND_FAILED'],
    ['echo 5; echo nan', 'COMMAND_NOT_FINITE'],
    ['echo inf', 'COMMAND_NOT_FINITE'],
  ])('says what went wrong: %s', async (command, code) => {
    expect(await outcome(command)).toBe(code);
  });

  it('tells what a command complained of', async () => {
    const failing = evaluatorOf('echo "CUDA out of memory" >&2; exit 1').evaluate(NETWORK, never);
    await expect(failing).rejects.toThrow('ended with status 1: CUDA out of memory');
  });

  it('ends one that hangs, with all that it started', async () => {
    const pids = at('pids');
    const begin = performance.now();
    // The shell, a child in the background and one that does not listen to being told to end.
    const command = `echo $$ > ${pids}; sleep 1000 & echo $! >> ${pids}; (trap "" TERM; exec sleep 1000) & echo $! >> ${pids}; wait`;
    expect(await outcome(command, { timeoutSeconds: 0.3, retries: 5 })).toBe('COMMAND_TIMEOUT');
    expect(performance.now() - begin).toBeLessThan(15_000);
    const found = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    expect(found.length).toBe(3);
    for (const pid of found) expect(await ended(pid)).toBe(true);
  });

  it('does not wait for what a command left behind', async () => {
    const begin = performance.now();
    expect(await outcome(`sleep 1000 & echo $! > ${at('left')}; echo 7`)).toEqual([7]);
    expect(performance.now() - begin).toBeLessThan(15_000);
    expect(await ended(Number(readFileSync(at('left'), 'utf8')))).toBe(true);
  });

  it('can be broken off', async () => {
    const stop = new AbortController();
    const running = evaluatorOf(`echo $$ > ${at('stopped')}; exec sleep 1000`).evaluate(NETWORK, stop.signal);
    while (!existsSync(at('stopped')) || readFileSync(at('stopped'), 'utf8') === '') await sleep(10);
    stop.abort();
    await expect(running).rejects.toThrow();
    expect(await ended(Number(readFileSync(at('stopped'), 'utf8')))).toBe(true);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('tries again as often as told', async () => {
    const count = at('count');
    const third = `echo x >> ${count}; test $(wc -l < ${count}) -ge 3 && echo 9`;
    expect(await outcome(third, { retries: 1 })).toBe('COMMAND_FAILED');
    rmSync(count);
    expect(await outcome(third, { retries: 2 })).toEqual([9]);
  });

  it('reads the end of a very long output', async () => {
    expect(
      await outcome('i=0; while [ $i -lt 30000 ]; do echo "line of output"; i=$((i+1)); done; echo 4'),
    ).toEqual([4]);
  });

  it('runs several at once in a search', async () => {
    const evaluator = evaluatorOf(
      `echo + >> ${at('running')}; sleep 0.3; echo - >> ${at('running')}; test -f {onnx} && echo {arch} | wc -c`,
    );
    const { trials } = await runSearch({
      space: nasBench201,
      evaluator: oneByOne(evaluator, evaluator.evaluate, 2),
      strategy: randomSearch(),
      budget: 4,
      seed: 1,
    });
    for (const { arch, value, error } of trials) expect([value, error]).toEqual([arch.length + 1, undefined]);
    const marks = readFileSync(at('running'), 'utf8').trim().split('\n');
    const most = marks.reduce(
      ([now, top], mark) => {
        const next = now! + (mark === '+' ? 1 : -1);
        return [next, Math.max(top!, next)];
      },
      [0, 0],
    )[1];
    expect(most).toBe(2);
  });

  it('is refused without sense', () => {
    expect(() => evaluatorOf('true', { objectives: [] })).toThrow(/that the command prints/);
    expect(() => evaluatorOf('true', { timeoutSeconds: 0 })).toThrow(/time limit cannot be 0/);
  });
});
