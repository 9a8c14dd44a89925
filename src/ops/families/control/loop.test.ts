import { describe, expect, it } from 'vitest';
import { type InferredGraph, inferShapes } from '../../../analysis/infer.js';
import { type Expr, symbol } from '../../../graph/dim.js';
import { type Model, makeNode, type Node, type ValueInfo } from '../../../graph/graph.js';
import { formatType, isTensor, TensorType, UNKNOWN, type ValueType } from '../../../graph/types.js';
import { body, formal, modelWith } from '../../graph.testing.js';
import {
  attributesOf,
  expectModelSameAsOrt,
  input,
  known,
  knownScalar,
  shapesOf,
  type TestInput,
} from '../../ort.testing.js';

const float = (...dims: number[]) => input('float32', dims);
const TIMES = knownScalar(4);
const UNKNOWN_TIMES = input('int64', [], [4]);

const COUNTERS = [formal('i', 'int64', []), formal('go', 'bool', [])];
const ON = makeNode('Identity', ['go'], ['on']);
const concat = (inputs: string[], output: string): Node =>
  makeNode('Concat', inputs, [output], attributesOf({ axis: 0 }));

/** A loop of which the body's outputs are `on`, then `carried` in the order of the inputs, then others. */
function loop(
  inputs: string[],
  outputs: string[],
  carried: ValueInfo[],
  nodes: Node[],
  gives: string[],
): Node {
  return makeNode(
    'Loop',
    inputs,
    outputs,
    { body: body([...COUNTERS, ...carried], nodes, gives) },
    { name: 'loop' },
  );
}

/** y: x1 is added to itself; all: each sum. */
const adds = (...declared: number[]): Node =>
  loop(
    ['x0', '', 'x1'],
    ['y', 'all'],
    [formal('h', 'float32', declared.length > 0 ? declared : undefined)],
    [ON, makeNode('Add', ['h', 'x1'], ['h2']), makeNode('Neg', ['h2'], ['seen'])],
    ['on', 'h2', 'seen'],
  );
const ADDS = adds();

/** y: x2 is appended to x1 each time; all: the number of the iteration. */
const APPENDS = loop(
  ['x0', '', 'x1'],
  ['y', 'all'],
  [formal('h', 'float32')],
  [ON, concat(['h', 'x2'], 'h2'), makeNode('Identity', ['i'], ['seen'])],
  ['on', 'h2', 'seen'],
);

/** y: x1 is put behind itself while a counter, which starts at x0, is less than x2. */
const WHILE = loop(
  ['', 'x3', 'x0', 'x1'],
  ['count', 'y', 'all'],
  [formal('c', 'int64', []), formal('h', 'float32')],
  [
    makeNode('Add', ['c', 'x4'], ['c2']),
    makeNode('Less', ['c2', 'x2'], ['on']),
    concat(['h', 'h'], 'h2'),
    makeNode('Identity', ['c'], ['seen']),
  ],
  ['on', 'c2', 'h2', 'seen'],
);
const WHILE_INPUTS = [knownScalar(0), float(2), knownScalar(3), knownScalar(1, 'bool'), knownScalar(1)];

/** y: all numbers of iterations up to 2, collected in a sequence. */
const COLLECTS: Node[] = [
  makeNode('SequenceEmpty', [], ['empty'], attributesOf({ dtype: 1 })),
  loop(
    ['x0', '', 'empty'],
    ['seq'],
    [{ name: 's', type: { kind: 'sequence', element: new TensorType('float32', undefined) } }],
    [ON, makeNode('SequenceInsert', ['s', 'x1'], ['s2'])],
    ['on', 's2'],
  ),
  makeNode('ConcatFromSequence', ['seq'], ['y'], attributesOf({ axis: 0 })),
];

/** y: stops after the third iteration, whatever the limit. */
const STOPS = loop(
  ['x0', '', 'x1'],
  ['y', 'all'],
  [formal('h', 'float32')],
  [
    makeNode('Less', ['i', 'x2'], ['on']),
    makeNode('Neg', ['h'], ['h2']),
    makeNode('Identity', ['h'], ['seen']),
  ],
  ['on', 'h2', 'seen'],
);

