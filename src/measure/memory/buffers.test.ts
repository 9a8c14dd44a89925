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
    const nodes = ['a = Erf(x)', 'b = Erf(a)', 'y = Erf(b)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes, outputs: ['y'] })).toEqual([400, 400, 400]);
  });

  it('takes operands that end with an activation, and values of the same shape that ended before', () => {
    // Which kernels write over an operand was found by running each in ONNX Runtime and looking at what its pool takes.
    const activation = ['a = Erf(x)', 'b = Relu(a)', 'c = Tanh(b)', 'y = Erf(c)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes: activation, outputs: ['y'] })).toEqual([400, 400]);
    const sums = ['a = Erf(x)', 'b = Add(a, x)', 'y = Erf(b)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes: sums, outputs: ['y'] })).toEqual([400, 400, 400]);
    const ended = ['a = Erf(x)', 'b = Erf(a)', 'c = Erf(b)', 'y = Erf(c)'];
    expect(bytes({ inputs: ['x: 10,10'], nodes: ended, outputs: ['y'] })).toEqual([400, 400, 400]);
  });

  it('shares no memory where the runtime does not know all sizes before', () => {
    const ended = ['a = Erf(x)', 'b = Erf(a)', 'c = Erf(b)', 'y = Erf(c)'];
    const [fixed, open] = ['10,10', '10,2*n'].map((sizes) =>
      inferShapes(modelOf({ inputs: [`x: ${sizes}`], nodes: ended, outputs: ['y'] })),
    );
    const { kernels } = planKernels(fixed!, { blockChannels: 16 });
    expect(plannedBuffers(fixed!.graph, kernels, open!.graph)).toHaveLength(4);
  });

  it('leaves out what is constant', () => {
    const nodes = ['c = Erf(w)', 'y = Add(x, c)'];
    const text = { inputs: ['x: 10'], nodes, outputs: ['y'], initializers: [tensor('w', [10])] };
    expect(bytes(text)).toEqual([40]);
  });
});

describe('runMemory', () => {
  it('holds the most bytes at once, and takes a block of their own for later runs', () => {
    const nodes = ['a = Erf(x)', 'b = Erf(a)', 'y = Erf(b)'];
    const planned = buffers({ inputs: ['x: 1024,1024'], nodes, outputs: ['y'] });
    const MB = 2 ** 22;
    const { activationBytes, firstBytes, laterBytes } = runMemory(planned);
    expect(activationBytes).toBe(2 * MB);
    expect(firstBytes).toBeGreaterThanOrEqual(2 * MB);
    expect(laterBytes).toBeGreaterThanOrEqual(firstBytes);
  });
});
