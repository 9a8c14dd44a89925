// What holds for every proxy. `describeProxy(proxy)` in a proxy's test runs all of it.
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import { type Model, makeNode, type Node } from '../graph/graph.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { spaceNamed } from '../spaces/index.js';
import type { NetworkOptions } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import type { ZeroCostProxy } from './proxy.js';
import { Subject, type SubjectOptions } from './subject/subject.js';

export interface ProxyExpectations {
  /** Whether weights that are no numbers are an error; default: if it needs weights. */
  readonly refusesNaN?: boolean;
  /** Spaces whose networks it does not apply to. */
  readonly notFor?: readonly string[];
  /** The network of most checks: a small convolutional one, unless the proxy is for transformers only. */
  readonly network?: 'transformer';
}

/** Small networks of several spaces: a cell, mobile blocks, a vision transformer, a language model. */
const NETWORKS: readonly (readonly [space: string, arch: string, options: NetworkOptions])[] = [
  [
    'nasbench201',
    '|nor_conv_3x3~0|+|skip_connect~0|avg_pool_3x3~1|+|none~0|nor_conv_1x1~1|skip_connect~2|',
    { width: 0.25, resolution: 8 },
  ],
  ['fbnet', '0 8 8 3 8 7 8 8 8 6 8 8 8 8 8 8 8 8 8 8 8 8', { width: 0.25, resolution: 16 }],
  [
    'autoformer-tiny',
    '192:12:r3.5,4,3.5,4,3.5,3.5,4,3.5,4,4,3.5,3.5:h3,3,4,3,3,4,4,3,3,3,4,3',
    { width: 0.125, resolution: 32 },
  ],
  ['lts-gpt2', '128:2:e128:k4:i300,400:h2,4', { width: 0.25, resolution: 6, classes: 40 }],
];

const SESSION = { session: { threads: 1 } } as const;

async function scoreOf(proxy: ZeroCostProxy, model: Model, options: SubjectOptions = {}, variant?: string) {
  const subject = Subject.of(model, { ...SESSION, ...options });
  return proxy.score(subject, variant === undefined ? {} : { variant });
}

async function errorOf(promise: Promise<unknown>): Promise<AuspexError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(AuspexError);
  return thrown as AuspexError;
}

export function describeProxy(
  proxy: ZeroCostProxy,
  { refusesNaN = proxy.needs.weights, notFor = [], network }: ProxyExpectations = {},
): void {
  const { needs, variants } = proxy;
  const example = network === 'transformer' ? transformer : convolutional;
  describe(`${proxy.title} is a proxy`, () => {
    it('says what it is', () => {
      expect(proxy.name).toMatch(/^[a-z][a-z0-9_]*$/);
      for (const text of [
        proxy.title,
        proxy.paper,
        proxy.formula,
        proxy.elsewhere,
        ...Object.values(variants),
      ]) {
        expect(text).toMatch(/^\S[^\n]+$/);
      }
    });

    it('is the same for the same seed', async () => {
      const options = { initialise: 'default', seed: 3 } as const;
      const first = await scoreOf(proxy, example(), options);
      expect(first.value).not.toBeNaN();
      expect(await scoreOf(proxy, example(), options)).toEqual(first);
    });

    it('does not depend on what nodes and values are called', async () => {
      const options = { initialise: 'default', seed: 3 } as const;
      const { value } = await scoreOf(proxy, example(), options);
      expect((await scoreOf(proxy, renamed(example()), options)).value).toBe(value);
    });

    it.each(NETWORKS.filter(([space]) => !notFor.includes(space)))(
      'is a number for a small network of %s',
      async (name, arch, options) => {
        const space = spaceNamed(name);
        const model = space.network(space.parse(arch), { classes: 10, batch: 4, ...options });
        expect((await scoreOf(proxy, model)).value).toSatisfy(Number.isFinite);
      },
    );

    it.each(Object.keys(variants))('has a variant %s', async (variant) => {
      expect((await scoreOf(proxy, example(), {}, variant)).value).toSatisfy(Number.isFinite);
    });

    it('refuses a variant that it does not have', async () => {
      expect((await errorOf(scoreOf(proxy, example(), {}, 'nonsense'))).code).toBe('PROXY_VARIANT');
    });

    it('takes sizes that the network leaves open', async () => {
      const { value } = await scoreOf(proxy, example('4,3,h,w'), { dims: { h: 8, w: 8 } });
      expect(value).toBe((await scoreOf(proxy, example())).value);
    });

    if (needs.weights) {
      it('refuses a network without weights', async () => {
        const model = modelOf({ inputs: ['x: 4,5'], nodes: ['y = Relu(x)'], outputs: ['y'] });
        expect((await errorOf(scoreOf(proxy, model))).code).toBe('PROXY_NO_WEIGHTS');
      });
    }

    if (refusesNaN) {
      it('refuses weights that are no numbers, and names them', async () => {
        const error = await errorOf(scoreOf(proxy, withNaN(example(), 'w2')));
        expect(error.code).toBe('WEIGHTS_NOT_FINITE');
        expect(error.message).toContain("'w2'");
      });
    }

    if (needs.gradients) {
      it('names an operator on the way that has no gradient', async () => {
        const error = await errorOf(scoreOf(proxy, withoutRule(), { loss: 'cross-entropy' }));
        expect(error.code).toBe('GRADIENT_MISSING');
        expect(error.where).toMatchObject({ node: 'odd', operator: 'Det' });
      });
    }

    if (needs.samples > 1) {
      it('refuses a batch that is too small', async () => {
        const error = await errorOf(scoreOf(proxy, example('1,3,8,8'), { batch: 1 }));
        expect(error.code).toBe('PROXY_BATCH');
      });
    }

    if (needs.classes) {
      it('refuses an output without classes', async () => {
        const model = modelOf({
          inputs: ['x: 4,5'],
          nodes: ['y = MatMul(x, w)'],
          outputs: ['y'],
          initializers: [weight('w', [5, 1])],
        });
        expect((await errorOf(scoreOf(proxy, model))).code).toBe('PROXY_CLASSES');
      });
    }
  });
}

