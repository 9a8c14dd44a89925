import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { correlationsOf } from '../app/correlations.js';
import { elementsOf } from '../report/plots/plots.testing.js';
import { natsSize } from '../spaces/cells/nats-size.js';
import { describeArchitecture } from '../spaces/describe.js';
import { Random } from '../util/random.js';
import { proxyCommand } from './proxy.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-correlate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

// A loss that falls as parameters grow; two rows have none.
const random = Random.seeded(4);
const rows = Array.from({ length: 14 }, (_, i) => {
  const arch = natsSize.sample(random);
  const { parameters } = describeArchitecture(natsSize, arch);
  return `${natsSize.format(arch)},${i < 2 ? '' : 1e6 / parameters},${i % 5}`;
});
const label = { unit: '', provenance: 'made up' };
const HEAD = {
  table: 1,
  space: 'nats-size',
  labels: { loss: { ...label, better: 'lower' }, noise: { ...label, better: 'higher' } },
};
writeFileSync(at('table.csv'), `# auspex ${JSON.stringify(HEAD)}\narch,loss,noise\n${rows.join('\n')}\n`);

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const outlets = { write: (text: string) => lines.push(text), note: () => undefined, exit: () => undefined };
  const small = ['--resolution', '8', '--batch', '2', '--threads', '1', '--resamples', '100'];
  const all = ['correlate', '--data', at('table.csv'), ...small, ...args];
  await proxyCommand(outlets).exitOverride().parseAsync(all, { from: 'user' });
  return lines.join('\n');
}

describe('auspex proxy correlate', () => {
  it('compares scores with a label of which less is better', async () => {
    const args = ['--label', 'loss', '--proxies', 'l2_norm,sept,params,params+l2_norm', '-o', at('s.jsonl')];
    const found = JSON.parse(await run(...args, '--json'));
    expect(found).toMatchObject({
      schema: 'auspex.proxy.correlate/1',
      label: { name: 'loss', better: 'lower' },
      data: { space: 'nats-size', rows: 14 },
      rows: 12,
      failed: 0,
    });
    const names = found.correlations.map(({ name }: { name: string }) => name);
    expect([names[0], names[3]]).toEqual(['params', 'sept']);
    const [params, , , sept] = found.correlations;
    expect(params).toMatchObject({ rows: 12, tau: { value: 1, low: 1, high: 1 }, spearman: { value: 1 } });
    expect(sept).toMatchObject({ rows: 0, tau: { value: null, problem: { code: 'PROXY_WITHOUT_SCORES' } } });

    // What was scored is not scored again; a report and a table come of it.
    const scores = readFileSync(at('s.jsonl'), 'utf8');
    const text = await run(...args, '--resume', '--report', at('r.html'));
    expect(readFileSync(at('s.jsonl'), 'utf8')).toBe(scores);
    expect(text).toMatch(/^loss, lower is better\n {2}12 of 14 rows of /);
    expect(text).toMatch(/\n {2}params ↑ +1\.00\d* /);
    expect(text).toContain('sept: no score for 12 of 12 networks; first error: PROXY_NO_BLOCKS');
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    const html = readFileSync(at('r.html'), 'utf8');
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    const svg = /<svg[\s\S]*<\/svg>/.exec(html)![0];
    // A bar for each proxy that has scores.
    expect(elementsOf(svg).filter(({ attributes }) => attributes.class === 'f0').length).toBe(3);
  });

  it('draws rows by the seed', async () => {
    const args = ['--label', 'noise', '--proxies', 'params', '--sample', '5'];
    const drawn = async (seed: string, file: string) => {
      await run(...args, '--seed', seed, '-o', at(file));
      const lines = readFileSync(at(file), 'utf8').trim().split('\n').slice(1);
      return lines.map((line) => JSON.parse(line).network);
    };
    const first = await drawn('1', 'a.jsonl');
    expect(new Set(first).size).toBe(5);
    expect(await drawn('1', 'b.jsonl')).toEqual(first);
    expect(await drawn('2', 'c.jsonl')).not.toEqual(first);
  });

  it.each([
    [['--label', 'energy'], 'TABLE_NO_LABEL'],
    [['--label', 'loss', '--sample', '1'], 'BAD_OPTION'],
    [['--label', 'loss', '--dim', 'n=2'], 'BAD_OPTION'],
  ])('refuses %j', async (args, code) => {
    await expect(run(...args)).rejects.toMatchObject({ code });
  });
});

it('takes both directions into account', () => {
  // SciPy: kendalltau and spearmanr of these two are these.
  const [tau, rho] = [0.5925925925925926, 0.7048192771084336];
  const scores = [1, 2, 2, 5, 4, 7, 6, 3];
  const truths = [10, 20, 15, 15, 40, 60, 55, 5];
  const of = (proxyIsHigher: boolean, labelIsHigher: boolean) => {
    const column = {
      name: 'x',
      title: 'X',
      better: proxyIsHigher ? ('higher' as const) : ('lower' as const),
      members: ['x'],
    };
    const records = scores.map((x) => ({ scores: { x } }));
    const options = {
      better: labelIsHigher ? ('higher' as const) : ('lower' as const),
      resamples: 100,
      seed: 0,
    };
    const [found] = correlationsOf([column], records, truths, options);
    return [found!.tau.estimate, found!.spearman.estimate];
  };
  for (const [a, b, sign] of [
    [true, true, 1],
    [false, false, 1],
    [true, false, -1],
    [false, true, -1],
  ] as const) {
    expect(of(a, b)[0]).toBeCloseTo(sign * tau, 12);
    expect(of(a, b)[1]).toBeCloseTo(sign * rho, 12);
  }
});
