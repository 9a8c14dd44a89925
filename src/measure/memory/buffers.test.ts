import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { inferShapes } from '../../analysis/infer.js';
import { planKernels } from '../../analysis/kernels/plan.js';
import { type GraphText, modelOf, tensor } from '../../analysis/models.testing.js';
import { plannedBuffers } from './buffers.js';
import { runMemory } from './runs.js';

function buffers(text: GraphText): ReturnType<typeof plannedBuffers> {
  const inference = inferShapes(modelOf(text));
  return plannedBuffers(inference.graph, planKernels(inference, { blockChannels: 16 }).kernels);
}

const bytes = (text: GraphText): number[] => buffers(text).map((buffer) => buffer.bytes);

describe('plannedBuffers', () => {
  it('has one for each value, but none for inputs', () => {
    const nodes = ['a = Softmax(x)', 'b = Softmax(a)', 'y = Softmax(b)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes, outputs: ['y'] })).toEqual([400, 400, 400]);
  });

  it('reuses operands that end with an elementwise node, and values of the same shape that ended before', () => {
    const elementwise = ['a = Softmax(x)', 'b = Relu(a)', 'c = Add(b, x)', 'y = Softmax(c)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes: elementwise, outputs: ['y'] })).toEqual([400, 400]);
    const ended = ['a = Softmax(x)', 'b = Softmax(a)', 'c = Softmax(b)', 'y = Softmax(c)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes: ended, outputs: ['y'] })).toEqual([400, 400, 400]);
  });

  it('leaves out what is constant', () => {
    const nodes = ['c = Softmax(w)', 'y = Add(x, c)'];
    const text = { inputs: ['x: 10'], nodes, outputs: ['y'], initializers: [tensor('w', [10])] };
    expect(bytes(text)).toEqual([40]);
  });
});

describe('runMemory', () => {
  it('holds the most bytes at once, and takes a block of their own for later runs', () => {
    const nodes = ['a = Softmax(x)', 'b = Softmax(a)', 'y = Softmax(b)'];
    const planned = buffers({ inputs: ['x: 1024,1024'], nodes, outputs: ['y'] });
    const MB = 2 ** 22;
    const { activationBytes, firstBytes, laterBytes } = runMemory(planned);
    expect(activationBytes).toBe(2 * MB);
    expect(firstBytes).toBeGreaterThanOrEqual(2 * MB);
    expect(laterBytes).toBeGreaterThanOrEqual(firstBytes);
  });
});
