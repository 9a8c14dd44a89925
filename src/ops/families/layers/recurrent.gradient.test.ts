import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  random,
} from '../../../autodiff/check.testing.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const [STEPS, BATCH, FEATURES, HIDDEN] = [3, 2, 2, 2];
const GATES: Readonly<Record<string, number>> = { GRU: 3, LSTM: 4, RNN: 1 };

/** X, W, R, B, no lengths, and initial states, of a layer with so many directions. */
function inputs(op: string, directions = 1, steps = STEPS): GradientInput[] {
  const stacked = GATES[op]! * HIDDEN;
  return [
    random(steps, BATCH, FEATURES),
    random(directions, stacked, FEATURES),
    random(directions, stacked, HIDDEN),
    random(directions, 2 * stacked),
  ];
}

const state = (directions = 1) => random(directions, BATCH, HIDDEN);
const strings = (...value: string[]): ShortAttribute => ({ type: 'strings', value });
const clip: ShortAttribute = { type: 'float', value: 9 };
const [one, both] = [{ hidden_size: HIDDEN }, { hidden_size: HIDDEN, direction: 'bidirectional' }];

it.each<[string, GradientCase]>([
  ['LSTM', { op: 'LSTM', inputs: inputs('LSTM'), attributes: one, outputs: 3 }],
  ['LSTM without biases', { op: 'LSTM', inputs: inputs('LSTM').slice(0, 3), attributes: one }],
  [
    'LSTM with initial states and peepholes',
    {
      op: 'LSTM',
      inputs: [...inputs('LSTM'), null, state(), state(), random(1, 3 * HIDDEN)],
      attributes: { ...one, clip },
      outputs: 3,
    },
  ],
  [
    'LSTM whose gates are coupled, reversed',
    {
      op: 'LSTM',
      inputs: inputs('LSTM'),
      attributes: { ...one, input_forget: 1, direction: 'reverse' },
      outputs: 3,
    },
  ],
  ['LSTM in both directions', { op: 'LSTM', inputs: inputs('LSTM', 2), attributes: both, outputs: 3 }],
  ['GRU', { op: 'GRU', inputs: inputs('GRU'), attributes: one, outputs: 2 }],
  [
    'GRU with an initial state, reset after the product',
    {
      op: 'GRU',
      inputs: [...inputs('GRU'), null, state()],
      attributes: { ...one, linear_before_reset: 1 },
      outputs: 2,
    },
  ],
  ['GRU in both directions', { op: 'GRU', inputs: inputs('GRU', 2), attributes: both, outputs: 2 }],
  ['RNN', { op: 'RNN', inputs: inputs('RNN'), attributes: one, outputs: 2 }],
  [
    'RNN in both directions, each with its activation',
    {
      op: 'RNN',
      inputs: [...inputs('RNN', 2), null, state(2)],
      attributes: { ...both, activations: strings('Sigmoid', 'Tanh') },
      outputs: 2,
    },
  ],
  [
    'RNN with lengths that are all of it',
    {
      op: 'RNN',
      inputs: [...inputs('RNN'), { dtype: 'int32', dims: [BATCH], values: [STEPS, STEPS], constant: true }],
      attributes: one,
      outputs: 2,
      weigh: [1],
    },
  ],
  ['LSTM of one step', { op: 'LSTM', opset: 14, inputs: inputs('LSTM', 1, 1), attributes: one }],
])('%s', async (_, test) => {
  await expectGradient({ dtype: 'float32', ...test });
});

it('of any kind, direction and outputs', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom('GRU', 'LSTM', 'RNN'),
    fc.constantFrom('forward', 'reverse', 'bidirectional'),
    fc.integer({ min: 1, max: 4 }),
    fc.nat(1),
    async (op, direction, steps, weighed) => {
      const directions = direction === 'bidirectional' ? 2 : 1;
      const attributes = { hidden_size: HIDDEN, direction };
      const test = { op, inputs: inputs(op, directions, steps), attributes, outputs: 2, weigh: [weighed] };
      await expectGradient({ ...test, opset: 13, dtype: 'float32' });
    },
  );
  await fc.assert(property, { numRuns: 6 });
});

describe('what ONNX Runtime has no kernel for, or no number', () => {
  const values = (count: number, phase: number) =>
    Array.from({ length: count }, (_, i) => Math.sin(i + phase));
  const given = (op: string) =>
    inputs(op).map(({ dims }, i) => ({
      dims,
      values: values(
        dims.reduce((a, b) => a * b, 1),
        i,
      ),
    }));

  it.each(['GRU', 'LSTM', 'RNN'])('%s with the batch first', async (op) => {
    const [x, ...weights] = given(op);
    const swapped = (list: readonly number[], [outer, inner]: [number, number], width: number): number[] =>
      Array.from({ length: outer * inner * width }, (_, at) => {
        const [a, b, c] = [Math.floor(at / (inner * width)), Math.floor(at / width) % inner, at % width];
        return list[(b * outer + a) * width + c]!;
      });
    const turned = { dims: [BATCH, STEPS, FEATURES], values: swapped(x!.values, [BATCH, STEPS], FEATURES) };
    const usual = await gradientsAt({ op, inputs: [x!, ...weights], attributes: one });
    const found = await gradientsAt({ op, inputs: [turned, ...weights], attributes: { ...one, layout: 1 } });
    expect(found.y0).toEqual(swapped(usual.y0!, [BATCH, STEPS], HIDDEN));
    expect(found.x0).toEqual(swapped(usual.x0!, [BATCH, STEPS], FEATURES));
    found.x2!.forEach((x2, i) => {
      expect(x2).toBeCloseTo(usual.x2![i]!, 12);
    });
  });

  it.each<[string, Pick<GradientCase, 'inputs' | 'attributes'>]>([
    [
      'lengths that differ',
      {
        inputs: [...inputs('RNN'), { dtype: 'int32', dims: [BATCH], values: [1, STEPS], constant: true }],
        attributes: one,
      },
    ],
    [
      'an unknown activation',
      { inputs: inputs('RNN'), attributes: { ...one, activations: strings('Affine') } },
    ],
  ])('refuses %s', async (_, test) => {
    await expect(gradientsAt({ op: 'RNN', ...test })).rejects.toThrowError(
      expect.objectContaining({
        code: 'GRADIENT_UNSUPPORTED',
        where: expect.objectContaining({ node: 'node' }),
      }),
    );
  });
});
