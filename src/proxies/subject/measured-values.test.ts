import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import type { Model } from '../../graph/graph.js';
import { fromNumbers } from '../../graph/tensor.js';
import { requestNamed } from '../index.js';
import { scoreAll, scoreNetwork } from '../proxy.js';
import { drawBatch, type InputBatch } from './batch.js';
import { Subject } from './subject.js';

const waves = (name: string, dims: readonly number[]) =>
  tensor(
    name,
    dims,
    Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, i) => Math.sin(i * 1.7) / 2),
  );
const int = (name: string, value: number) => fromNumbers(name, 'int64', [], [value]);

/** A sentence of four words (1, 4, 3), each repeated until the whole is as long as its features are large. */
const SPOKEN = ['a = Abs(x)', 's = ReduceSum(a) keepdims=0', 'n = Cast(s) to=7', 'r = Range(zero, n, one)'];

function speech(positions: readonly string[], ...more: ReturnType<typeof int>[]): Model {
  return modelOf({
    inputs: ['x: 1,4,3'],
    nodes: [
      ...positions,
      'i = Mod(r, four)',
      'e = Gather(x, i) axis=1',
      'h = MatMul(e, w)',
      'c = Relu(h)',
      'y = MatMul(c, v)',
    ],
    outputs: ['y'],
    initializers: [
      ...[waves('w', [3, 8]), waves('v', [8, 5])],
      ...[int('zero', 0), int('one', 1), int('four', 4)],
      ...more,
    ],
  });
}

const NAMES = ['params', 'snip', 'grad_norm', 'zico', 'synflow', 'naswot', 'jacov', 'ntkt'];

async function scoresOf(model: Model): Promise<unknown[]> {
  const outcomes = await scoreNetwork(model, NAMES.map(requestNamed), () => ({
    loss: 'squares',
    isBatchFixed: true,
  }));
  return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : outcome.error.code));
}

describe('a network whose sizes depend on the data', () => {
  it('has the scores of the network with the sizes of the first sample', async () => {
    const model = speech(SPOKEN);
    const { x } = drawBatch(model, { seed: 0 });
    const length = Math.trunc((x!.data as Float32Array).reduce((sum, value) => sum + Math.abs(value), 0));
    expect(length).toBeGreaterThan(4);
    const positions = fromNumbers(
      'r',
      'int64',
      [length],
      Array.from({ length }, (_, i) => i),
    );
    const found = await scoresOf(model);
    expect(found.every((score) => typeof score === 'number')).toBe(true);
    expect(found).toEqual(await scoresOf(speech([], positions)));
  });

  it('still sees what is moved, also bytes', async () => {
    // The first rows of an image of bytes, as many as its first byte says.
    const model = modelOf({
      inputs: ['x: 1,6,3'],
      nodes: [
        's = Cast(x) to=2',
        'a = Abs(x)',
        'm = ReduceMax(a) keepdims=0',
        'n = Cast(m) to=7',
        'e = Add(n, ones)',
        'p = Slice(s, from, e, axis)',
        'f = Cast(p) to=1',
        'h = MatMul(f, w)',
        'c = Relu(h)',
        'y = MatMul(c, v)',
      ],
      outputs: ['y'],
      initializers: [
        ...[waves('w', [3, 8]), waves('v', [8, 5])],
        ...[['ones', 1] as const, ['from', 0] as const, ['axis', 1] as const].map(([name, value]) =>
          fromNumbers(name, 'int64', [1], [value]),
        ),
      ],
    });
    const { model: fixed } = await Subject.measured(model);
    const slice = fixed.graph.nodes.find(({ opType }) => opType === 'Slice');
    expect([slice?.inputs[0], fixed.graph.initializers.has('e')]).toEqual(['s', true]);
  });

  it('says so', async () => {
    const { changes, samples } = await Subject.measured(speech(SPOKEN));
    expect(samples).toBe(1);
    expect(changes.find(({ transform }) => transform === 'data-dependent sizes')?.what).toContain('1 value');
  });
});

describe('a network that takes one sample at a time', () => {
  const layers = ['h = MatMul(x, w)', 'c = Relu(h)', 'y = MatMul(c, v)'];
  const ofBatch = (samples: number): Model =>
    modelOf({
      inputs: [`x: ${samples},3`],
      nodes: layers,
      outputs: ['y'],
      initializers: [waves('w', [3, 16]), waves('v', [16, 5])],
    });

  it('is compared over four samples, as if they were a batch', async () => {
    const one = Subject.of(ofBatch(1), { isBatchFixed: true });
    const drawn = [0, 1, 2, 3].flatMap((index) => [...(one.inputs(index).x!.data as Float32Array)]);
    const batch: InputBatch = { x: { type: 'float32', dims: [4, 3], data: Float32Array.from(drawn) } };
    const four = Subject.of(ofBatch(4), { batches: [batch] });
    for (const name of ['naswot:given', 'jacov']) {
      const [a, b] = await Promise.all([one, four].map((subject) => scoreAll(subject, [requestNamed(name)])));
      const values = [a![0]!, b![0]!].map((outcome) =>
        'score' in outcome ? outcome.score.value : Number.NaN,
      );
      expect(values[0]! / values[1]!).toBeCloseTo(1, 5);
    }
  });
});
