// Flows in closed form: R is linear in the weights of every layer of a network without biases, so that each layer
// has Σ w·∂R/∂w = R.
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import type { Model, ValueInfo } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import { Subject } from '../subject/subject.js';
import { logSynflow, synflow } from './synflow.js';

const SESSION = { session: { threads: 1 } } as const;

/** Layers n × n of one weight, some of them negative, which makes no difference. */
function chain(layers: number, n: number, weight: number): Model {
  return modelOf({
    inputs: [`x: 3,${n}`],
    nodes: Array.from({ length: layers }, (_, i) => `y${i + 1} = MatMul(${i === 0 ? 'x' : `y${i}`}, w${i})`),
    outputs: [`y${layers}`],
    initializers: Array.from({ length: layers }, (_, i) =>
      tensor(
        `w${i}`,
        [n, n],
        Array.from({ length: n * n }, (_, k) => (k % 3 === 0 ? -weight : weight)),
      ),
    ),
  });
}

describe('SynFlow', () => {
  it('is nothing for a layer that the output does not depend on, beside a normalisation', async () => {
    const model = modelOf({
      inputs: ['x: 3,4'],
      nodes: ['n = LayerNormalization(x, scale)', 'dead = MatMul(n, v)', 'y = MatMul(n, w)'],
      outputs: ['y'],
      initializers: [
        tensor('scale', [4]),
        ...['w', 'v'].map((name) => tensor(name, [4, 4], Array<number>(16).fill(0.5))),
      ],
    });
    const { value, details } = await synflow.score(Subject.of(model, SESSION));
    expect(value).toBeCloseTo(Math.log(8), 9);
    expect(details.layers).toEqual([
      { weight: 'v', value: 0 },
      { weight: 'w', value: 8 },
    ]);
  });

  it('masks nothing where a network has an input for that', async () => {
    const model = modelOf({
      inputs: ['x: 3,4', 'mask: 3,4'],
      nodes: ['m = Cast(mask) to=1', 'a = Mul(x, m)', 'y = MatMul(a, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [4, 4], Array<number>(16).fill(0.5))],
    });
    const [x, mask] = model.graph.inputs as [ValueInfo, ValueInfo];
    const inputs = [x, { ...mask, type: new TensorType('int64', (mask.type as TensorType).shape) }];
    const { value } = await synflow.score(
      Subject.of({ ...model, graph: { ...model.graph, inputs } }, SESSION),
    );
    expect(value).toBeCloseTo(Math.log(8), 9);
  });

  it.each([
    [2, 4, 0.25],
    [60, 16, 0.5],
    [250, 16, 0.5],
  ])(
    'of %i layers of width %i and weight %f is ln(L·n·(n·w)^L), beyond float32 too',
    async (layers, n, weight) => {
      const { value, details } = await synflow.score(Subject.of(chain(layers, n, weight), SESSION));
      expect(value).toBeCloseTo(Math.log(layers) + Math.log(n) + layers * Math.log(n * weight), 9);
      expect(details.precision).toBe('float64');
    },
  );

  it('does not depend on the batch', async () => {
    const one = await synflow.score(Subject.of(chain(3, 4, 0.3), { ...SESSION, batch: 1 }));
    const many = await synflow.score(Subject.of(chain(3, 4, 0.3), { ...SESSION, batch: 9 }));
    expect(many.value).toBe(one.value);
  });

  it('does not depend on the batch where nodes fix it', async () => {
    const fixed = modelOf({
      inputs: ['x: 3,4'],
      nodes: ['a = Reshape(x, shape)', 'y = MatMul(a, w)'],
      outputs: ['y'],
      initializers: [tensor('shape', [2], [3, 4], 'int64'), tensor('w', [4, 2], new Array(8).fill(-0.5))],
    });
    const { value } = await synflow.score(Subject.of(fixed, SESSION));
    expect(value).toBeCloseTo(Math.log(4), 12);
  });

  it('is a number where even float64 does not hold the flow', async () => {
    const { value, details } = await synflow.score(Subject.of(chain(400, 16, 1), SESSION));
    // Every layer multiplies by 16, and the flow through each of the 400 is the whole of it.
    expect(value).toBeCloseTo(Math.log(400) + 401 * Math.log(16), 4);
    expect(details.precision).toBe('scaled float32');
  });

  it('is a number where an operator has no kernel of float64 and float32 does not hold the flow', async () => {
    const layers = Array.from({ length: 40 }, (_, i) => i);
    const ones = new Array<number>(64).fill(1);
    const model = modelOf({
      inputs: ['x: 1,8,2,2'],
      nodes: layers.map((i) => {
        const operator = i === 39 ? 'ConvTranspose' : 'Conv';
        return `${i === 39 ? 'y' : `h${i + 1}`} = ${operator}(${i === 0 ? 'x' : `h${i}`}, w${i})`;
      }),
      outputs: ['y'],
      initializers: layers.map((i) => tensor(`w${i}`, [8, 8, 1, 1], ones)),
    });
    const { value, details } = await synflow.score(Subject.of(model, SESSION));
    expect(details.precision).toBe('scaled float32');
    // 8 channels of 2 × 2 pixels, each 8^40, through each of 40 layers.
    expect(value).toBeCloseTo(Math.log(40) + Math.log(8 * 4) + 40 * Math.log(8), 4);
  });

  it('is a number where such a flow begins with the embeddings of tokens', async () => {
    const layers = Array.from({ length: 40 }, (_, i) => i);
    const model = modelOf({
      inputs: ['tokens: 1,4'],
      nodes: [
        's0 = Gather(embedding, tokens)',
        ...layers.map((i) => `s${i + 1} = MatMul(s${i}, w${i})`),
        'channels = Transpose(s40) perm=0,2,1',
        'y = ConvTranspose(channels, last)',
      ],
      outputs: ['y'],
      initializers: [
        tensor('embedding', [16, 8], new Array(128).fill(0.5)),
        ...layers.map((i) => tensor(`w${i}`, [8, 8], new Array(64).fill(1))),
        tensor('last', [8, 8, 1], new Array(64).fill(1)),
      ],
    });
    const [tokens] = model.graph.inputs as [ValueInfo];
    const inputs = [{ ...tokens, type: new TensorType('int64', [1, 4]) }];
    const { value, details } = await synflow.score(
      Subject.of({ ...model, graph: { ...model.graph, inputs } }, SESSION),
    );
    expect(details.precision).toBe('scaled float32');
    // 8 channels at 4 tokens, each 8^41, through each of 41 layers.
    expect(value).toBeCloseTo(Math.log(41) + Math.log(8 * 4) + 41 * Math.log(8), 4);
  });

  it('names the node where an exponential of a flow leaves all ranges', async () => {
    const model = modelOf({
      inputs: ['x: 1,4,1,1'],
      nodes: ['a = Conv(x, w)', 'e = Exp(a)', 'm = Mul(e, a)', 'y = ConvTranspose(m, v)'],
      outputs: ['y'],
      initializers: ['w', 'v'].map((name) => tensor(name, [4, 4, 1, 1], new Array<number>(16).fill(1e6))),
    });
    const scored = synflow.score(Subject.of(model, SESSION));
    await expect(scored).rejects.toMatchObject({ code: 'PROXY_NOT_FINITE', where: { operator: 'Mul' } });
  });

  it('counts terms of different size behind a sum and a product as they are', async () => {
    const big = new Array<number>(16).fill(1e6);
    const model = (last: string): Model =>
      modelOf({
        inputs: ['x: 1,4,1,1'],
        nodes: [
          ...['a = Conv(x, w)', 'b = Conv(a, v)', 's = Sigmoid(x)', 'c = Mul(b, s)', 'd = Add(c, a)'],
          last,
        ],
        outputs: ['y'],
        initializers: ['w', 'v', 't'].map((name) => tensor(name, [4, 4, 1, 1], big)),
      });
    const wide = await synflow.score(Subject.of(model('y = Conv(d, t)'), SESSION));
    const narrow = await synflow.score(Subject.of(model('y = ConvTranspose(d, t)'), SESSION));
    expect([wide.details.precision, narrow.details.precision]).toEqual(['float64', 'scaled float32']);
    expect(narrow.value).toBeCloseTo(wide.value, 5);
  });
});

it('LogSynFlow of one layer is Σ|w|·ln(1 + |∂R/∂w|), all gradients being 1', async () => {
  const { value } = await logSynflow.score(Subject.of(chain(1, 4, 0.25), SESSION));
  expect(value).toBeCloseTo(16 * 0.25 * Math.log(2), 12);
});

describe('operators that ONNX Runtime has no kernel of float64 for', () => {
  it('are written otherwise, or run in float32, which is said', async () => {
    const model = (node: string, dims: readonly number[]): Model =>
      modelOf({
        inputs: ['x: 1,2,5,5'],
        nodes: [node, 'y = Relu(a)'],
        outputs: ['y'],
        initializers: [tensor('w', dims, new Array(dims.reduce((n, d) => n * d, 1)).fill(-0.5))],
      });
    const wide = await synflow.score(Subject.of(model('a = Conv(x, w)', [3, 2, 3, 3]), SESSION));
    expect(wide.details.precision).toBe('float64');
    expect(wide.value).toBeCloseTo(Math.log(3 * 9 * 18 * 0.5), 12);
    const narrow = await synflow.score(Subject.of(model('a = ConvTranspose(x, w)', [2, 3, 3, 3]), SESSION));
    expect(narrow.details.precision).toBe('scaled float32');
    expect(narrow.value).toBeCloseTo(Math.log(2 * 25 * 27 * 0.5), 5);
  });
});