const CASES: readonly { name: string; inputs: TestInput[]; nodes: Node[]; outputs: string[] }[] = [
  {
    name: 'a loop that changes no shape',
    inputs: [TIMES, float(2, 3)],
    nodes: [ADDS],
    outputs: ['y', 'all'],
  },
  { name: 'a long one', inputs: [knownScalar(1000), float(2)], nodes: [ADDS], outputs: ['y', 'all'] },
  { name: 'no iteration', inputs: [knownScalar(0), float(2)], nodes: [adds(2)], outputs: ['y', 'all'] },
  { name: 'a negative limit', inputs: [knownScalar(-3), float(2)], nodes: [adds(2)], outputs: ['y', 'all'] },
  { name: 'a growing tensor', inputs: [TIMES, float(2), float(3)], nodes: [APPENDS], outputs: ['y', 'all'] },
  {
    name: 'a tensor that grows long',
    inputs: [knownScalar(200), float(2), float(3)],
    nodes: [APPENDS],
    outputs: ['y', 'all'],
  },
  { name: 'a while loop', inputs: WHILE_INPUTS, nodes: [WHILE], outputs: ['count', 'y', 'all'] },
  {
    name: 'a while loop that does not start',
    inputs: WHILE_INPUTS.with(3, knownScalar(0, 'bool')),
    nodes: [WHILE],
    outputs: ['count', 'y', 'all'],
  },
  { name: 'a sequence that grows', inputs: [TIMES, float(2, 3)], nodes: COLLECTS, outputs: ['y'] },
  {
    name: 'a loop that stops early',
    inputs: [knownScalar(100), float(2), knownScalar(2)],
    nodes: [STOPS],
    outputs: ['y', 'all'],
  },
];

function infer(
  inputs: readonly TestInput[],
  nodes: readonly Node[],
  ...outputs: string[]
): readonly ValueType[] {
  return inferShapes(modelWith(inputs, nodes, outputs)).graph.outputTypes;
}

/** How often the bodies of the last node run. */
function timesOf(model: Model, options = {}): string[] {
  const { call } = inferShapes(model, options).graph.nodes.at(-1)!;
  return call.bodies.map((b) => String(b.times));
}

