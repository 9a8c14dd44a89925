// The command in this process: scores that PyTorch computed (src/proxies/fixtures), networks that cannot be scored, logs.
// Workers and kill −9 are tested on the built command line, in test/proxy-cli.test.ts.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import type { Model } from '../graph/graph.js';
import { writeNpy } from '../inputs/npy.testing.js';
import { writeModel } from '../onnx/file.js';
import { combineRanks, PROXIES } from '../proxies/index.js';
import { proxyCommand } from './proxy.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-proxy-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const fixture = (name: string): string => new URL(`../proxies/fixtures/${name}`, import.meta.url).pathname;

/** Of the terminal. */
let width = 80;

async function run(...args: string[]): Promise<{ text: string; notes: string; code: number }> {
  const [lines, notes, codes]: [string[], string[], number[]] = [[], [], []];
  const command = proxyCommand({
    write: (text) => lines.push(text),
    note: (text) => notes.push(text),
    exit: (code) => codes.push(code),
    width,
  });
  await command.exitOverride().parseAsync([...args, '--threads', '1'], { from: 'user' });
  return { text: lines.join('\n'), notes: notes.join('\n'), code: codes[0] ?? 0 };
}
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).text);

function saved(name: string, model: Model, externalData: 'auto' | 'always' = 'auto'): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeModel(model, at(name), { externalData });
  return at(name);
}

const CELL = '|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|';

interface Golden {
  readonly batches: readonly { dims: number[]; x: number[]; labels: number[] }[];
  readonly scores: Readonly<Record<string, number>>;
}

/** Three classes of a linear layer. */
const linear = (input = 'batch,9', values?: number[]) =>
  modelOf({
    inputs: [`x: ${input}`],
    nodes: ['a = MatMul(x, w)', 'h = Relu(a)', 'y = MatMul(h, v)'],
    outputs: ['y'],
    initializers: [tensor('w', [9, 4], values), tensor('v', [4, 3])],
  });

