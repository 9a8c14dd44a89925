// The command with a table that is made up, and with commands of one line.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Network } from '../networks/index.js';
import { readModel, writeModel } from '../onnx/file.js';
import { natsSize } from '../spaces/cells/nats-size.js';
import { describeArchitecture } from '../spaces/describe.js';
import { ARCH_KEY } from '../spaces/network-builder.js';
import { Random } from '../util/random.js';
import { searchCommand } from './search.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-search-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const random = Random.seeded(5);
const archs = [...new Set(Array.from({ length: 150 }, () => natsSize.format(natsSize.sample(random))))];
/** The sum of widths; the latency is the first of them. */
const accuracyOf = (arch: string): number => arch.split(':').reduce((sum, width) => sum + Number(width), 0);
const HEAD = {
  table: 1,
  space: 'nats-size',
  labels: {
    accuracy: { unit: '%', better: 'higher', provenance: 'made up' },
    latency: { unit: 'ms', better: 'lower', provenance: 'made up' },
  },
};
writeFileSync(
  at('table.csv'),
  `# auspex ${JSON.stringify(HEAD)}\narch,accuracy,latency\n${archs
    .map((arch) => `${arch},${accuracyOf(arch)},${Number.parseInt(arch, 10)}`)
    .join('\n')}\n`,
);

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const noise = (name: string) =>
    name === 'widths'
      ? {
          name,
          better: 'higher' as const,
          score: async (list: readonly Network[]) =>
            Float64Array.from(list, ({ arch }) => accuracyOf(arch!.text)),
        }
      : undefined;
  const command = searchCommand({ proxies: () => noise, write: (text) => lines.push(text) }).exitOverride();
  await command.parseAsync(['nats-size', ...args], { from: 'user' });
  return lines.join('\n');
}
const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'));
const TABLE = ['--evaluator', `table:${at('table.csv')}`];
const top = Math.max(...archs.map(accuracyOf));

