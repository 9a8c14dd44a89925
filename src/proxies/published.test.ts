// What stopped scores of published files, rebuilt in a few nodes. The oracle is the same network as PyTorch exports it: it
// must have the same scores.
import { describe, expect, it } from 'vitest';
import { type Model, makeGraph, makeModel, makeNode, type Node } from '../graph/graph.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { TensorType } from '../graph/types.js';
import { streamFor } from '../nn/stream.js';
import { requestNamed } from './index.js';
import { scoreNetwork } from './proxy.js';
import { Subject, type SubjectOptions } from './subject/subject.js';

const normals = (name: string, dims: readonly number[]): [string, Tensor] => {
  const data = new Float64Array(dims.reduce((n, d) => n * d, 1));
  streamFor(1, name, 0).normals(data);
  return [name, fromNumbers(name, 'float32', dims, data)];
};
const numbers = (name: string, values: number[], dims: number[] = [values.length]): [string, Tensor] => [
  name,
  fromNumbers(name, 'float32', dims, Float64Array.from(values)),
];
const indices = (name: string, values: number[], dims: number[] = [values.length]): [string, Tensor] => [
  name,
  fromNumbers(name, 'int64', dims, Float64Array.from(values)),
];
const int = (value: number) => ({ type: 'int', value }) as const;

interface Parts {
  readonly input: readonly (number | string)[];
  readonly isOfTokens?: boolean;
  readonly nodes: readonly Node[];
  readonly constants: readonly [string, Tensor][];
  readonly output?: string;
}

function network({ input, isOfTokens = false, nodes, constants, output = 'y' }: Parts): Model {
  const dtype = isOfTokens ? 'int64' : 'float32';
  return makeModel(
    makeGraph({
      inputs: [{ name: 'x', type: new TensorType(dtype, input as number[]) }],
      outputs: [{ name: output, type: new TensorType('float32', undefined) }],
      nodes,
      initializers: new Map(constants),
    }),
    { opsetImports: new Map([['', 17]]) },
  );
}

async function scoresOf(model: Model, names: string, options: SubjectOptions = {}) {
  const requests = names.split(' ').map(requestNamed);
  const outcomes = await scoreNetwork(model, requests, () => ({ session: { threads: 1 }, ...options }));
  return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : outcome.error.message));
}

/** Every score of one network is that of another. */
async function expectSame(found: Model, plain: Model, names: string, options?: SubjectOptions) {
  const [a, b] = [await scoresOf(found, names, options), await scoresOf(plain, names, options)];
  expect(b).toEqual(b.map(() => expect.any(Number)));
  a.forEach((value, i) => {
    expect(
      Math.abs(Number(value) / Number(b[i]) - 1),
      `${names.split(' ')[i]}: ${value}, ${b[i]}`,
    ).toBeLessThan(1e-3);
  });
}

describe('layer normalisation by an operator for batches', () => {
  // TensorFlow takes samples for channels and computes their mean and variance before the operator.
  const layers = [normals('w', [6, 8]), normals('v', [8, 5])];
  const before = [makeNode('MatMul', ['x', 'w'], ['h']), makeNode('Relu', ['h'], ['r'])];
  const after = makeNode('MatMul', ['n', 'v'], ['y']);
  const written = network({
    input: [4, 6],
    nodes: [
      ...before,
      makeNode('Reshape', ['r', 'image'], ['i']),
      makeNode('ReduceMean', ['i'], ['m'], { axes: { type: 'ints', value: [0, 2, 3] } }),
      makeNode('Sub', ['i', 'm'], ['c']),
      makeNode('Mul', ['c', 'c'], ['q']),
      makeNode('ReduceMean', ['q'], ['s'], { axes: { type: 'ints', value: [0, 2, 3] } }),
      makeNode('Reshape', ['m', 'list'], ['mean']),
      makeNode('Reshape', ['s', 'list'], ['variance']),
      makeNode('BatchNormalization', ['i', 'ones', 'zeros', 'mean', 'variance'], ['b']),
      makeNode('Reshape', ['b', 'rows'], ['n']),
      after,
    ],
    constants: [
      ...layers,
      ...[numbers('ones', [1, 1, 1, 1]), numbers('zeros', [0, 0, 0, 0])],
      ...[indices('image', [1, 4, 8, 1]), indices('list', [-1]), indices('rows', [4, 8])],
    ],
  });
  const plain = network({
    input: [4, 6],
    nodes: [...before, makeNode('LayerNormalization', ['r', 'scale'], ['n']), after],
    constants: [...layers, numbers('scale', new Array<number>(8).fill(1))],
  });

  it('is layer normalisation', async () => {
    await expectSame(written, plain, 'snip grad_norm zico jacov ntkt');
  });
});

