// Searches as an application asks for them: bundled predictors, notes, signals, files.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readModel, writeModel } from '../../onnx/file.js';
import { nasBench201 } from '../../spaces/cells/nasbench201.js';
import { natsSize } from '../../spaces/cells/nats-size.js';
import { searchDocument } from '../documents/search.js';
import { searchNetworks } from './search.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-app-search-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const bundled = (name: string): string => fileURLToPath(new URL(`../../../bundled/${name}`, import.meta.url));
const LATENCY = bundled('nasbench201-latency.onnx');
const SPACE = { space: 'nasbench201', strategy: 'random', budget: 40, seed: 1 } as const;

describe('searchNetworks', () => {
  it('minimises a latency, which its predictor says to be lower is better', async () => {
    const request = { ...SPACE, evaluator: `predictor:${LATENCY}`, label: ['pixel2', 'fpga'] };
    const seen: number[] = [];
    const found = await searchNetworks(request, {
      progress: (done, all, best) => seen.push(done, all, best!.value),
    });
    expect(searchDocument.parse(found)).toEqual(found);
    expect(found.objectives).toMatchObject([
      { name: 'pixel2', better: 'lower' },
      { name: 'fpga', better: 'lower' },
    ]);
    expect(found.best.value).toBe(Math.min(...found.front!.map(({ value }) => value)));
    expect(seen.length).toBe(3 * 40);
    expect(seen.at(-1)).toBe(found.best.value);
    await expect(searchNetworks({ ...request, better: ['higher', 'lower'] })).rejects.toMatchObject({
      code: 'BETTER_CONTRADICTS',
      message: expect.stringContaining('for pixel2, lower is better'),
    });
  });

  it('refuses scores and limits that contradict a predictor', async () => {
    const etas = { ...SPACE, strategy: 'etas', evaluate: 'echo 1', budget: 3 };
    await expect(searchNetworks({ ...etas, proxy: `${LATENCY}#pixel2:higher` })).rejects.toMatchObject({
      code: 'BETTER_CONTRADICTS',
    });
    const options = { pool: 20, candidates: 5 };
    const found = await searchNetworks({ ...etas, options, proxy: `${LATENCY}#pixel2:lower` });
    expect(found.options).toMatchObject({ scorer: 'predicted pixel2' });
    const limited = { ...SPACE, evaluator: 'proxy:params', max: [{ what: `${LATENCY}#pixel2`, value: 12 }] };
    expect((await searchNetworks({ ...limited, budget: 5 })).constraints).toEqual(['predicted pixel2 <= 12']);
  });

  it('says what it assumes of a command', async () => {
    const notes: string[] = [];
    const onNote = (note: string): unknown => notes.push(note);
    const request = { ...SPACE, evaluate: 'echo 1', budget: 2 };
    await searchNetworks(request, { onNote });
    expect(notes).toEqual(["assuming that higher is better for 'value'; use --better lower if it is not"]);
    await searchNetworks({ ...request, better: ['lower'] }, { onNote });
    await searchNetworks({ ...request, label: ['loss'] }, { onNote });
    expect(notes.length).toBe(1);
  });

  it('stops, and keeps what it has', async () => {
    const stop = new AbortController();
    const request = { ...SPACE, evaluator: 'proxy:params', budget: 1000, output: at('stopped') };
    const found = await searchNetworks(request, {
      signal: stop.signal,
      progress: (done) => done === 5 && stop.abort(),
    });
    expect(found.end).toBe('stopped');
    expect(found.evaluations).toBeLessThan(20);
    expect(existsSync(join(at('stopped'), 'winner.onnx'))).toBe(true);
    const whole = await searchNetworks({ ...SPACE, evaluator: 'proxy:params' });
    expect((await searchNetworks({ ...request, budget: 40, resume: true })).best).toEqual(whole.best);
  });

  it('searches at other sizes', async () => {
    const request = { space: 'nats-size', evaluator: 'proxy:params', strategy: 'random', budget: 3, seed: 1 };
    const [own, small] = [
      await searchNetworks(request),
      await searchNetworks({ ...request, sizes: { resolution: 8 } }),
    ];
    expect(small.best.cost.macs).toBeLessThan(own.best.cost.macs);
    expect(small.best.cost.parameters).toBe(own.best.cost.parameters);
  });

  it('searches around a file, by a proxy', async () => {
    writeModel(natsSize.network(natsSize.parse('8:8:8:8:8')), at('net.onnx'));
    const request = { space: `onnx:${at('net.onnx')}`, strategy: 'local', budget: 8, seed: 1 };
    const found = await searchNetworks({ ...request, evaluator: 'proxy:l2_norm', proxyBatch: 1 });
    expect(found).toMatchObject({ space: 'onnx', evaluations: 8, failed: 0 });
    expect(found.best.arch).toMatch(/^base/);
    await expect(searchNetworks({ ...request, evaluator: `predictor:${LATENCY}` })).rejects.toMatchObject({
      code: 'OTHER_SPACE',
      message: `the predictor was trained on ${nasBench201.name}, but the search is in onnx`,
    });
    await expect(
      searchNetworks({ ...request, evaluator: 'proxy:params', report: at('net.onnx') }),
    ).rejects.toMatchObject({ code: 'OUTPUT_IS_INPUT' });
  });

  it('edits a file within a limit, and says what was changed', async () => {
    const file = 'examples/resnet8.onnx';
    const whole = await searchNetworks({
      space: `onnx:${file}`,
      evaluator: 'proxy:params',
      budget: 1,
      strategy: 'gennape',
    });
    const { macs } = whole.origin!.cost;
    expect(whole.best.cost).toEqual(whole.origin!.cost);
    const found = await searchNetworks({
      space: `onnx:${file}`,
      strategy: 'gennape',
      options: { rounds: 2, top: 3, mutants: 4 },
      evaluator: 'proxy:params',
      max: [{ what: 'macs', value: 0.9 * macs }],
      output: at('edited'),
    });
    expect(found.objectives.map(({ name }) => name)).toEqual(['params', 'macs']);
    expect(found).toMatchObject({ budget: 17, end: 'budget', failed: 0 });
    expect(found.best.cost.macs).toBeLessThanOrEqual(0.9 * macs);
    expect(found.changes!.length).toBeGreaterThan(0);
    const names = new Set(readModel(file).graph.nodes.map(({ name }) => name));
    expect(found.changes![0]!.replaced.some((name) => names.has(name))).toBe(true);
    const winner = readModel(at('edited/winner.onnx'));
    expect(winner.graph.outputs.map(({ name }) => name)).toEqual(['logits']);
  });
});

