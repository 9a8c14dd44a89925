import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import { between, expectGradient, type GradientCase, random } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const float = (value: number): ShortAttribute => ({ type: 'float', value });

/** x, scale, bias, mean and variance. */
function inputs(...dims: number[]): GradientCase['inputs'] {
  const channels = dims[1] ?? 1;
  return [random(...dims), random(channels), random(channels), random(channels), between(0.5, 2, [channels])];
}

describe('BatchNormalization with constant statistics', () => {
  it.each<[string, number[], number]>([
    ['of images', [2, 3, 2, 2], 21],
    ['of rows', [4, 3], 21],
    ['of single numbers', [4], 15],
    ['of volumes', [2, 2, 2, 1, 2], 14],
    ['of opset 13', [2, 3, 4], 13],
  ])('%s', async (_, dims, opset) => {
    const attributes = { epsilon: float(0.1) };
    await expectGradient({
      op: 'BatchNormalization',
      opset,
      inputs: inputs(...dims),
      attributes,
      second: true,
    });
  });
});

describe('BatchNormalization in training', () => {
  it.each<[string, number[], number]>([
    ['of images', [2, 3, 2, 2], 21],
    ['of rows', [4, 3], 15],
    ['of opset 14', [3, 2, 4], 14],
  ])('%s', async (_, dims, opset) => {
    await expectGradient({
      op: 'BatchNormalization',
      opset,
      inputs: inputs(...dims),
      attributes: { training_mode: 1, epsilon: float(0.1), momentum: float(0.75) },
      outputs: 3,
      weigh: [0],
      second: true,
    });
  });
});

it('of any shape, in both modes', async () => {
  const shape = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 });
  const property = fc.asyncProperty(shape, fc.nat(1), fc.nat(), async (dims, training, seed) => {
    await expectGradient({
      op: 'BatchNormalization',
      inputs: inputs(...dims),
      attributes: { training_mode: training, epsilon: float(0.3) },
      outputs: training ? 3 : 1,
      weigh: [0],
      seed,
    });
  });
  await fc.assert(property, { numRuns: 10 });
});

function trainingModel(batch = '8') {
  return modelOf({
    inputs: [`x: ${batch},3,4,4`, 's: 3', 'b: 3', 'm: 3', 'v: 3'],
    nodes: ['y, rm, rv = BatchNormalization(x, s, b, m, v) training_mode=1', 'l = ReduceSum(y)'],
    outputs: ['l'],
  });
}

it.each([
  [true, [1, 2, 2]],
  [false, [0, 2, 2]],
])('writes few kernels, and gives running statistics no part in it: runs once %s', (runsOnce, counts) => {
  const model = trainingModel();
  const { model: step } = gradients(model, 'l', ['x', 's', 'b'], { runsOnce });
  const written = step.graph.nodes.slice(2);
  const count = (op: string) => written.filter((node) => node.opType === op).length;
  expect([count('BatchNormalization'), count('ReduceMean'), count('ReduceSum')]).toEqual(counts);
  expect(written.some(({ inputs }) => inputs.some((name) => ['rm', 'rv', 'm', 'v'].includes(name)))).toBe(
    false,
  );
});

// With momentum, ONNX Runtime writes over the statistics that it is given, and differences mean nothing.
it('of the running statistics, too, without momentum', async () => {
  await expectGradient({
    op: 'BatchNormalization',
    inputs: inputs(3, 2, 4, 2),
    attributes: { training_mode: 1, epsilon: float(0.1), momentum: float(0) },
    outputs: 3,
    second: true,
  });
});

it('takes the statistics that a node without momentum gives out', () => {
  const { graph } = trainingModel();
  const [bn, ...others] = graph.nodes;
  const momentum = { type: 'float', value: 0 } as const;
  const nodes = [{ ...bn!, attributes: new Map([...bn!.attributes, ['momentum', momentum]]) }, ...others];
  const { model: step } = gradients({ ...trainingModel(), graph: { ...graph, nodes } }, 'l', ['x', 's', 'b']);
  const written = step.graph.nodes.slice(2);
  expect(written.filter(({ opType }) => opType === 'ReduceMean')).toEqual([]);
  expect(written.some(({ inputs: given }) => given.includes('rv'))).toBe(true);
});

it('needs no size of the batch', () => {
  expect(() => gradients(trainingModel('batch'), 'l', ['x', 's', 'b'])).not.toThrow();
});

it('refuses training before opset 14', () => {
  const model = { ...trainingModel(), opsetImports: new Map([['', 13]]) };
  const [bn, ...others] = model.graph.nodes;
  const nodes = [{ ...bn!, attributes: new Map() }, ...others];
  expect(() => gradients({ ...model, graph: { ...model.graph, nodes } }, 'l', ['x'])).toThrowError(
    expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED' }),
  );
});
