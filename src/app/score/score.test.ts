// Pools as a server would score them: files opened and inferred once, errors as data, logs, cancellation.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import type { Model } from '../../graph/graph.js';
import { Resolver } from '../../networks/index.js';
import { readTableFile } from '../../store/table-file.js';
import { correlate } from '../correlate.js';
import { correlateDocument, correlateDocumentOf } from '../documents/correlate.js';
import { exitCodeOf, scoreDocument, scoreDocumentOf } from '../documents/score.js';
import { openReferences } from '../resolve.js';
import { columnsNamed } from './columns.js';
import { planOf, type ScoringRequest, scoringPlan } from './plan.js';
import { type ScoreOptions, scoreNetworks } from './score.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-score-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

/** Three classes of a linear layer. */
const linear = (input = 'batch,9'): Model =>
  modelOf({
    inputs: [`x: ${input}`],
    nodes: ['a = MatMul(x, w)', 'h = Relu(a)', 'y = MatMul(h, v)'],
    outputs: ['y'],
    initializers: [tensor('w', [9, 4]), tensor('v', [4, 3])],
  });

/** How often a model is opened, and how often its shapes are inferred. */
class Counted {
  opened = 0;
  #reads = 0;

  readonly resolver = new Resolver({
    open: () => {
      this.opened++;
      const model = linear();
      const count = (): void => {
        if (/new InferenceRun/.test(new Error().stack ?? '')) this.#reads++;
      };
      return {
        ...model,
        get functions() {
          count();
          return model.functions;
        },
      };
    },
  });

  /** An inference looks at the functions of its model twice. */
  get inferred(): number {
    return this.#reads / 2;
  }
}

interface Given extends ScoringRequest, Omit<ScoreOptions, 'plan' | 'columns'> {
  readonly proxies: string[];
  readonly resolver?: Resolver;
}

async function score(refs: string[], { proxies, resolver, ...given }: Given) {
  const columns = columnsNamed(proxies);
  const networks = await openReferences(refs, { space: given.space, resolver });
  return scoreNetworks(networks, { threads: 1, ...given, plan: planOf(given, columns), columns });
}

const WIDTHS = ['8:8:8:8:8', '16:8:8:8:8', '8:8:8:8:64'];
const SMALL = {
  space: 'nats-size',
  sizes: { batch: 2, resolution: 8 },
  proxies: ['params', 'params+l2_norm'],
};

