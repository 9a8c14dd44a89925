// What holds for every family: it is a space, and its networks are torchvision's. verify/golden/nnlqp_families.py
// writes what PyTorch counts and computes of them.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toldKind } from '../../analysis/parameters.js';
import type { Model } from '../../graph/graph.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { describeSpace, type SpaceExpectations } from '../conformance.testing.js';
import { describeArchitecture } from '../describe.js';
import type { Space } from '../space.js';
import type { Variant } from './family.js';

interface GoldenCase {
  readonly text: string;
  readonly parameters: number;
  readonly macs: number;
  /** Of an image of 64², with 10 classes. */
  readonly logits?: readonly number[];
}

const golden = JSON.parse(
  readFileSync(new URL('fixtures/families.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly GoldenCase[]>>;

export function describeFamily(
  space: Space<Variant>,
  { small, refused }: Pick<SpaceExpectations, 'small' | 'refused'>,
): void {
  describeSpace(space, { small, refused });

  const cases = golden[space.name]!;
  describe(`${space.title} is torchvision's`, () => {
    it.each(cases.map((c) => [c.text, c] as const))('has the counts of %s', (text, { parameters, macs }) => {
      expect(describeArchitecture(space, space.parse(text))).toMatchObject({ parameters, macs });
    });

    it.each(cases.flatMap((c) => (c.logits ? [[c.text, c.logits] as const] : [])))(
      'computes what %s computes',
      async (text, logits) => {
        const model = space.network(space.parse(text), { resolution: 64, classes: 10 });
        const computed = await run(withGoldenWeights(model));
        const scale = Math.max(...logits.map(Math.abs));
        logits.forEach((logit, i) => {
          expect(Math.abs(computed[i]! - logit) / scale, `${computed[i]}, not ${logit}`).toBeLessThan(2e-5);
        });
      },
    );
  });
}

/** Numbers from −0.5 to 0.5, hashed from their positions as the script does. */
function filled(count: number, number: number): Float64Array {
  const values = new Float64Array(count);
  const start = Math.imul(number, 40503);
  for (let i = 0; i < count; i++) {
    let x = (Math.imul(i, 2654435761) + start) | 0;
    for (let round = 0; round < 2; round++) x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
    values[i] = ((x ^ (x >>> 16)) >>> 0) / 2 ** 32 - 0.5;
  }
  return values;
}

function withGoldenWeights(model: Model): Model {
  let number = 0;
  const initializers = new Map<string, Tensor>();
  for (const [name, tensor] of model.graph.initializers) {
    const isWeight = toldKind(tensor) !== undefined;
    initializers.set(name, isWeight ? goldenWeights(tensor, number) : tensor);
    if (isWeight) number++;
  }
  return { ...model, graph: { ...model.graph, initializers } };
}

function goldenWeights({ name, dims }: Tensor, number: number): Tensor {
  const count = dims.reduce((n, d) => n * d, 1);
  const values = filled(count, number);
  if (dims.length === 1) {
    const isAroundOne = /weight$|var$/.test(name);
    return fromNumbers(
      name,
      'float32',
      dims,
      values.map((u) => (isAroundOne ? 1 : 0) + 0.4 * u),
    );
  }
  // The script's matrices are (out, in), ours (in, out).
  const [inputs, outputs] = dims.length === 2 ? (dims as [number, number]) : [count / dims[0]!, dims[0]!];
  const scale = Math.sqrt(24 / inputs);
  const scaled = values.map((u) => u * scale);
  if (dims.length > 2) return fromNumbers(name, 'float32', dims, scaled);
  return fromNumbers(
    name,
    'float32',
    dims,
    scaled.map((_, i) => scaled[(i % outputs) * inputs + Math.floor(i / outputs)]!),
  );
}

const IMAGE = 0xffff;

async function run(model: Model): Promise<Float32Array> {
  const dims = [1, 3, 64, 64];
  const image = Float32Array.from(filled(3 * 64 * 64, IMAGE), (u) => 4 * u);
  const session = await Session.create(model, { threads: 1 });
  try {
    const { output } = await session.run({ input: await hostTensor('float32', image, dims) });
    return output!.data as Float32Array;
  } finally {
    await session.dispose();
  }
}