describe('auspex search', () => {
  it('finds the best row of a table with a proxy', async () => {
    const found = await json(
      ...TABLE,
      '--label',
      'accuracy',
      '--strategy',
      'etas',
      '--proxy',
      'widths',
      '--budget',
      '33',
    );
    expect(found).toMatchObject({
      schema: 'auspex.search/1',
      space: 'nats-size',
      strategy: 'etas',
      options: { scorer: 'widths', pool: 500 },
      objectives: [{ name: 'accuracy', better: 'higher' }],
      best: { trial: 0, value: top },
      failed: 0,
    });
    const { parameters, macs } = describeArchitecture(natsSize, natsSize.parse(found.best.arch));
    expect(found.best.cost).toMatchObject({ parameters, macs });
  });

  it('goes on in a folder, and writes the winner', async () => {
    const args = [
      ...TABLE,
      '--label',
      'accuracy',
      '--option',
      'population=10',
      '--option',
      'tournament=3',
      '--seed',
      '2',
    ];
    const whole = await json(...args, '--budget', '40');
    await run(...args, '--budget', '15', '-o', at('run'));
    await expect(run(...args, '--budget', '40', '-o', at('run'))).rejects.toMatchObject({
      code: 'LOG_EXISTS',
    });
    const resumed = await json(...args, '--budget', '40', '-o', at('run'), '--resume');
    expect(resumed.best).toEqual(whole.best);
    expect(readFileSync(join(at('run'), 'trials.jsonl'), 'utf8').split('\n').length).toBe(42);
    expect(readModel(join(at('run'), 'winner.onnx')).metadata?.get(ARCH_KEY)).toBe(whole.best.arch);
    expect(readFileSync(join(at('run'), 'report.html'), 'utf8')).toContain(whole.best.arch);
    await expect(
      run(...args, '--budget', '40', '-o', at('run'), '--resume', '--max', 'macs=1e9'),
    ).rejects.toMatchObject({ code: 'SEARCH_LOG_OTHER' });
  });

  it('finds a front of two labels', async () => {
    const args = [
      ...TABLE,
      '--label',
      'accuracy,latency',
      '--strategy',
      'nsga2',
      '--option',
      'population=20',
    ];
    const report = at('front.html');
    const found = await json(...args, '--budget', '100', '--report', report);
    const { front, objectives, hypervolume } = found;
    expect(front.map(({ value }: { value: number }) => value)).toEqual(
      front.map(({ value }: { value: number }) => value).sort((a: number, b: number) => b - a),
    );
    expect(hypervolume.value).toBeGreaterThan(0);
    const html = readFileSync(report, 'utf8');
    expect(html.match(/<svg /g)!.length).toBeGreaterThanOrEqual(2);
    expect(html).toContain(found.best.arch);
    expect(objectives[1]).toEqual({ name: 'latency', better: 'lower', unit: 'ms' });
    expect(front.length).toBeGreaterThan(1);
    for (const { arch, objectives: values } of front) {
      expect(values).toEqual([accuracyOf(arch), Number.parseInt(arch, 10)]);
    }
    expect(await run(...args, '--budget', '30')).toMatch(
      /accuracy \(%\), higher is better\nlatency \(ms\), lower is better\n[\s\S]*Pareto front:\n {2}accuracy \d/,
    );
  });

  it('asks a command', async () => {
    const args = ['--strategy', 'random', '--budget', '4', '--parallel', '2', '--better', 'lower'];
    const found = await json(
      '--evaluate',
      'IFS=:; sum=0; for width in $AUSPEX_ARCH; do sum=$((sum + width)); done; test -s {onnx} && echo $sum',
      '--label',
      'widths',
      ...args,
    );
    expect(found.objectives).toEqual([{ name: 'widths', better: 'lower' }]);
    expect(found.best.value).toBe(accuracyOf(found.best.arch));
    await expect(run('--evaluate', 'exit 3', ...args)).rejects.toMatchObject({
      code: 'SEARCH_WITHOUT_RESULT',
      message: expect.stringContaining('COMMAND_FAILED'),
    });
    expect(existsSync('winner.onnx')).toBe(false);
  });

  it('takes a proxy for the truth', async () => {
    const args = ['--strategy', 'random', '--budget', '5', '--seed', '4'];
    const found = await json('--evaluator', 'proxy:widths', ...args);
    expect(found).toMatchObject({ evaluator: 'widths', objectives: [{ better: 'higher' }], failed: 0 });
    expect(found.best.value).toBe(accuracyOf(found.best.arch));
    await expect(run('--evaluator', 'proxy:ntsr', ...args)).rejects.toMatchObject({ code: 'PROXY_POOL' });
  });

  it('follows the direction of a label', async () => {
    const found = await json(...TABLE, '--label', 'latency', '--budget', '60');
    expect(found.best.value).toBe(8);
    expect((await json(...TABLE, '--label', 'latency', '--better', 'lower', '--budget', '60')).best).toEqual(
      found.best,
    );
    const args = ['--evaluate', 'echo 1', '--strategy', 'random', '--budget', '2'];
    expect((await json(...args, '--label', 'lat_ms')).objectives).toEqual([
      { name: 'lat_ms', better: 'lower', unit: 'ms' },
    ]);
  });

  it('refuses the log of an earlier version, and leaves it as it is', async () => {
    const args = [...TABLE, '--label', 'accuracy', '-o', at('old')];
    await run(...args, '--budget', '3');
    const log = join(at('old'), 'trials.jsonl');
    // The last line is cut off, as by kill −9.
    const old = readFileSync(log, 'utf8').replace('"version":2', '"version":1').slice(0, -5);
    writeFileSync(log, old);
    await expect(run(...args, '--budget', '5', '--resume')).rejects.toMatchObject({
      code: 'SEARCH_LOG_VERSION',
      message: expect.stringContaining('an earlier version'),
      hint: 'finish it with that version or start a new search in another folder',
    });
    expect(readFileSync(log, 'utf8')).toBe(old);
  });

  it('searches around a file', async () => {
    const net = at('net.onnx');
    writeModel(natsSize.network(natsSize.parse('8:8:8:8:8')), net);
    const command = searchCommand({ write: (text) => lines.push(text) }).exitOverride();
    const lines: string[] = [];
    const args = [`onnx:${net}`, '--budget', '4', '--seed', '1', '--strategy', 'random', '-o', at('around')];
    const evaluate = ['--evaluate', 'echo {arch} > /dev/null; wc -c < {onnx}', '--label', 'size'];
    await command.parseAsync([...args, ...evaluate, '--max', 'macs=1e12', '--json'], { from: 'user' });
    const found = JSON.parse(lines.join(''));
    expect(found).toMatchObject({ space: 'onnx', evaluations: 4, failed: 0 });
    expect(found.best.arch).toMatch(/^base/);
    expect(readModel(join(at('around'), 'winner.onnx')).graph.nodes.length).toBeGreaterThan(5);
    expect(
      JSON.parse(readFileSync(join(at('around'), 'trials.jsonl'), 'utf8').split('\n')[0]!).files,
    ).toEqual({
      'the searched file': expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  it('keeps to limits', async () => {
    const { parameters } = describeArchitecture(natsSize, natsSize.parse('32:32:32:32:32'));
    const found = await json(
      ...TABLE,
      '--label',
      'accuracy',
      '--max',
      `parameters=${parameters}`,
      '--budget',
      '30',
    );
    expect(found.constraints).toEqual([`parameters <= ${parameters}`]);
    expect(found.best.cost.parameters).toBeLessThanOrEqual(parameters);
  });

  it.each([
    [['--budget', '5'], 'BAD_OPTION'],
    [[...TABLE, '--evaluate', 'true', '--budget', '5'], 'BAD_OPTION'],
    [['--evaluator', 'oracle', '--budget', '5'], 'BAD_OPTION'],
    [[...TABLE, '--budget', '5'], 'LABEL_MISSING'],
    [[...TABLE, '--label', 'energy', '--budget', '5'], 'TABLE_NO_LABEL'],
    [
      [...TABLE, '--label', 'accuracy', '--strategy', 'etas', '--proxy', 'what', '--budget', '5'],
      'SCORE_UNKNOWN',
    ],
    [[...TABLE, '--label', 'accuracy', '--proxy', 'widths', '--budget', '5'], 'STRATEGY_SCORER'],
    [[...TABLE, '--label', 'accuracy', '--option', 'size=3', '--budget', '5'], 'STRATEGY_OPTION'],
    [[...TABLE, '--label', 'accuracy', '--max', 'energy=3', '--budget', '5'], 'SCORE_UNKNOWN'],
    [[...TABLE, '--label', 'accuracy', '--budget', '5', '--resume'], 'BAD_OPTION'],
    [[...TABLE, '--label', 'accuracy', '--budget', '5', '--better', 'lower'], 'BETTER_CONTRADICTS'],
    [
      [...TABLE, '--label', 'accuracy,latency', '--budget', '5', '--better', 'higher,higher'],
      'BETTER_CONTRADICTS',
    ],
    [[...TABLE, '--label', 'latency', '--budget', '5', '--better', 'lower,lower'], 'BAD_OPTION'],
    [['--evaluator', 'proxy:widths', '--budget', '5', '--better', 'lower'], 'BETTER_CONTRADICTS'],
    [[...TABLE, '--label', 'accuracy', '--budget', '5', '--option', 'population=1e12'], 'STRATEGY_OPTION'],
    [[...TABLE, '--label', 'accuracy', '--budget', '5', '--parallel', '99999'], 'BAD_OPTION'],
    [[...TABLE, '--label', 'accuracy', '--budget', '4000000000'], 'BUDGET'],
    [[...TABLE, '--label', 'accuracy', '--budget', '0'], 'BUDGET'],
  ])('refuses %j', async (args, code) => {
    await expect(run(...args)).rejects.toMatchObject({ code });
  });
});