describe('scoreNetworks', () => {
  it('opens a file once and infers it no more often than its steps need', async () => {
    const counted = new Counted();
    const { resolver } = counted;
    await score(['net.onnx'], { proxies: ['params', 'snip', 'zen', 'synflow'], explains: true, resolver });
    // For its sizes, its cost and its constants, and three times for each of two batches: 16 samples and one.
    expect([counted.opened, counted.inferred]).toEqual([1, 9]);
    const one = new Counted();
    await score(['net.onnx', 'net.onnx'], { proxies: ['snip'], resolver: one.resolver, sizes: { batch: 4 } });
    expect([one.opened, one.inferred]).toEqual([1, 5]);
  });

  it('gives records of every kind, as the document says', async () => {
    const found = await score([...WIDTHS, 'broken', `nasbench201:broken`], {
      ...SMALL,
      proxies: ['params', 'sept', 'params+l2_norm', 'l2_norm'],
      explains: true,
    });
    const document = scoreDocument.parse(JSON.parse(JSON.stringify(scoreDocumentOf(found))));
    expect(document).toMatchObject({ given: 5, scored: 3, failed: 2, output: null });
    expect(document.networks[0]!.explanation!.samples).toBe(2);
    expect(document.networks[0]!.errors!.sept!.code).toBe('PROXY_NO_BLOCKS');
    expect(document.networks.map(({ error }) => error?.code).slice(2)).toEqual([
      undefined,
      'ARCH_TEXT',
      'ARCH_TEXT',
    ]);
    expect(exitCodeOf(found)).toBe(0);
    expect(exitCodeOf({ ...found, records: found.records.slice(3) })).toBe(2);
    const failure = { code: 'UNEXPECTED', message: '', isFailure: true } as const;
    expect(exitCodeOf({ ...found, records: [{ ...found.records[3]!, error: failure }] })).toBe(1);
  });

  it('keeps the scores of a network that it cannot explain', async () => {
    const sizes = modelOf({ inputs: ['x: batch,9'], nodes: ['y = Shape(x)'], outputs: ['y'] });
    const resolver = new Resolver({ open: () => sizes });
    const found = await score(['net.onnx'], { proxies: ['params', 'snip'], explains: true, resolver });
    const { networks, scored } = scoreDocument.parse(JSON.parse(JSON.stringify(scoreDocumentOf(found))));
    expect(scored).toBe(1);
    expect(networks[0]).toMatchObject({ scores: { params: 0 }, unexplained: { code: 'PROXY_OUTPUT' } });
    const none = await score(['net.onnx'], { proxies: [], explains: true, resolver });
    expect([none.records[0]!.error!.code, exitCodeOf(none)]).toEqual(['PROXY_OUTPUT', 2]);
  });

  it('writes plans and documents that their schemas read', async () => {
    const request: ScoringRequest = {
      ...SMALL,
      ...{ seed: 3, sizes: { dims: { n: 2 }, shapes: { x: [1, 'n'] }, width: 0.5 } },
      ...{ inputs: [{ name: 'x', file: 'x.npy' }], targets: 'y.npy', weights: ['w'], features: 'h' },
      ...{ logits: 'y', vocabulary: 10 },
      init: 'seeded',
      statistics: 'frozen',
    };
    const plan = planOf(request, columnsNamed(['ntsr']));
    expect(scoringPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    const images = planOf({ images: 'folder', mean: [0.5] }, []);
    expect(scoringPlan.parse(JSON.parse(JSON.stringify(images)))).toEqual(images);
    const label = '{"unit":"","provenance":"made up","better":"higher"}';
    const head = `# auspex {"table":1,"space":"nats-size","labels":{"a":${label}}}\narch,a`;
    writeFileSync(at('t.csv'), `${head}\n${WIDTHS.map((width, i) => `${width},${i}`).join('\n')}\n`);
    const found = await correlate({
      table: await readTableFile(at('t.csv')),
      file: at('t.csv'),
      label: 'a',
      request: { sizes: SMALL.sizes },
      columns: columnsNamed(['params', 'sept', 'params+l2_norm']),
      resamples: 50,
    });
    const document = correlateDocument.parse(JSON.parse(JSON.stringify(correlateDocumentOf(found, null))));
    expect(document).toMatchObject({ rows: 3, failed: 0, report: null, data: { space: 'nats-size' } });
  });

  it('resumes a log, and explains what it did not score again', async () => {
    const log = { path: at('pool.jsonl') };
    const first = await score(WIDTHS, { ...SMALL, log });
    const text = readFileSync(log.path, 'utf8');
    expect(text).not.toContain('explanation');
    const again = await score(WIDTHS, { ...SMALL, log: { ...log, resume: true }, explains: true });
    expect(readFileSync(log.path, 'utf8')).toBe(text);
    expect(again.records.map(({ explanation, ...record }) => [explanation!.samples, record])).toEqual(
      first.records.map((record) => [2, record]),
    );
    await expect(score(WIDTHS.slice(1), { ...SMALL, log: { ...log, resume: true } })).rejects.toMatchObject({
      code: 'PROXY_LOG_OTHER',
    });
  });

  it('reads logs of the first version, and refuses what is none in one sentence', async () => {
    const lines = [
      '{"kind":"proxy","version":1,"space":"nats-size","proxies":["params"],"seed":0,"init":"file","batch":2,"resolution":8}',
      '{"kind":"network","index":0,"network":"8:8:8:8:8","scores":{"params":1}}',
      '{"kind":"network","index":1,"network":"x","scores":{},"error":{"code":"ARCH_TEXT","message":"m","hint":"h"}}',
    ];
    const resume = async (kept: readonly string[]) => {
      writeFileSync(at('old.jsonl'), kept.map((line) => `${line}\n`).join(''));
      const log = { path: at('old.jsonl'), resume: true };
      return score(['8:8:8:8:8', 'x', WIDTHS[1]!], { ...SMALL, proxies: ['params'], log });
    };
    const { records } = await resume(lines);
    expect(records.map(({ scores, error }) => error?.code ?? scores.params)).toEqual([
      1,
      'ARCH_TEXT',
      expect.any(Number),
    ]);
    const flops = lines[0]!.replace('"params"', '"flops"');
    writeFileSync(at('flops.jsonl'), `${flops}\n`);
    const log = { path: at('flops.jsonl'), resume: true };
    await expect(score(WIDTHS, { ...SMALL, proxies: ['flops'], log })).rejects.toMatchObject({
      code: 'PROXY_LOG_OTHER',
      message: 'the log was written by an earlier version, which called MACs flops',
    });
    for (const [kept, message] of [
      [
        [lines[0]!.replace('"version":1', '"version":3')],
        'the file is not a log of this version of `auspex proxy`',
      ],
      [['{"kind":"search"}'], 'the file is not a log of this version of `auspex proxy`'],
      [[lines[0]!, '{"kind":"network","index":0}'], 'line 2 of the log is not a valid result'],
      [[lines[0]!, lines[1]!.replace('1}', 'null}')], 'line 2 of the log is not a valid result'],
    ] as const) {
      await expect(resume(kept)).rejects.toMatchObject({ code: 'PROXY_LOG', message });
    }
  });

  it('stops when a signal says so, between networks, whatever they are', async () => {
    const controller = new AbortController();
    const seen: [number, number][] = [];
    const found = await score(WIDTHS, {
      ...SMALL,
      signal: controller.signal,
      progress: (done, all) => {
        seen.push([done, all]);
        controller.abort();
      },
    });
    const whole = seen.filter(([done]) => Number.isInteger(done));
    expect([found.given, found.records.length, whole.at(-1)]).toEqual([3, 1, [1, 3]]);
  });
});