describe('tokens', () => {
  const rows = 24;
  const table = streamFor(3, 'table', 0);
  const integers = Float64Array.from({ length: rows * 6 }, () => table.below(200) - 100);
  const quantised: [string, Tensor] = ['t8', fromNumbers('t8', 'int8', [rows, 6], integers)];
  const floats: [string, Tensor] = [
    't',
    fromNumbers(
      't',
      'float32',
      [rows, 6],
      integers.map((q) => (q - 3) * 0.02),
    ),
  ];
  const rest = [makeNode('Relu', ['e'], ['r']), makeNode('MatMul', ['r', 'w'], ['y'])];
  const plain = network({
    input: [4, 5],
    isOfTokens: true,
    nodes: [makeNode('Gather', ['t', 'x'], ['e']), ...rest],
    constants: [floats, normals('w', [6, rows])],
  });

  it('may be looked up in a quantised table', async () => {
    const scales: [string, Tensor][] = [
      numbers('scale', [0.02], []),
      ['zero', fromNumbers('zero', 'int8', [], Float64Array.of(3))],
    ];
    const written = network({
      input: [4, 5],
      isOfTokens: true,
      nodes: [
        makeNode('Gather', ['t8', 'x'], ['g']),
        makeNode('DequantizeLinear', ['g', 'scale', 'zero'], ['e']),
        ...rest,
      ],
      constants: [quantised, ...scales, normals('w', [6, rows])],
    });
    await expectSame(written, plain, 'snip grad_norm zico synflow jacov ntkt');
  });

  it('may be counted from the end, as TensorFlow writes it with masks', async () => {
    const written = network({
      input: [4, 5],
      isOfTokens: true,
      nodes: [
        makeNode('Less', ['x', 'zero'], ['isLast']),
        makeNode('Not', ['isLast'], ['isFirst']),
        makeNode('Cast', ['isLast'], ['last'], { to: int(7) }),
        makeNode('Cast', ['isFirst'], ['first'], { to: int(7) }),
        makeNode('Add', ['x', 'rows'], ['turned']),
        makeNode('Mul', ['turned', 'last'], ['a']),
        makeNode('Mul', ['x', 'first'], ['b']),
        makeNode('Add', ['a', 'b'], ['ids']),
        makeNode('Gather', ['t', 'ids'], ['e']),
        ...rest,
      ],
      constants: [floats, normals('w', [6, rows]), indices('zero', [0], []), indices('rows', [rows], [])],
    });
    await expectSame(written, plain, 'snip grad_norm zico synflow naswot jacov ntkt');
  });

  it('of padding are masked, and synflow looks at others', async () => {
    const written = network({
      input: [4, 5],
      isOfTokens: true,
      nodes: [
        makeNode('Gather', ['t', 'x'], ['e']),
        makeNode('Equal', ['x', 'padding'], ['isPadding']),
        makeNode('Where', ['isPadding', 'infinite', 'nothing'], ['m']),
        makeNode('MatMul', ['e', 'w'], ['h']),
        makeNode('Unsqueeze', ['m', 'last'], ['mask']),
        makeNode('Add', ['h', 'mask'], ['a']),
        makeNode('Softmax', ['a'], ['s'], { axis: int(1) }),
        makeNode('MatMul', ['s', 'v'], ['y']),
      ],
      constants: [
        ...[floats, normals('w', [6, 3]), normals('v', [3, 4]), indices('padding', [0], [])],
        ...[numbers('infinite', [Number.NEGATIVE_INFINITY], []), numbers('nothing', [0], [])],
        indices('last', [2]),
      ],
    });
    expect(await scoresOf(written, 'synflow logsynflow')).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('make an output of as many columns one of classes, whatever it is called', () => {
    const { graph, ...model } = plain;
    const renamed = {
      ...model,
      graph: {
        ...graph,
        nodes: graph.nodes.map((node) =>
          node.outputs[0] === 'y' ? { ...node, outputs: ['embedding'] } : node,
        ),
        outputs: graph.outputs.map((output) => ({ ...output, name: 'embedding' })),
      },
    };
    expect(Subject.of(renamed).logits.loss).toBe('cross-entropy');
  });
});

describe('images that the network scales itself', () => {
  const layers: [string, Tensor][] = [normals('w', [8, 3, 3, 3]), normals('v', [8, 4])];
  const rest = [
    makeNode('Relu', ['h'], ['r']),
    makeNode('GlobalAveragePool', ['r'], ['p']),
    makeNode('Flatten', ['p'], ['f']),
    makeNode('MatMul', ['f', 'v'], ['y']),
  ];
  const plain = network({
    input: [4, 3, 8, 8],
    nodes: [makeNode('Conv', ['x', 'w'], ['h']), ...rest],
    constants: layers,
  });
  const written = network({
    input: [4, 3, 8, 8],
    nodes: [
      makeNode('Sub', ['x', 'mean'], ['centred']),
      makeNode('Mul', ['centred', 'factor'], ['scaled']),
      makeNode('Conv', ['scaled', 'w'], ['h']),
      ...rest,
    ],
    constants: [...layers, numbers('mean', [127.5], [1]), numbers('factor', [0.0078], [1])],
  });

  it('have the flow of one that does not', async () => {
    await expectSame(written, plain, 'synflow logsynflow');
  });

  it('of which nothing passes have a score that says so', async () => {
    const dead = network({
      input: [4, 3, 8, 8],
      nodes: [makeNode('Conv', ['x', 'w'], ['c']), makeNode('Neg', ['c'], ['h']), ...rest],
      constants: layers,
    });
    expect(await scoresOf(dead, 'synflow')).toEqual(['nothing flows from an input of ones to the output']);
  });
});

describe('one number that is used in several places', () => {
  it('is not drawn anew', async () => {
    // The 1 of 1 − x is that of x·sigmoid(1·x), too.
    const written = network({
      input: [8, 6],
      nodes: [
        makeNode('MatMul', ['x', 'w'], ['h']),
        makeNode('Mul', ['one', 'h'], ['b']),
        makeNode('Sigmoid', ['b'], ['g']),
        makeNode('Mul', ['h', 'g'], ['s']),
        makeNode('Sub', ['one', 's'], ['d']),
        makeNode('MatMul', ['d', 'v'], ['y']),
      ],
      constants: [normals('w', [6, 16]), normals('v', [16, 5]), numbers('one', [1], [])],
    });
    expect(await scoresOf(written, 'naswot')).toEqual([expect.any(Number)]);
  });
});

describe('a network without weights', () => {
  it('has scores that say nothing of it, and says so', async () => {
    const found = await scoresOf(
      network({
        input: [4, 6],
        nodes: [makeNode('Relu', ['x'], ['r']), makeNode('Neg', ['r'], ['y'])],
        constants: [],
      }),
      'snip naswot:given',
    );
    expect(found[0]).toContain('this network has none that count');
    const linear = network({ input: [4, 6], nodes: [makeNode('Neg', ['x'], ['y'])], constants: [] });
    expect(await scoresOf(linear, 'jacov')).toEqual([
      expect.stringContaining('jacov is not meaningful for a network without weights'),
    ]);
  });
});

describe('maps that are made larger', () => {
  const layers: [string, Tensor][] = [
    normals('w', [4, 3, 3, 3]),
    normals('u', [6, 4, 3, 3]),
    normals('v', [6, 5]),
  ];
  const rest = [
    makeNode('Conv', ['l', 'u'], ['d']),
    makeNode('Relu', ['d'], ['e']),
    makeNode('GlobalAveragePool', ['e'], ['p']),
    makeNode('Flatten', ['p'], ['f']),
    makeNode('MatMul', ['f', 'v'], ['y']),
  ];
  const before = [makeNode('Conv', ['x', 'w'], ['h']), makeNode('Relu', ['h'], ['r'])];
  const nearest = {
    mode: { type: 'string', value: 'nearest' },
    coordinate_transformation_mode: { type: 'string', value: 'asymmetric' },
    nearest_mode: { type: 'string', value: 'floor' },
  } as const;
  // The scales are floats, which are not to be taken for weights.
  const resized = network({
    input: [4, 3, 6, 6],
    nodes: [...before, makeNode('Resize', ['r', '', 'scales'], ['l'], nearest), ...rest],
    constants: [...layers, numbers('scales', [1, 1, 2, 2])],
  });
  const repeated = network({
    input: [4, 3, 6, 6],
    nodes: [
      ...before,
      makeNode('Reshape', ['r', 'apart'], ['a']),
      makeNode('Expand', ['a', 'larger'], ['b']),
      makeNode('Reshape', ['b', 'whole'], ['l']),
      ...rest,
    ],
    constants: [
      ...layers,
      indices('apart', [0, 4, 4, 1, 4, 1]),
      indices('larger', [1, 4, 4, 2, 4, 2]),
      indices('whole', [0, 4, 8, 8]),
    ],
  });

  it('have the flow of those whose pixels are repeated', async () => {
    await expectSame(resized, repeated, 'synflow snip naswot');
  });

  it('keep their size where weights are drawn', async () => {
    await expectSame(resized, repeated, 'snip naswot', { initialise: 'default' });
  });
});

describe('a sigmoid that is saturated', () => {
  it('is looked behind', async () => {
    const layers: [string, Tensor][] = [normals('w', [6, 16]), numbers('v', new Array(32).fill(60), [16, 2])];
    const nodes = [
      makeNode('MatMul', ['x', 'w'], ['h']),
      makeNode('Relu', ['h'], ['r']),
      makeNode('MatMul', ['r', 'v'], ['a']),
    ];
    const plain = network({ input: [4, 6], nodes, constants: layers, output: 'a' });
    const written = network({
      input: [4, 6],
      nodes: [...nodes, makeNode('Sigmoid', ['a'], ['y'])],
      constants: layers,
    });
    await expectSame(written, plain, 'ntkt naswot');
  });
});
