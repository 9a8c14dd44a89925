// Against PyTorch: the networks and batches of golden.test.ts, scores of verify/golden/proxies2.py.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeModel } from '../onnx/read.js';
import { requestNamed } from './index.js';
import { ACTIVATION_PROXIES, TRANSFORMER_PROXIES } from './scores/activation-proxies.js';
import { naswot } from './scores/naswot.js';
import { ntkt, type TraceEstimate } from './scores/ntkt.js';
import { zen, zenScore } from './scores/zen.js';
import type { InputBatch } from './subject/batch.js';
import { Subject, type SubjectOptions } from './subject/subject.js';

type Scores = Readonly<Record<string, number>>;
interface Batch {
  readonly dims: readonly number[];
  readonly x: readonly number[];
}

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const golden = JSON.parse(fixture('proxies2.json').toString()) as Readonly<Record<string, Scores>>;
const data = JSON.parse(fixture('proxies.json').toString()) as Readonly<
  Record<string, { readonly batches: readonly Batch[] }>
>;

function subjectOf(name: string, options: SubjectOptions = {}): Subject {
  const type = name === 'gpt' ? 'int64' : 'float32';
  const batches = data[name]!.batches.map(({ dims, x }): InputBatch => {
    const numbers = type === 'int64' ? BigInt64Array.from(x, BigInt) : Float32Array.from(x);
    return { x: { type, dims, data: numbers } };
  });
  const model = decodeModel(new Uint8Array(fixture(`${name}.onnx`)));
  return Subject.of(model, { batches, session: { threads: 1 }, ...options });
}

/** Within a ten-thousandth; sums of eigenvalues that are all 0 within rounding. */
function isClose(ours: number, theirs: number): boolean {
  return Math.abs(ours - theirs) <= 1e-4 * Math.abs(theirs) + 1e-9;
}

describe.each(Object.keys(golden))('%s', (name) => {
  it.each(Object.keys(golden[name]!).filter((key) => key !== 'zen released'))(
    'has the %s of PyTorch',
    async (key) => {
      const { proxy, variant } = requestNamed(key);
      const theirs = golden[name]![key]!;
      const { value } = await proxy.score(subjectOf(name), variant === undefined ? {} : { variant });
      expect([value, theirs]).toSatisfy(() => isClose(value, theirs));
    },
  );
});

it.each(Object.keys(golden).filter((name) => 'zen released' in golden[name]!))(
  'has the Zen-score of released code for %s',
  async (name) => {
    const theirs = golden[name]!['zen released']!;
    const { value } = await zenScore(subjectOf(name), true);
    expect([value, theirs]).toSatisfy(() => isClose(value, theirs));
  },
);

it.each([naswot, zen])('$name draws weights from N(0, 1) itself', async (proxy) => {
  const given = { initialise: 'normal', seed: 5 } as const;
  const model = decodeModel(new Uint8Array(fixture('cnn-norm.onnx')));
  const own = await proxy.score(subjectOf('cnn-norm', { seed: 5 }));
  const same = await proxy.score(Subject.of(model, { ...given, session: { threads: 1 } }), {
    variant: 'given',
  });
  expect(own.value).toBe(same.value);
});

it('covers every proxy', () => {
  const names = new Set(
    Object.values(golden).flatMap((scores) => Object.keys(scores).map((k) => k.split(':')[0])),
  );
  const all = [...ACTIVATION_PROXIES, ...TRANSFORMER_PROXIES].map((proxy) => proxy.name);
  expect(all.filter((name) => !names.has(name))).toEqual([]);
});

describe("Hutchinson's estimate of the trace", () => {
  const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  it.each([
    ['vit', undefined, 'ntkt:exact'],
    ['gpt', undefined, 'ntkt:exact'],
    ['cnn', undefined, 'ntkt:exact'],
    ['vit', 'eq12', 'ntkt:eq12-exact'],
    ['gpt', 'eq12', 'ntkt:eq12-exact'],
  ])('of %s (variant %s) is within 4 standard errors, and right on average', async (name, variant, key) => {
    const exact = golden[name]![key]!;
    const found: TraceEstimate[] = [];
    for (const seed of SEEDS) {
      const { details } = await ntkt.score(subjectOf(name, { seed }), variant ? { variant } : {});
      found.push(details as unknown as TraceEstimate);
    }
    for (const { value, standardError } of found) {
      expect(Math.abs(value - exact)).toBeLessThan(4 * standardError);
      expect(standardError).toBeLessThan(0.25 * exact);
    }
    const mean = found.reduce((sum, { value }) => sum + value, 0) / SEEDS.length;
    const error = Math.sqrt(found.reduce((sum, { variance }) => sum + variance, 0)) / SEEDS.length;
    expect(Math.abs(mean - exact)).toBeLessThan(3 * error);
    expect(new Set(found.map(({ value }) => value)).size).toBe(SEEDS.length);
  });
});