describe('auspex proxy', () => {
  it.each(['mlp', 'gpt'])('gives the scores that PyTorch computes for given samples: %s', async (name) => {
    const golden = JSON.parse(readFileSync(fixture('proxies.json'), 'utf8'))[name] as Golden;
    const { batches, scores } = golden;
    const [batch, ...rest] = batches[0]!.dims as [number, ...number[]];
    const all = [batch * batches.length, ...rest];
    const samples = writeNpy(
      at(`${name}.npy`),
      name === 'gpt' ? 'i8' : 'f4',
      all,
      batches.flatMap(({ x }) => x),
    );
    const classes = batches.flatMap(({ labels }) => labels);
    const targets = writeNpy(at(`${name}-y.npy`), 'i8', [classes.length], classes);
    const wanted = ['snip', 'grad_norm', 'fisher:released', 'zico', 'params'];
    const given = ['--inputs', `x=${samples}`, '--targets', targets, '--batch', String(batch)];
    const found = await json(fixture(`${name}.onnx`), '--proxies', wanted.join(','), ...given);
    expect(found).toMatchObject({ schema: 'auspex.proxy/1', space: null, given: 1, scored: 1, failed: 0 });
    for (const proxy of wanted) {
      expect(found.networks[0].scores[proxy] / scores[proxy]!).toBeCloseTo(1, 3);
    }
  });

  it('ranks a pool, shows it within 80 columns, and goes on where a log ends', async () => {
    const archs = ['8:8:8:8:8', '8:16:8:8:8', '16:16:16:16:16', '8:8:8:8:64', 'no architecture'];
    writeFileSync(at('archs.txt'), `${archs.join('\n')}\n\n`);
    const pool = ['--space', 'nats-size', '--input', at('archs.txt'), '--resolution', '8', '--batch', '2'];
    const args = [...pool, '--proxies', 'params,l2_norm,sept,params+l2_norm'];
    const { text, notes, code } = await run(...args, '-o', at('pool.jsonl'));
    expect(code).toBe(0);
    expect(notes).toMatch(/^1 of 5 networks could not be scored; first error: no architecture: ARCH_TEXT/);
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    expect(text).toMatch(/# {2}network +params ↑ +l2_norm ↑ +params\+l2_norm ↑\n/);
    expect(text).toContain('sept: no score for 4 of 5 networks; first error: PROXY_NO_BLOCKS');

    const whole = readFileSync(at('pool.jsonl'), 'utf8');
    // Killed while the fourth was written.
    const lines = whole.split('\n');
    writeFileSync(at('pool.jsonl'), `${lines.slice(0, 3).join('\n')}\n${lines[3]!.slice(0, 30)}`);
    const found = await json(...args, '-o', at('pool.jsonl'), '--resume');
    expect(readFileSync(at('pool.jsonl'), 'utf8')).toBe(whole);
    const scores = found.networks.map(({ scores: of }: { scores: object }) => of);
    const higher = { better: 'higher' as const };
    const column = (name: string) => scores.map((of: Record<string, number | null>) => of[name] ?? undefined);
    expect(column('params+l2_norm')).toEqual(
      combineRanks([higher, higher], [column('params'), column('l2_norm')]),
    );
    expect(found.networks[4]).toMatchObject({
      index: 4,
      error: { code: 'ARCH_TEXT' },
      scores: { params: null },
    });
    await expect(run(...args, '-o', at('pool.jsonl'))).rejects.toMatchObject({ code: 'LOG_EXISTS' });
    await expect(run(...args, '-o', at('pool.jsonl'), '--resume', '--seed', '1')).rejects.toMatchObject({
      code: 'PROXY_LOG_OTHER',
    });
    writeFileSync(at('archs.txt'), archs.toReversed().join('\n'));
    await expect(run(...args, '-o', at('pool.jsonl'), '--resume')).rejects.toMatchObject({
      code: 'PROXY_LOG_OTHER',
    });
  });

  it('tells what becomes of networks that are not as they should be', async () => {
    const broken = linear('batch,9', [Number.NaN]);
    const bare = modelOf({ inputs: ['x: batch,9'], nodes: ['y = Relu(x)'], outputs: ['y'] });
    const wide = modelOf({
      inputs: ['x: batch,9'],
      nodes: ['y = MatMul(x, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [9, 400])],
    });
    saved('missing.onnx', wide, 'always');
    rmSync(at('missing.onnx.data'));
    const unknown = modelOf({
      inputs: ['x: batch,9'],
      nodes: ['a = MatMul(x, w)', 'y = my.domain.Mystery(a)'],
      outputs: ['y'],
      initializers: [tensor('w', [9, 3])],
    });
    writeFileSync(at('text.onnx'), 'no model');
    const files = [
      saved('nan.onnx', broken),
      saved('bare.onnx', bare),
      saved('dynamic.onnx', linear('batch,n,9')),
      saved('unknown.onnx', unknown),
      at('missing.onnx'),
      at('text.onnx'),
      at('nowhere.onnx'),
      saved('good.onnx', linear()),
    ];
    const { networks } = await json(...files, '--proxies', 'params,snip,synflow', '--batch', '4');
    const codes = networks.map(
      (n: { error?: { code: string }; errors?: Record<string, { code: string }>; scores: object }) =>
        n.error?.code ?? Object.values(n.scores).map((v, i) => v ?? Object.values(n.errors!).at(i - 3)!.code),
    );
    expect(codes).toEqual([
      [48, 'WEIGHTS_NOT_FINITE', 'WEIGHTS_NOT_FINITE'],
      [0, 'PROXY_NO_WEIGHTS', 'PROXY_NO_WEIGHTS'],
      // Sizes are chosen, and what is behind an unknown operator is cut off.
      [48, expect.any(Number), expect.any(Number)],
      [27, expect.any(Number), expect.any(Number)],
      [3600, 'DATA_MISSING', 'DATA_MISSING'],
      expect.stringMatching(/^ONNX_/),
      'FILE_UNREADABLE',
      [48, expect.any(Number), expect.any(Number)],
    ]);
    const fixed = await run(at('dynamic.onnx'), '--proxies', 'params', '--dim', 'n=2');
    expect([fixed.code, fixed.text]).toEqual([0, expect.stringContaining('48  ↑  Parameters')]);
    const again = await json(at('nan.onnx'), '--proxies', 'snip', '--init', 'seeded');
    expect(again.networks[0].scores.snip).toBeGreaterThan(0);
    const none = await run(at('text.onnx'), at('nowhere.onnx'), '--proxies', 'snip');
    expect([none.code, none.notes]).toEqual([
      2,
      expect.stringMatching(/^2 of 2 networks could not be scored/),
    ]);
    // It is a network; only the proxy has nothing to go by.
    expect((await run(at('bare.onnx'), '--proxies', 'snip')).code).toBe(1);
  });

  it('explains what it found, and takes other weights', async () => {
    const { text } = await run(fixture('vit.onnx'), '--explain');
    expect(text).toMatch(/attention {3}2 blocks/);
    expect(text).toMatch(/weight {2}yes +attention\n/);
    expect(text).toMatch(/weight {2}yes +perceptron\n/);
    expect(text).toMatch(/weight {2}yes +head/);
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    const file = saved('chosen.onnx', linear());
    const { networks } = await json(file, '--explain', '--weights', 'v', '--features', 'h');
    const { tensors, features } = networks[0].explanation;
    expect(features).toMatchObject({ name: 'h', dims: [16, 4] });
    expect(tensors.map(({ name, counts }: { name: string; counts: boolean }) => [name, counts])).toEqual([
      ['w', false],
      ['v', true],
    ]);
  });

  it('takes references of all forms together, and cuts their names for a terminal only', async () => {
    for (const name of ['first', 'second']) saved(`nets/with-a-rather-long-name/of-${name}/x.onnx`, linear());
    const refs = [at('nets'), 'nats-size:8:8:8:8:8', CELL, `onnx:${saved('base.onnx', linear())}#base`];
    const args = [...refs, 'no such thing', '--proxies', 'params', '--batch', '2'];
    const { networks } = await json(...args);
    const found = networks.map((n: { network: string; error?: { code: string } }) => [
      n.network.replace(folder, ''),
      n.error?.code,
    ]);
    expect(found).toEqual([
      ['/nets/with-a-rather-long-name/of-first/x.onnx', undefined],
      ['/nets/with-a-rather-long-name/of-second/x.onnx', undefined],
      ['nats-size:8:8:8:8:8', undefined],
      [CELL, undefined],
      [refs[3]!.replace(folder, ''), undefined],
      ['no such thing', 'ARCH_TEXT'],
    ]);
    const paths = [at('nets'), '--proxies', 'params,l2_norm,snip,grad_norm', '--batch', '2'];
    width = 60;
    const cut = (await run(...paths)).text;
    for (const line of cut.split('\n')) expect([...line].length).toBeLessThanOrEqual(60);
    const shown = cut.split('\n').slice(1, 3);
    expect(new Set(shown.map((line) => line.split(/ +/)[2])).size).toBe(2);
    width = Number.POSITIVE_INFINITY;
    expect((await run(...paths)).text).toContain(`${at('nets/with-a-rather-long-name/of-second/x.onnx')}  `);
    width = 80;
  });

  it('scores the rows of a table', async () => {
    writeFileSync(
      at('t.csv'),
      '# auspex {"table":1,"space":"nats-size","labels":{}}\narch\n8:8:8:8:8\n16:8:8:8:8\n',
    );
    const found = await json('--data', at('t.csv'), '--proxies', 'params', '--batch', '1');
    expect(found).toMatchObject({ space: 'nats-size', given: 2, scored: 2 });
    const direct = await json('nats-size:16:8:8:8:8', '--proxies', 'params', '--batch', '1');
    expect(found.networks[1].scores).toEqual(direct.networks[0].scores);
  });

  it('knows all proxies by name', async () => {
    const { text } = await run(saved('all.onnx', linear()), '--batch', '4');
    for (const { name } of PROXIES) expect(text).toMatch(new RegExp(`^ {2}${name} +\\S+ +[↑↓]`, 'm'));
  });

  it.each([
    [[], 'BAD_OPTION'],
    [['a.onnx', '--input', 'b'], 'BAD_OPTION'],
    [['a.onnx', '--resume'], 'BAD_OPTION'],
    [['a.onnx', '--width', '0.5'], 'BAD_OPTION'],
    [['--space', 'nats-size', '8:8:8:8:8', '--dim', 'n=3'], 'BAD_OPTION'],
    [['a.onnx', '--targets', 'y.npy'], 'BAD_OPTION'],
    [['a.onnx', '--inputs', 'nowhere.npy'], 'FILE_UNREADABLE'],
    [['a.onnx', '--proxies', 'snipp'], 'PROXY_UNKNOWN'],
    [['a.onnx', '--proxies', 'snip:what'], 'PROXY_VARIANT'],
    [['--space', 'nowhere', 'x'], 'SPACE_UNKNOWN'],
  ])('refuses %j', async (args, code) => {
    await expect(run(...args)).rejects.toMatchObject({ code });
  });
});
