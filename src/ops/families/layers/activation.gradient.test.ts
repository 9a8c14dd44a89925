import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import {
  between,
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
} from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import { formatType } from '../../../graph/types.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

type Attributes = Readonly<Record<string, number | string>>;

/** An activation of `x`: numbers are float attributes. */
function activation(op: string, attributes: Attributes, x: GradientInput): GradientCase {
  const given = Object.entries(attributes).map(([name, value]): [string, ShortAttribute] => [
    name,
    typeof value === 'number' ? { type: 'float', value } : value,
  ]);
  const opset = op === 'Swish' ? 24 : 21;
  return { op, inputs: [x], attributes: Object.fromEntries(given), opset, dtype: 'float32' };
}

const X: GradientInput = { dims: [9], values: [-4.3, -2.6, -1.7, -0.8, -0.2, 0.3, 0.8, 1.9, 4.1] };

/** The derivatives at X, computed by PyTorch 2 in float64. */
const DERIVATIVES: readonly [string, Attributes, number[]][] = [
  ['Celu', {}, [0.01356856, 0.07427358, 0.1826835, 0.449329, 0.8187308, 1, 1, 1, 1]],
  ['Celu', { alpha: 0.5 }, [0.0001841058, 0.005516564, 0.03337327, 0.2018965, 0.67032, 1, 1, 1, 1]],
  ['Elu', {}, [0.01356856, 0.07427358, 0.1826835, 0.449329, 0.8187308, 1, 1, 1, 1]],
  ['Elu', { alpha: 1.5 }, [0.02035284, 0.1114104, 0.2740253, 0.6739934, 1.228096, 1, 1, 1, 1]],
  [
    'Gelu',
    {},
    [-0.0001571614, -0.03065453, -0.115318, -0.01989784, 0.3425318, 0.7323278, 1.019898, 1.095953, 1.000345],
  ],
  [
    'Gelu',
    { approximate: 'tanh' },
    [-8.233648e-5, -0.03081984, -0.1159146, -0.01958373, 0.3425419, 0.7322955, 1.019584, 1.096782, 1.000214],
  ],
  ['HardSigmoid', { alpha: 1 / 6, beta: 0.5 }, [0, 1, 1, 1, 1, 1, 1, 1, 0].map((x) => x / 6)],
  ['HardSwish', {}, [0, -0.3666667, -0.06666667, 0.2333333, 0.4333333, 0.6, 0.7666667, 1.133333, 1]],
  ['LeakyRelu', { alpha: 0.2 }, [0.2, 0.2, 0.2, 0.2, 0.2, 1, 1, 1, 1]],
  [
    'Mish',
    {},
    [-0.04407678, -0.107318, -0.08910596, 0.1381824, 0.4715302, 0.7828273, 1.001255, 1.074928, 1.003754],
  ],
  ['Relu', {}, [0, 0, 0, 0, 0, 1, 1, 1, 1]],
  ['Selu', {}, [0.02385487, 0.1305803, 0.3211758, 0.789965, 1.43941, 1.050701, 1.050701, 1.050701, 1.050701]],
  ['Shrink', { lambd: 1.2, bias: 1.2 }, [1, 1, 1, 0, 0, 0, 0, 1, 1]],
  [
    'Sigmoid',
    {},
    [0.01320771, 0.0643583, 0.1306057, 0.2139097, 0.2475166, 0.2444583, 0.2139097, 0.1131803, 0.01603673],
  ],
  [
    'Softplus',
    {},
    [0.01338692, 0.06913842, 0.1544653, 0.3100255, 0.450166, 0.5744425, 0.6899745, 0.8698915, 0.9836975],
  ],
  [
    'Softsign',
    {},
    [0.03559986, 0.07716049, 0.1371742, 0.308642, 0.6944444, 0.591716, 0.308642, 0.1189061, 0.03844675],
  ],
  [
    'Swish',
    {},
    [-0.04340623, -0.09819316, -0.0675645, 0.1388978, 0.4006627, 0.64778, 0.8611022, 1.084934, 1.049448],
  ],
  [
    'Swish',
    { alpha: 1.7 },
    [-0.004214149, -0.04004269, -0.09149754, -0.01679533, 0.3332194, 0.7443624, 1.016795, 1.08018, 1.005598],
  ],
  [
    'Tanh',
    {},
    [0.0007361521, 0.0218248, 0.1250099, 0.5590552, 0.961043, 0.915137, 0.5590552, 0.08560992, 0.001098011],
  ],
  ['ThresholdedRelu', { alpha: 0.5 }, [0, 0, 0, 0, 0, 0, 1, 1, 1]],
];