function weight(name: string, dims: readonly number[]): Tensor {
  const random = Random.seeded(name.length + dims.length, dims[0]);
  const count = dims.reduce((n, d) => n * d, 1);
  return tensor(
    name,
    dims,
    Array.from({ length: count }, () => 0.3 * random.normal()),
  );
}

/** Two convolutions, one of them normalised, and a linear layer. */
function convolutional(shape = '4,3,8,8'): Model {
  return modelOf({
    inputs: [`x: ${shape}`],
    nodes: [
      'a = Conv(x, w1) pads=1,1,1,1',
      'b = BatchNormalization(a, gamma, beta, mean, variance)',
      'c = Relu(b)',
      'd = Conv(c, w2, bias2) strides=2,2',
      'e = Relu(d)',
      'f = GlobalAveragePool(e)',
      'g = Flatten(f)',
      'y = Gemm(g, w3, bias3) transB=1',
    ],
    outputs: ['y'],
    initializers: [
      weight('w1', [6, 3, 3, 3]),
      tensor('gamma', [6], [1, 1, 1, 1, 1, 1]),
      tensor('beta', [6], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
      tensor('mean', [6], [0, 0, 0, 0, 0, 0]),
      tensor('variance', [6], [1, 1, 1, 1, 1, 1]),
      weight('w2', [8, 6, 3, 3]),
      weight('bias2', [8]),
      weight('w3', [5, 8]),
      weight('bias3', [5]),
    ],
  });
}

/** Patches, one block of attention and perceptron, and a linear layer. */
function transformer(shape = '4,3,8,8'): Model {
  return modelOf({
    inputs: [`x: ${shape}`],
    nodes: [
      'a = Conv(x, w1) strides=4,4',
      'b = Reshape(a, flat)',
      'c = Transpose(b) perm=0,2,1',
      'q = MatMul(c, w2)',
      'k = MatMul(c, w3)',
      'v = MatMul(c, w4)',
      'kt = Transpose(k) perm=0,2,1',
      's = MatMul(q, kt)',
      'p = Softmax(s)',
      'd = MatMul(p, v)',
      'e = MatMul(d, w5)',
      'f = Add(c, e)',
      'g = MatMul(f, w6)',
      'h = Relu(g)',
      'i = MatMul(h, w7)',
      'j = Add(f, i)',
      'l = ReduceMean(j, axis) keepdims=0',
      'y = Gemm(l, w8)',
    ],
    outputs: ['y'],
    initializers: [
      tensor('flat', [3], [0, 6, -1], 'int64'),
      tensor('axis', [1], [1], 'int64'),
      weight('w1', [6, 3, 4, 4]),
      ...['w2', 'w3', 'w4', 'w5'].map((name) => weight(name, [6, 6])),
      weight('w6', [6, 9]),
      weight('w7', [9, 6]),
      weight('w8', [6, 5]),
    ],
  });
}

/** Every node, value and constant under another name. */
function renamed(model: Model): Model {
  const { graph } = model;
  const inputs = new Set(graph.inputs.map((input) => input.name));
  const other = (name: string): string => (name === '' || inputs.has(name) ? name : `z${name}/other`);
  const nodes = graph.nodes.map((node, i): Node => {
    const names = { inputs: node.inputs.map(other), outputs: node.outputs.map(other) };
    return { ...node, name: `${graph.nodes.length - i}`, ...names };
  });
  return {
    ...model,
    graph: {
      ...graph,
      nodes,
      outputs: graph.outputs.map((o) => ({ ...o, name: other(o.name) })),
      initializers: new Map(
        [...graph.initializers].map(([name, t]) => [other(name), { ...t, name: other(name) }]),
      ),
    },
  };
}

function withNaN(model: Model, name: string): Model {
  const { dims } = model.graph.initializers.get(name)!;
  const count = dims.reduce((n, d) => n * d, 1);
  const broken = fromNumbers(name, 'float32', dims, new Array<number>(count).fill(Number.NaN));
  const initializers = new Map([...model.graph.initializers, [name, broken]]);
  return { ...model, graph: { ...model.graph, initializers } };
}

/** A network whose output depends on its weights by a determinant, too. */
function withoutRule(): Model {
  const model = modelOf({
    inputs: ['x: 4,3,3'],
    nodes: [
      'a = MatMul(x, w)',
      'u = Unsqueeze(d, axes)',
      'v = ReduceMax(a, axes) keepdims=0',
      'y = Add(v, u)',
    ],
    outputs: ['y'],
    initializers: [weight('w', [3, 3]), tensor('axes', [1], [1], 'int64')],
  });
  const odd = makeNode('Det', ['a'], ['d'], {}, { name: 'odd' });
  const [first, ...rest] = model.graph.nodes;
  return { ...model, graph: { ...model.graph, nodes: [first!, odd, ...rest] } };
}