describe('searches in latent space', () => {
  const request = { ...SPACE, strategy: 'bo', evaluator: 'proxy:params', budget: 12 };
  const options = { starts: 6, batch: 3, units: 8, epochs: 5, samples: 30 };

  it('use what the package has for the space, and resume', async () => {
    const output = at('bo');
    const whole = await searchNetworks({ ...request, options });
    expect(whole.options).toMatchObject({
      embedding: expect.any(String),
      spread: 'deviation',
      incumbent: 'best',
    });
    await searchNetworks({ ...request, options, budget: 7, output });
    const resumed = await searchNetworks({ ...request, options, output, resume: true });
    expect(resumed.best).toEqual(whole.best);
    const other = { ...request, options, output, resume: true, embedding: 'bundled:nasbench201-accuracy' };
    await expect(searchNetworks(other)).rejects.toMatchObject({ code: 'SEARCH_LOG_OTHER' });
  });

  it.each([
    ['an embedding of another space', { embedding: 'bundled:nasbench101-trunk' }, 'OTHER_SPACE'],
    ['what is neither a file nor a kind', { embedding: 'word2vec' }, 'BUNDLED_UNKNOWN'],
    ['a kind that cannot embed', { embedding: bundled('cifar-ranking.onnx') }, 'CANNOT_EMBED'],
    ['a space without cells', { space: 'nats-size' }, 'STRATEGY_EMBEDDING'],
    ['an embedding that is not used', { strategy: 'random', embedding: 'nn-former' }, 'STRATEGY_EMBEDDING'],
  ])('refuse %s', async (_, changes, code) => {
    await expect(searchNetworks({ ...request, ...changes })).rejects.toMatchObject({ code });
  });
});