describe('Loop', () => {
  it.each(CASES)('$name gives what ONNX Runtime gives', ({ inputs, nodes, outputs }) =>
    expectModelSameAsOrt(modelWith(inputs, nodes, outputs), inputs),
  );

  it('counts how often a body that changes no shape runs', () => {
    expect(timesOf(modelWith([TIMES, float(2)], [ADDS], ['y']))).toEqual(['4']);
    expect(timesOf(modelWith([knownScalar(0), float(2)], [ADDS], ['y']))).toEqual(['0']);
    expect(timesOf(modelWith([knownScalar(1000), float(2)], [ADDS], ['y']))).toEqual(['1000']);
  });

  it('records each iteration where shapes change', () => {
    const model = modelWith([TIMES, float(2), float(3)], [APPENDS], ['y']);
    expect(timesOf(model)).toEqual(['1', '1', '1', '1']);
    const sizes = inferShapes(model).graph.nodes[0]!.call.bodies.map((b) =>
      formatType(b.graph.outputTypes[1]),
    );
    expect(sizes).toEqual(['float32[5]', 'float32[8]', 'float32[11]', 'float32[14]']);
  });

  it('counts iterations that cost the same as one that repeats', () => {
    const countsUp = loop(
      ['x0', '', 'x1'],
      ['y'],
      [formal('c', 'int64', [])],
      [ON, makeNode('Add', ['c', 'x1'], ['c2'])],
      ['on', 'c2'],
    );
    expect(timesOf(modelWith([TIMES, knownScalar(1)], [countsUp], ['y']))).toEqual(['4']);
  });

  it('carries known numbers from iteration to iteration', () => {
    const [count, all] = infer(WHILE_INPUTS, [WHILE], 'count', 'all');
    expect(isTensor(count) && count.elements).toEqual([3]);
    expect(isTensor(all) && all.elements).toEqual([0, 1, 2]);
  });

  it('leaves open how often it runs when the limit is unknown', () => {
    const model = modelWith([UNKNOWN_TIMES, float(2, 3)], [ADDS], ['y', 'all']);
    expect(shapesOf(inferShapes(model).graph.outputTypes)).toEqual(['[2,3]', '[all[0],2,3]']);
    expect(timesOf(model)).toEqual(['undefined']);
  });

  it('names sizes that change in an unknown way', () => {
    const types = infer([UNKNOWN_TIMES, float(2, 3), float(4, 3)], [APPENDS], 'y', 'all');
    expect(shapesOf(types)).toEqual(['[y[0],3]', '[all[0]]']);
  });

  it('knows what a symbolic number of iterations adds up to', () => {
    const model = modelWith([UNKNOWN_TIMES, float(2, 3), float(4, 3)], [APPENDS], ['y', 'all']);
    const options = { types: { x0: new TensorType('int64', [], [symbol('steps')]) } };
    expect(shapesOf(inferShapes(model, options).graph.outputTypes)).toEqual(['[4*steps+2,3]', '[steps]']);
    expect(timesOf(model, options)).toEqual(['steps']);
  });

  it('knows how long a sequence grows', () => {
    const length = makeNode('SequenceLength', ['seq'], ['n']);
    const stack = makeNode('ConcatFromSequence', ['seq'], ['z'], attributesOf({ axis: 0, new_axis: 1 }));
    const model = modelWith([UNKNOWN_TIMES, float(2, 3)], [...COLLECTS, length, stack], ['y', 'z', 'n']);
    const infer = (steps: number | Expr) => {
      const types = { x0: new TensorType('int64', [], [steps]) };
      return inferShapes(model, { types }).graph.outputTypes;
    };
    const [y, z, n] = infer(symbol('steps'));
    expect([String(y), String(z)]).toEqual(['float32[2*steps,3]', 'float32[steps,2,3]']);
    expect(isTensor(n) && String(n.elements)).toBe('steps');
    expect(String(infer(1000)[0])).toBe('float32[2000,3]');
    expect(shapesOf(inferShapes(model).graph.outputTypes)).toEqual(['[y[0],3]', '[z[0],2,3]', '[]']);
  });

  it('does not trust the limit where the body decides when to stop', () => {
    const decides = loop(
      ['x0', '', 'x1'],
      ['y', 'all'],
      [formal('h', 'float32')],
      [
        makeNode('Less', ['h', 'x1'], ['on']),
        makeNode('Neg', ['h'], ['h2']),
        makeNode('Identity', ['h'], ['seen']),
      ],
      ['on', 'h2', 'seen'],
    );
    const model = modelWith([TIMES, float()], [decides], ['y', 'all']);
    expect(shapesOf(inferShapes(model).graph.outputTypes)).toEqual(['[]', '[all[0]]']);
    expect(timesOf(model)).toEqual(['undefined']);
  });

  it('covers the start where the loop may not run', () => {
    const replaces = loop(
      ['x0', 'x2', 'x1'],
      ['y'],
      [formal('h', 'float32')],
      [ON, concat(['x1', 'x1'], 'h2')],
      ['on', 'h2'],
    );
    const condition = input('bool', [], [1]);
    expect(shapesOf(infer([TIMES, float(2), condition], [replaces], 'y'))).toEqual(['[y[0]]']);
    expect(shapesOf(infer([TIMES, float(2), knownScalar(1, 'bool')], [replaces], 'y'))).toEqual(['[4]']);
  });

  it('keeps what the body passes on unchanged', () => {
    const passes = loop(
      ['x0', '', 'x1', 'x2'],
      ['shape', 'y'],
      [formal('s', 'int64'), formal('h', 'float32')],
      [ON, makeNode('Identity', ['s'], ['s2']), makeNode('Reshape', ['h', 's'], ['h2'])],
      ['on', 's2', 'h2'],
    );
    const [shape, y] = infer([UNKNOWN_TIMES, known([3, 2]), float(3, 2)], [passes], 'shape', 'y');
    expect(isTensor(shape) && shape.elements).toEqual([3, 2]);
    expect(String(y)).toBe('float32[3,2]');
  });

  it('follows what depends on the number of the iteration', () => {
    const triangle = loop(
      ['x0', '', 'x1'],
      ['y'],
      [formal('h', 'float32')],
      [
        makeNode('Identity', ['go'], ['on']),
        loop(
          ['i', '', 'h'],
          ['r'],
          [formal('g', 'float32')],
          [makeNode('Identity', ['go'], ['on2']), makeNode('Neg', ['g'], ['g2'])],
          ['on2', 'g2'],
        ),
      ],
      ['on', 'r'],
    );
    const { bodies } = inferShapes(modelWith([TIMES, float(2)], [triangle], ['y'])).graph.nodes[0]!.call;
    const inner = bodies.map(({ graph }) => (graph as InferredGraph).nodes[1]!.call.bodies[0]!.times);
    expect(inner).toEqual([0, 1, 2, 3]);
  });

  it('takes what the body gives for the optional value that it takes', () => {
    const element = new TensorType('float32', undefined);
    const fills = loop(
      ['x0', '', 'none'],
      ['y'],
      [{ name: 'o', type: { kind: 'optional', element } }],
      [ON, makeNode('OptionalHasElement', ['o'], ['has']), makeNode('Identity', ['x1'], ['h2'])],
      ['on', 'h2'],
    );
    const none = makeNode('Optional', [], ['none'], { type: { type: 'type_proto', value: element } });
    expect(infer([TIMES, float(2)], [none, fills], 'y').map(formatType)).toEqual(['float32[2]']);
    expect(infer([UNKNOWN_TIMES, float(2)], [none, fills], 'y').map(formatType)).toEqual(['float32[?]']);
  });

  it('runs loops in loops', async () => {
    const inner = loop(
      ['x0', '', 'h'],
      ['r'],
      [formal('g', 'float32')],
      [makeNode('Identity', ['go'], ['on']), concat(['g', 'x1'], 'g2')],
      ['on', 'g2'],
    );
    const outer = loop(
      ['x0', '', 'x1'],
      ['y'],
      [formal('h', 'float32')],
      [makeNode('Identity', ['go'], ['on_outer']), inner],
      ['on_outer', 'r'],
    );
    const inputs = [TIMES, float(2)];
    await expectModelSameAsOrt(modelWith(inputs, [outer], ['y']), inputs);
  });

  it('gives up on loops that have no end, and on nests that would take forever', () => {
    const endless = loop(
      ['', '', 'x0'],
      ['y'],
      [formal('h', 'float32')],
      [ON, concat(['h', 'x0'], 'h2')],
      ['on', 'h2'],
    );
    expect(shapesOf(infer([float(2)], [endless], 'y'))).toEqual(['[y[0]]']);
    const most = input('int64', [], [2 ** 63 - 1]);
    const limit = { types: { x0: new TensorType('int64', [], [2 ** 63]) } };
    const model = modelWith([most, float(2), float(3)], [APPENDS], ['y', 'all']);
    expect(shapesOf(inferShapes(model, limit).graph.outputTypes)).toEqual(['[y[0]]', '[all[0]]']);

    let nest = concat(['x1', 'x1'], 'deep0');
    for (let depth = 1; depth <= 5; depth++) {
      const [from, to] = [`deep${depth - 1}`, `deep${depth}`];
      const carried = `h${depth}`;
      const on = makeNode('Identity', ['go'], [`on${depth}`]);
      nest = loop(
        ['x0', '', 'x1'],
        [to],
        [formal(carried, 'float32')],
        [on, nest, concat([carried, from], `n${depth}`)],
        [`on${depth}`, `n${depth}`],
      );
    }
    expect(shapesOf(infer([knownScalar(64), float(2)], [nest], 'deep5'))).toHaveLength(1);
  });

  it.each<[string, Node, RegExp]>([
    [
      'a value that changes its type',
      loop(
        ['x0', '', 'x1'],
        ['y'],
        [{ name: 'h', type: UNKNOWN }],
        [ON, makeNode('Shape', ['h'], ['h2'])],
        ['on', 'h2'],
      ),
      /both float32\[2\] and int64/,
    ],
    [
      'a body that gives too little',
      loop(['x0', '', 'x1'], ['y'], [formal('h', 'float32')], [ON], ['on']),
      /gives 1 values, but carries 1/,
    ],
    [
      'a body that takes other inputs',
      loop(['x0', '', 'x1'], ['y'], [], [ON], ['on']),
      /takes 2 inputs, but gets 3/,
    ],
  ])('rejects %s', (_, node, message) => {
    expect(() => infer([UNKNOWN_TIMES, float(2)], [node], 'y')).toThrow(message);
  });
});
