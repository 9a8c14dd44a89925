import { expect, it } from 'vitest';
import type { Kernel } from '../../analysis/kernels/kernel.js';
import { executionOrder } from './order.js';

const kernel = (operator: string, reads: readonly string[], writes: readonly string[]): Kernel => ({
  operator,
  layout: 'plain',
  inputs: [],
  outputs: [],
  nodes: [],
  values: { reads, writes },
});

it('computes what is needed late as late as it is needed', () => {
  const kernels = [
    kernel('scale weights 1', [], ['w1']),
    kernel('scale weights 2', [], ['w2']),
    kernel('layer 1', ['x', 'w1'], ['a']),
    kernel('layer 2', ['a', 'w2'], ['y']),
  ];
  const order = executionOrder(kernels).map(({ operator }) => operator);
  expect(order.indexOf('scale weights 2')).toBe(order.indexOf('layer 2') - 1);
  expect(order.indexOf('layer 1')).toBeLessThan(order.indexOf('layer 2'));
});

it('computes the operand that comes later in the graph first', () => {
  const kernels = [
    kernel('left', ['x'], ['a']),
    kernel('right', ['x'], ['b']),
    kernel('sum', ['a', 'b'], ['y']),
  ];
  expect(executionOrder(kernels).map(({ operator }) => operator)).toEqual(['right', 'left', 'sum']);
});
