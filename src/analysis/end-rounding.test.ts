import { describe, expect, it } from 'vitest';
import { endRounding, SIGMOID_ROUNDING } from './end-rounding.js';
import { modelOf } from './models.testing.js';

function roundingOf(...nodes: string[]): number {
  return endRounding(modelOf({ inputs: ['x: 2,2'], nodes, outputs: ['y'] }), 'y');
}

describe('rounding at the end', () => {
  it('is that of a sigmoid', () => {
    expect(roundingOf('y = Sigmoid(x)')).toBe(SIGMOID_ROUNDING);
    expect(roundingOf('y = HardSigmoid(x)')).toBe(SIGMOID_ROUNDING);
  });

  it('is found through nodes that only move elements', () => {
    expect(roundingOf('s = Sigmoid(x)', 't = Transpose(s)', 'y = Identity(t)')).toBe(SIGMOID_ROUNDING);
  });

  it('is none where small numbers are as exact as large ones', () => {
    for (const operator of ['Tanh', 'Softmax', 'Relu', 'Identity']) {
      expect([operator, roundingOf(`y = ${operator}(x)`)]).toEqual([operator, 0]);
    }
  });

  it('is none where something is computed with the result', () => {
    expect(roundingOf('s = Sigmoid(x)', 'y = Mul(s, x)')).toBe(0);
  });
});
