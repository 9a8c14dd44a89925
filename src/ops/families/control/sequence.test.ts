import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { type Attribute, makeNode, type Node } from '../../../graph/graph.js';
import { isTensor, sequenceType, TensorType, type ValueType } from '../../../graph/types.js';
import { modelWith } from '../../graph.testing.js';
import {
  attributesOf,
  costOf,
  expectModelSameAsOrt,
  inferTypes,
  input,
  known,
  knownScalar,
  shapesOf,
  type TestInput,
} from '../../ort.testing.js';

const float = (...dims: number[]) => input('float32', dims);

function node(op: string, inputs: string[], output: string, attributes: Record<string, number> = {}): Node {
  return makeNode(op, inputs, [output], attributesOf(attributes) as Record<string, Attribute>, {
    name: output,
  });
}

/** `seq` is a sequence of x0 and x1. */
const PAIR = node('SequenceConstruct', ['x0', 'x1'], 'seq');

function types(
  inputs: readonly TestInput[],
  nodes: readonly Node[],
  ...outputs: string[]
): readonly ValueType[] {
  return inferShapes(modelWith(inputs, nodes, outputs)).graph.outputTypes;
}

const CASES: readonly { name: string; inputs: TestInput[]; nodes: Node[] }[] = [
  {
    name: 'SequenceAt from the front',
    inputs: [float(2, 3), float(4), knownScalar(0)],
    nodes: [PAIR, node('SequenceAt', ['seq', 'x2'], 'y')],
  },
  {
    name: 'SequenceAt from the back',
    inputs: [float(2, 3), float(4), knownScalar(-1)],
    nodes: [PAIR, node('SequenceAt', ['seq', 'x2'], 'y')],
  },
  {
    name: 'SequenceInsert in front',
    inputs: [float(2), float(3), float(4), knownScalar(0)],
    nodes: [
      PAIR,
      node('SequenceInsert', ['seq', 'x2', 'x3'], 'more'),
      node('SequenceAt', ['more', 'x3'], 'y'),
    ],
  },
  {
    name: 'SequenceInsert at the end of an empty sequence',
    inputs: [float(2), knownScalar(0)],
    nodes: [
      node('SequenceEmpty', [], 'seq'),
      node('SequenceInsert', ['seq', 'x0'], 'more'),
      node('SequenceAt', ['more', 'x1'], 'y'),
    ],
  },
  {
    name: 'SequenceErase of the first element',
    inputs: [float(2), float(3), knownScalar(0)],
    nodes: [PAIR, node('SequenceErase', ['seq', 'x2'], 'less'), node('SequenceAt', ['less', 'x2'], 'y')],
  },
  {
    name: 'SequenceErase of the last element',
    inputs: [float(2), float(3)],
    nodes: [
      PAIR,
      node('SequenceErase', ['seq'], 'less'),
      node('ConcatFromSequence', ['less'], 'y', { axis: 0 }),
    ],
  },
  {
    name: 'SequenceLength',
    inputs: [float(2), float(3)],
    nodes: [PAIR, node('SequenceLength', ['seq'], 'y')],
  },
  {
    name: 'ConcatFromSequence along an axis',
    inputs: [float(2, 3), float(2, 4)],
    nodes: [PAIR, node('ConcatFromSequence', ['seq'], 'y', { axis: -1 })],
  },
  {
    name: 'ConcatFromSequence along a new axis',
    inputs: [float(2, 3), float(2, 3)],
    nodes: [PAIR, node('ConcatFromSequence', ['seq'], 'y', { axis: -1, new_axis: 1 })],
  },
  {
    name: 'SplitToSequence into single elements',
    inputs: [float(2, 3), knownScalar(1)],
    nodes: [node('SplitToSequence', ['x0'], 'seq'), node('SequenceAt', ['seq', 'x1'], 'y')],
  },
  {
    name: 'SplitToSequence without the axis',
    inputs: [float(2, 3), knownScalar(2)],
    nodes: [
      node('SplitToSequence', ['x0'], 'seq', { axis: 1, keepdims: 0 }),
      node('SequenceAt', ['seq', 'x1'], 'y'),
    ],
  },
  {
    name: 'SplitToSequence into parts with a rest',
    inputs: [float(5, 3), knownScalar(2), knownScalar(-1)],
    nodes: [node('SplitToSequence', ['x0', 'x1'], 'seq'), node('SequenceAt', ['seq', 'x2'], 'y')],
  },
  {
    name: 'SplitToSequence into parts of given sizes',
    inputs: [float(5, 3), known([1, 4]), knownScalar(1)],
    nodes: [node('SplitToSequence', ['x0', 'x1'], 'seq'), node('SequenceAt', ['seq', 'x2'], 'y')],
  },
];

