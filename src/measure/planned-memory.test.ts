import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import { inferShapes } from '../analysis/infer.js';
import { type GraphText, modelOf, tensor } from '../analysis/models.testing.js';
import { plannedActivationBytes } from './planned-memory.js';

const planned = (text: GraphText): number | undefined =>
  plannedActivationBytes(inferShapes(modelOf(text)).graph);

describe('plannedActivationBytes', () => {
  it('counts values from where they are made to their last use, but no inputs', () => {
    // a and b are alive at once: 2 x 400 bytes; x is the caller's.
    const text = {
      inputs: ['x: 10,10'],
      nodes: ['a = Softmax(x)', 'b = Softmax(a)', 'y = Softmax(b)'],
      outputs: ['y'],
    };
    expect(planned(text)).toBe(800);
  });

  it('reuses the memory of operands that end with an elementwise node', () => {
    const text = {
      inputs: ['x: 10,10'],
      nodes: ['a = Softmax(x)', 'b = Relu(a)', 'c = Add(b, x)', 'y = Relu(c)'],
      outputs: ['y'],
    };
    expect(planned(text)).toBe(400);
    // a is needed later, so that b has memory of its own.
    const kept = { ...text, nodes: ['a = Softmax(x)', 'b = Relu(a)', 'y = Add(b, a)'] };
    expect(planned(kept)).toBe(800);
  });

  it('leaves out what is constant, and does not guess sizes', () => {
    const text = {
      inputs: ['x: 10'],
      nodes: ['c = Softmax(w)', 'y = Add(x, c)'],
      outputs: ['y'],
      initializers: [tensor('w', [10])],
    };
    expect(planned(text)).toBe(40);
    expect(planned({ inputs: ['x: n'], nodes: ['y = Softmax(x)'], outputs: ['y'] })).toBeUndefined();
  });
});