describe('activations', () => {
  it.each(DERIVATIVES)('%s %j has the slopes that PyTorch gives', async (op, attributes, expected) => {
    const { x0 } = await gradientsAt(activation(op, attributes, X));
    x0!.forEach((slope, i) => {
      expect(slope).toBeCloseTo(expected[i]!, 5);
    });
  });

  it.each(DERIVATIVES)('%s %j can be differentiated twice', (op, attributes) =>
    expectGradient({ ...activation(op, attributes, X), second: true, tolerance: 5e-3 }),
  );

  it('have the slopes that finite differences give, whatever their attributes', async () => {
    const attribute = (name: string) => fc.double({ min: 0.3, max: 1.8, noNaN: true }).map((x) => [name, x]);
    const cases = fc.oneof(
      ...Object.entries({
        Celu: ['alpha'],
        Elu: ['alpha'],
        HardSigmoid: ['alpha', 'beta'],
        LeakyRelu: ['alpha'],
        Selu: ['alpha', 'gamma'],
        Swish: ['alpha'],
      }).map(([op, names]) =>
        fc
          .tuple(...names.map(attribute))
          .map((found): [string, Attributes] => [op, Object.fromEntries(found)]),
      ),
    );
    const x = { dims: [4], values: [-0.15, -0.1, 0.05, 0.1] };
    await fc.assert(
      fc.asyncProperty(cases, ([op, attributes]) => expectGradient(activation(op, attributes, x))),
      { numRuns: 15 },
    );
  });

  // What PyTorch gives: hardswish at ±3 and so on.
  it.each<[string, Attributes, number[], number[]]>([
    ['Relu', {}, [0, -0], [0, 0]],
    ['LeakyRelu', { alpha: 0.25 }, [0], [0.25]],
    ['Elu', { alpha: 2 }, [0], [2]],
    ['Celu', { alpha: 2 }, [0], [1]],
    ['HardSwish', {}, [-3, 3], [0, 1]],
    ['HardSigmoid', { alpha: 0.25, beta: 0.5 }, [-2, 2], [0, 0]],
    ['Shrink', { lambd: 0.5 }, [-0.5, 0.5], [0, 0]],
    ['ThresholdedRelu', { alpha: 1 }, [1], [0]],
  ])('%s %j at its kinks %j', async (op, attributes, values, expected) => {
    const { x0 } = await gradientsAt(activation(op, attributes, { dims: [values.length], values }));
    expect(x0).toEqual(expected);
  });

  it('stay finite far out', async () => {
    const far = { dims: [4], values: [-200, -60, 60, 200] };
    for (const [op, attributes] of DERIVATIVES) {
      const { x0 } = await gradientsAt(activation(op, attributes, far));
      expect(x0!.every(Number.isFinite), `${op}: ${x0}`).toBe(true);
    }
  });
});

describe('PRelu', () => {
  const x: GradientInput = {
    dims: [2, 3, 2],
    values: between(0.2, 1, [12]).values!.map((value, i) => (i % 3 === 0 ? value : -value)),
  };

  it.each([[[]], [[1]], [[2]], [[3, 1]], [[1, 3, 1]], [[2, 3, 2]]])('slopes %j', (dims) =>
    expectGradient({ op: 'PRelu', inputs: [x, between(0.1, 0.5, dims)], second: true, dtype: 'float32' }),
  );

  it('a slope per channel has a gradient per channel', () => {
    const model = modelOf({
      inputs: ['x: 2,3,4', 's: 3'],
      nodes: ['y = PRelu(x, s)'],
      outputs: ['y'],
    });
    const differentiated = gradients(model, 'y', ['x', 's']).model.graph.outputs;
    expect(differentiated.slice(1).map(({ type }) => formatType(type))).toEqual([
      'float32[2,3,4]',
      'float32[3]',
    ]);
  });
});