describe('sequences', () => {
  it.each(CASES)('$name gives what ONNX Runtime gives', ({ inputs, nodes }) =>
    expectModelSameAsOrt(modelWith(inputs, nodes, ['y']), inputs),
  );

  it('carries known elements in and out', () => {
    const nodes = [
      node('SplitToSequence', ['x0'], 'parts', { keepdims: 0 }),
      node('SequenceAt', ['parts', 'x1'], 'third'),
      node('ConcatFromSequence', ['parts'], 'whole', { axis: 0, new_axis: 1 }),
    ];
    const [third, whole] = types([known([7, 8, 9]), knownScalar(2)], nodes, 'third', 'whole');
    expect(isTensor(third) && third.elements).toEqual([9]);
    expect(isTensor(whole) && whole.elements).toEqual([7, 8, 9]);
  });

  it('knows the length even where a position is unknown', () => {
    const nodes = [
      PAIR,
      node('SequenceInsert', ['seq', 'x0', 'x2'], 'more'),
      node('SequenceErase', ['more', 'x2'], 'less'),
      node('SequenceLength', ['less'], 'n'),
      node('SequenceAt', ['less', 'x2'], 'y'),
    ];
    const [n, y] = types([float(2, 3), float(4, 3), input('int64', [])], nodes, 'n', 'y');
    expect(isTensor(n) && n.elements).toEqual([2]);
    expect(String(y)).toMatch(/^float32\[.*\[0\],3\]$/);
  });

  it('leaves open what is unknown', () => {
    const inputs = [float(5, 3), input('int64', []), input('int64', [])];
    const nodes = [
      node('SplitToSequence', ['x0', 'x1'], 'seq'),
      node('SequenceAt', ['seq', 'x2'], 'part'),
      node('ConcatFromSequence', ['seq'], 'whole', { axis: 1 }),
      node('ConcatFromSequence', ['seq'], 'stack', { axis: 0, new_axis: 1 }),
    ];
    expect(shapesOf(types(inputs, nodes, 'part', 'whole', 'stack'))).toEqual([
      '[seq[0],3]',
      '[seq[0],whole[1]]',
      '[stack[0],seq[0],3]',
    ]);
  });

  it('knows a symbolic length', () => {
    const nodes = [
      node('SplitToSequence', ['x0'], 'seq', { keepdims: 0 }),
      node('SequenceInsert', ['seq', 'x1'], 'more'),
      node('SequenceLength', ['more'], 'n'),
      node('ConcatFromSequence', ['more'], 'stack', { axis: 0, new_axis: 1 }),
    ];
    const model = modelWith([float(5, 3), float(3)], nodes, ['n', 'stack']);
    const [n, stack] = inferShapes(model, { shapes: { x0: ['rows', 3] } }).graph.outputTypes;
    expect(isTensor(n) && String(n.elements)).toBe('rows+1');
    expect(String(stack)).toBe('float32[rows+1,3]');
  });

  it('takes a sequence from outside', () => {
    const model = modelWith([float(1)], [node('SequenceAt', ['x0', 'x1'], 'y')], ['y']);
    const inputs = [
      { name: 'x0', type: sequenceType(new TensorType('float32', [3])) },
      { name: 'x1', type: new TensorType('int64', []) },
    ];
    const [type] = inferShapes({ ...model, graph: { ...model.graph, inputs } }).graph.outputTypes;
    expect(String(type)).toBe('float32[3]');
  });

  it.each<[string, TestInput[], Node[], RegExp]>([
    [
      'a position past the end',
      [float(2), float(3), knownScalar(2)],
      [PAIR, node('SequenceAt', ['seq', 'x2'], 'y')],
      /position 2/,
    ],
    [
      'a position before the start',
      [float(2), float(3), knownScalar(-3)],
      [PAIR, node('SequenceErase', ['seq', 'x2'], 'y')],
      /position -3/,
    ],
    [
      'elements of different types',
      [float(2), input('int64', [2])],
      [PAIR, node('SequenceLength', ['seq'], 'y')],
      /both/,
    ],
    [
      'another type in an empty sequence',
      [input('int64', [2])],
      [node('SequenceEmpty', [], 's'), node('SequenceInsert', ['s', 'x0'], 'y')],
      /both/,
    ],
    [
      'erasing from nothing',
      [float(1)],
      [node('SequenceEmpty', [], 's'), node('SequenceErase', ['s'], 'y')],
      /empty/,
    ],
    [
      'concatenating nothing',
      [float(1)],
      [node('SequenceEmpty', [], 's'), node('ConcatFromSequence', ['s'], 'y', { axis: 0 })],
      /empty/,
    ],
    [
      'concatenating what does not fit',
      [float(2, 3), float(3, 4)],
      [PAIR, node('ConcatFromSequence', ['seq'], 'y', { axis: 0 })],
      /fit/,
    ],
    ['a tensor for a sequence', [float(2)], [node('SequenceLength', ['x0'], 'y')], /must be a sequence/],
    [
      'parts that do not add up',
      [float(5), known([2, 2])],
      [node('SplitToSequence', ['x0', 'x1'], 'y')],
      /add up to 5/,
    ],
    ['parts of size 0', [float(5), knownScalar(0)], [node('SplitToSequence', ['x0', 'x1'], 'y')], /size 0/],
    [
      'parts of negative size',
      [float(5), known([6, -1])],
      [node('SplitToSequence', ['x0', 'x1'], 'y')],
      /size -1/,
    ],
  ])('rejects %s', (_, inputs, nodes, message) => {
    expect(() => types(inputs, nodes, 'y')).toThrow(message);
  });

  it('does not list the elements of a very long sequence', () => {
    const [type] = inferTypes({ op: 'SplitToSequence', inputs: [float(1_000_000_000)] });
    expect(type).toEqual(sequenceType(new TensorType('float32', [1]), 1_000_000_000));
  });

  it('moves the tensors that it touches', () => {
    expect(costOf({ op: 'SplitToSequence', inputs: [float(2, 3)] })).toEqual({ memoryBytes: 48 });
  });
});
