// The same network scores the same, whichever exporter wrote it: verify/golden/exporters.py.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeModel } from '../onnx/read.js';
import { requestNamed } from './index.js';
import { scoreAll } from './proxy.js';
import { Subject } from './subject/subject.js';

interface GoldenNetwork {
  readonly dims: readonly number[];
  readonly x: readonly number[];
  readonly labels: readonly number[];
  readonly scores: Readonly<Record<string, number>>;
}

const FOLDER = new URL('fixtures/exporters/', import.meta.url);
const golden = JSON.parse(readFileSync(new URL('exporters.json', FOLDER), 'utf8')) as Readonly<
  Record<string, GoldenNetwork>
>;

/** Also those that draw weights of their own: what is drawn must not depend on the exporter either. */
const OTHERS = [
  'macs',
  'l2_norm:expected',
  'synflow',
  'synflow:batch-norm',
  'logsynflow',
  'fisher',
  'jacov',
  'naswot',
  'naswot:given',
  'zen',
  'zen:given',
  'meco',
  'meco:tokens',
  'ntkt',
];
const ATTENTION = ['dss', 'sept', 'sept:qkv'];

async function scoresOf(file: string, names: readonly string[]): Promise<Record<string, number>> {
  const { dims, x, labels } = golden[file.split('-')[0]!]!;
  const type = dims.length === 2 ? 'int64' : 'float32';
  const data = type === 'int64' ? BigInt64Array.from(x, BigInt) : Float32Array.from(x);
  const model = decodeModel(new Uint8Array(readFileSync(new URL(file, FOLDER))));
  const subject = Subject.of(model, {
    batches: [{ x: { type, dims, data } }],
    labels: [labels],
    session: { threads: 1 },
  });
  const outcomes = await scoreAll(subject, names.map(requestNamed));
  return Object.fromEntries(
    outcomes.map((outcome, i) => {
      if ('error' in outcome) throw outcome.error;
      return [names[i]!, outcome.score.value];
    }),
  );
}

/** What is further from what is expected than rounding. */
function wrong(
  found: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
): unknown[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    Math.abs(found[name]! - value) <= 1e-3 * Math.abs(value) + 1e-9 ? [] : [[name, found[name], value]],
  );
}

describe.each(Object.keys(golden))('%s', (name) => {
  const files = readdirSync(FOLDER).filter((file) => file.startsWith(`${name}-`));
  const others = [...OTHERS, ...(name === 'groups' ? [] : ATTENTION)];
  let first: Record<string, number> | undefined;

  it.each(files)('has the same scores in %s, and those that PyTorch computes', async (file) => {
    const { scores } = golden[name]!;
    const found = await scoresOf(file, [...Object.keys(scores), ...others]);
    expect(wrong(found, scores)).toEqual([]);
    first ??= found;
    expect(wrong(found, first)).toEqual([]);
  });

  it('has five files', () => expect(files).toHaveLength(5));
});
