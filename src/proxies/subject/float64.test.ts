// The oracle is ONNX Runtime: what an operator gives in float32 must come out of its rewriting in float64.
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import type { Attribute, Model } from '../../graph/graph.js';
import { fromNumbers } from '../../graph/tensor.js';
import { type HostTensor, hostTensor, Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { inFloat64 } from './float64.js';

const DIMS = [2, 4, 9, 9];

async function run(
  model: Model,
  values: readonly number[],
  type: 'float32' | 'float64',
): Promise<HostTensor> {
  const session = await Session.create(model, { threads: 1 });
  const data = type === 'float32' ? Float32Array.from(values) : Float64Array.from(values);
  const { y } = await session.run({ x: await hostTensor(type, data, DIMS) });
  await session.dispose();
  return y!;
}

function draw(count: number, seed: number): number[] {
  const random = Random.seeded(seed);
  return Array.from({ length: count }, () => 2 * random.normal());
}

const text = (value: string): Attribute => ({ type: 'string', value });

type Case = readonly [
  node: string,
  weights?: readonly number[] | undefined,
  extra?: Readonly<Record<string, Attribute>>,
];

const CASES: readonly Case[] = [
  ['y = Conv(x, w) pads=1,1,1,1', [6, 4, 3, 3]],
  ['y = Conv(x, w, b) pads=0,1,2,0 strides=2,1 dilations=1,2', [6, 4, 3, 2]],
  ['y = Conv(x, w) group=2', [6, 2, 3, 3]],
  ['y = Conv(x, w, b) group=4 pads=1,1,1,1 strides=2,2', [4, 1, 3, 3]],
  ['y = Conv(x, w, b)', [6, 4, 1, 1]],
  ['y = Conv(x, w) strides=3,3', [6, 4, 3, 3]],
  ['y = Conv(x, w) strides=2,2', [6, 4, 3, 3], { auto_pad: text('SAME_UPPER') }],
  ['y = AveragePool(x) kernel_shape=3,3 pads=1,1,1,1'],
  ['y = AveragePool(x) kernel_shape=3,3 pads=1,1,1,1 strides=2,2 count_include_pad=1'],
  ['y = AveragePool(x) kernel_shape=2,2 strides=2,2'],
  ['y = GlobalAveragePool(x)'],
  ['y = GlobalMaxPool(x)'],
  ['y = Gelu(x)'],
  ['y = Gelu(x)', undefined, { approximate: text('tanh') }],
  ['y = PRelu(x, w)', [4, 1, 1]],
  ['y = Mean(x, x, w)', [9]],
  ...[
    'Celu',
    'Elu',
    'Erf',
    'HardSigmoid',
    'HardSwish',
    'LeakyRelu',
    'Mish',
    'Selu',
    'Softplus',
    'Softsign',
  ].map((op) => [`y = ${op}(x)`] as const),
];

describe('a model in float64', () => {
  it.each(CASES.map((test) => [test[0], test] as const))('computes %s', async (_, [node, dims, extra]) => {
    const initializers = dims
      ? [
          tensor(
            'w',
            dims,
            draw(
              dims.reduce((n, d) => n * d, 1),
              2,
            ),
          ),
          tensor('b', [dims[0]!], draw(dims[0]!, 3)),
        ]
      : [];
    const attributes = extra ? { attributes: { y: extra } } : {};
    const model = modelOf(
      { inputs: [`x: ${DIMS}`], nodes: [node], outputs: ['y'], initializers, ...attributes },
      20,
    );
    const values = draw(
      DIMS.reduce((n, d) => n * d, 1),
      1,
    );
    const [narrow, wide] = [
      await run(model, values, 'float32'),
      await run(inFloat64(model), values, 'float64'),
    ];
    expect(wide.type).toBe('float64');
    expect(wide.dims).toEqual(narrow.dims);
    for (let i = 0; i < narrow.data.length; i++) {
      const expected = Number(narrow.data[i]);
      expect(Math.abs(Number(wide.data[i]) - expected)).toBeLessThan(2e-5 * (1 + Math.abs(expected)));
    }
  });

  // As TensorFlow's converters pad channels; without a value, ConstantOfShape gives float32.
  it('widens zeros whose type nothing says', async () => {
    const model = modelOf(
      {
        inputs: [`x: ${DIMS}`],
        nodes: ['zeros = ConstantOfShape(shape)', 'y = Concat(x, zeros) axis=1'],
        outputs: ['y'],
        initializers: [fromNumbers('shape', 'int64', [4], [2, 3, 9, 9])],
      },
      17,
    );
    const values = draw(2 * 4 * 9 * 9, 1);
    const wide = await run(inFloat64(model), values, 'float64');
    expect(wide.type).toBe('float64');
    expect(wide.dims).toEqual([2, 7, 9, 9]);
    expect(Array.from(wide.data as Float64Array).slice(0, 4 * 81)).toEqual(values.slice(0, 4 * 81));
  });
});
