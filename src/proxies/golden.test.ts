// Against PyTorch: five networks exported to ONNX, scores from the formulas (verify/golden/proxies.py).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeModel } from '../onnx/read.js';
import { scoreAll } from './proxy.js';
import { GRADIENT_PROXIES } from './scores/gradient-proxies.js';
import type { InputBatch } from './subject/batch.js';
import { Subject, type SubjectOptions } from './subject/subject.js';

interface GoldenBatch {
  readonly dims: readonly number[];
  readonly x: readonly number[];
  readonly labels: readonly number[];
}

interface GoldenNetwork {
  readonly batches: readonly GoldenBatch[];
  readonly scores: Readonly<Record<string, number>>;
  readonly frozen?: Readonly<Record<string, number>>;
}

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const golden = JSON.parse(fixture('proxies.json').toString()) as Readonly<Record<string, GoldenNetwork>>;

function subjectOf(name: string, options: SubjectOptions = {}): Subject {
  const { batches } = golden[name]!;
  const type = name === 'gpt' ? 'int64' : 'float32';
  const tensors = batches.map(({ dims, x }): InputBatch => {
    const data = type === 'int64' ? BigInt64Array.from(x, BigInt) : Float32Array.from(x);
    return { x: { type, dims, data } };
  });
  return Subject.of(decodeModel(new Uint8Array(fixture(`${name}.onnx`))), {
    batches: tensors,
    labels: batches.map(({ labels }) => labels),
    session: { threads: 1 },
    ...options,
  });
}

/** `fisher:released` is a proxy and its variant. */
function request(key: string) {
  const [name, variant] = key.split(':');
  const proxy = GRADIENT_PROXIES.find((p) => p.name === name)!;
  return { proxy, ...(variant !== undefined && { variant }) };
}

async function expectScores(subject: Subject, scores: Readonly<Record<string, number>>): Promise<void> {
  const keys = Object.keys(scores);
  const outcomes = await scoreAll(subject, keys.map(request));
  const found = keys.map((key, i) => {
    const outcome = outcomes[i]!;
    if ('error' in outcome) throw outcome.error;
    return [key, outcome.score.value, scores[key]!] as const;
  });
  const wrong = found.filter(([, ours, theirs]) => !(Math.abs(ours - theirs) <= 1e-3 * Math.abs(theirs)));
  expect(wrong).toEqual([]);
}

describe.each(Object.keys(golden))('%s', (name) => {
  it('has the scores that PyTorch computes, all asked for together', async () => {
    await expectScores(subjectOf(name), golden[name]!.scores);
  });
});

it('keeps running statistics if told to', async () => {
  await expectScores(subjectOf('cnn-norm', { statistics: 'frozen' }), golden['cnn-norm']!.frozen!);
});

it('covers every proxy and variant but the count of all arithmetic, which has a test of its own', () => {
  const all = GRADIENT_PROXIES.flatMap((p) => [
    p.name,
    ...Object.keys(p.variants).map((v) => `${p.name}:${v}`),
  ]);
  expect(all.filter((key) => !(key in golden.mlp!.scores))).toEqual(['flops', 'flops:all']);
});
