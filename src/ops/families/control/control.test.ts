import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { makeNode, type Node } from '../../../graph/graph.js';
import {
  formatType,
  isTensor,
  sequenceType,
  TensorType,
  UNKNOWN,
  type ValueType,
} from '../../../graph/types.js';
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
const CONDITION = input('bool', [], [1]);

function infer(
  inputs: readonly TestInput[],
  nodes: readonly Node[],
  ...outputs: string[]
): readonly ValueType[] {
  return inferShapes(modelWith(inputs, nodes, outputs)).graph.outputTypes;
}

/** A branch that gives one value of the graph around it, which it does not compute. */
function branch(...nodes: Node[]) {
  return body([], nodes, nodes.at(-1)!.outputs);
}

function If(then: Node, otherwise: Node): Node {
  return makeNode(
    'If',
    ['x0'],
    ['y'],
    { then_branch: branch(then), else_branch: branch(otherwise) },
    { name: 'if' },
  );
}

describe('If', () => {
  const same = If(makeNode('Relu', ['x1'], ['a']), makeNode('Neg', ['x1'], ['b']));
  const longer = If(
    makeNode('Concat', ['x1', 'x1'], ['a'], attributesOf({ axis: 1 })),
    makeNode('Neg', ['x1'], ['b']),
  );

  it('gives what ONNX Runtime gives', async () => {
    const inputs = [CONDITION, float(2, 3)];
    await expectModelSameAsOrt(modelWith(inputs, [same], ['y']), inputs);
  });

  it('takes the branch that a known condition chooses, and only it', async () => {
    for (const [value, shape] of [
      [1, '[2,6]'],
      [0, '[2,3]'],
    ] as const) {
      const inputs = [knownScalar(value, 'bool'), float(2, 3)];
      const model = modelWith(inputs, [longer], ['y']);
      await expectModelSameAsOrt(model, inputs);
      const { outputTypes, nodes } = inferShapes(model).graph;
      expect(shapesOf(outputTypes)).toEqual([shape]);
      expect(nodes[0]!.call.bodies).toMatchObject([{ times: 1, alternative: false }]);
    }
  });

  it('gives what both branches have in common', () => {
    const inputs = [CONDITION, float(2, 3)];
    const { outputTypes, nodes } = inferShapes(modelWith(inputs, [longer], ['y'])).graph;
    expect(shapesOf(outputTypes)).toEqual(['[2,y[1]]']);
    expect(nodes[0]!.call.bodies.map((b) => [b.name, b.alternative])).toEqual([
      ['then_branch', true],
      ['else_branch', true],
    ]);
  });

  it('gives up the shape where the ranks differ', () => {
    const flat = If(makeNode('Flatten', ['x1'], ['a']), makeNode('Neg', ['x1'], ['b']));
    expect(shapesOf(infer([CONDITION, float(2, 3, 4)], [flat], 'y'))).toEqual(['[?]']);
  });

  it('keeps elements that are the same in both branches', () => {
    const sizes = If(makeNode('Shape', ['x1'], ['a']), makeNode('Identity', ['x2'], ['b']));
    const elements = (values: number[]) => {
      const [type] = infer([CONDITION, float(2, 3), known(values)], [sizes], 'y');
      return isTensor(type) && type.elements;
    };
    expect(elements([2, 3])).toEqual([2, 3]);
    expect(elements([2, 4])).toBeUndefined();
  });

  it('merges sequences', () => {
    const sequences = If(
      makeNode('SequenceConstruct', ['x1', 'x1'], ['a']),
      makeNode('SequenceConstruct', ['x1'], ['b']),
    );
    const [type] = infer([CONDITION, float(2, 3)], [sequences], 'y');
    expect(type).toEqual(sequenceType(new TensorType('float32', [2, 3])));
  });

  it('takes the other branch where the sizes of one do not fit', () => {
    const product = makeNode('MatMul', ['x1', 'x1'], ['a']);
    for (const node of [
      If(product, makeNode('Neg', ['x1'], ['b'])),
      If(makeNode('Neg', ['x1'], ['b']), product),
    ]) {
      const { outputTypes, nodes } = inferShapes(modelWith([CONDITION, float(2, 3)], [node], ['y'])).graph;
      expect(shapesOf(outputTypes)).toEqual(['[2,3]']);
      expect(nodes[0]!.call.bodies).toMatchObject([{ times: 1, alternative: false }]);
    }
    const neither = If(product, makeNode('MatMul', ['x1', 'x1'], ['b']));
    expect(() => infer([CONDITION, float(2, 3)], [neither], 'y')).toThrow(/cannot be multiplied/);
  });

  it('rejects branches of different types', () => {
    const mixed = If(makeNode('Shape', ['x1'], ['a']), makeNode('Neg', ['x1'], ['b']));
    expect(() => infer([CONDITION, float(2, 3)], [mixed], 'y')).toThrow(/both int64\[2\] and float32\[2,3\]/);
    const kinds = If(makeNode('SequenceConstruct', ['x1'], ['a']), makeNode('Neg', ['x1'], ['b']));
    expect(() => infer([CONDITION, float(2, 3)], [kinds], 'y')).toThrow(/both seq/);
  });

  it('rejects branches with different numbers of outputs', () => {
    const two = body([], [makeNode('Neg', ['x1'], ['a'])], ['a', 'a']);
    const one = branch(makeNode('Neg', ['x1'], ['b']));
    const node = makeNode('If', ['x0'], ['y'], { then_branch: two, else_branch: one });
    expect(() => infer([CONDITION, float(2)], [node], 'y')).toThrow(/2 and 1 outputs/);
  });
});

describe('Scan', () => {
  /** A running sum over slices that also gives each sum. */
  const sum = body(
    [formal('state', 'float32'), formal('slice', 'float32')],
    [makeNode('Add', ['state', 'slice'], ['next']), makeNode('Identity', ['next'], ['seen'])],
    ['next', 'seen'],
  );
  const scan = (attributes = {}, inputs = ['x0', 'x1']) =>
    makeNode('Scan', inputs, ['last', 'all'], {
      body: sum,
      ...attributesOf({ num_scan_inputs: 1, ...attributes }),
    });

  it.each([
    ['along the first axis', [float(3), float(5, 3)], {}],
    ['along other axes', [float(3), float(3, 5)], { scan_input_axes: [1], scan_output_axes: [-1] }],
    ['of scalars', [float(), float(5)], {}],
  ])('%s gives what ONNX Runtime gives', (_, inputs, attributes) =>
    expectModelSameAsOrt(modelWith(inputs, [scan(attributes)], ['last', 'all']), inputs),
  );

  it('runs once per slice', () => {
    const { nodes } = inferShapes(modelWith([float(3), float(5, 3)], [scan()], ['last', 'all'])).graph;
    expect(nodes[0]!.call.bodies).toMatchObject([{ times: 5, alternative: false }]);
  });

  it('scans each element of a batch on its own in opset 8', async () => {
    const inputs = [float(2, 3), float(2, 5, 3)];
    const model = modelWith(inputs, [scan({}, ['', 'x0', 'x1'])], ['last', 'all'], 8);
    await expectModelSameAsOrt(model, inputs);
    expect(inferShapes(model).graph.nodes[0]!.call.bodies[0]!.times).toBe(10);
  });

  it('takes the lengths of sequences into account in opset 8', () => {
    const inputs = [float(2, 3), float(2, 5, 3), known([4, 2])];
    const model = modelWith(inputs, [scan({}, ['x2', 'x0', 'x1'])], ['last', 'all'], 8);
    const { graph } = inferShapes(model);
    expect(graph.nodes[0]!.call.bodies[0]!.times).toBe(6);
    expect(shapesOf(graph.outputTypes)).toEqual(['[2,3]', '[2,5,3]']);
  });

  it('keeps symbols', () => {
    const model = modelWith([float(1, 3), float(1, 1, 3)], [scan()], ['last', 'all']);
    const { graph } = inferShapes(model, { shapes: { x0: ['batch', 3], x1: ['seq', 'batch', 3] } });
    expect(shapesOf(graph.outputTypes)).toEqual(['[batch,3]', '[seq,batch,3]']);
    expect(String(graph.nodes[0]!.call.bodies[0]!.times)).toBe('seq');
  });

  it.each<[string, TestInput[], Node, RegExp]>([
    [
      'more scanned inputs than there are',
      [float(3), float(5, 3)],
      scan({ num_scan_inputs: 3 }),
      /cannot have 3/,
    ],
    ['no scanned input', [float(3), float(5, 3)], scan({ num_scan_inputs: 0 }), /cannot have 0/],
    ['a state that grows', [float(1), float(5, 3)], scan(), /\[1\] becomes one of shape \[3\]/],
    ['a scalar to scan', [float(), float()], scan(), /cannot be scanned/],
    [
      'lengths that differ',
      [float(5, 3), float(4, 3)],
      makeNode('Scan', ['x0', 'x1'], ['a'], {
        body: body(
          [formal('p', 'float32'), formal('q', 'float32')],
          [makeNode('Add', ['p', 'q'], ['r'])],
          ['r'],
        ),
        ...attributesOf({ num_scan_inputs: 2 }),
      }),
      /length of 5 and of 4/,
    ],
  ])('rejects %s', (_, inputs, node, message) => {
    expect(() => infer(inputs, [node], node.outputs[0]!)).toThrow(message);
  });
});

describe('SequenceMap', () => {
  const twice = body(
    [
      { name: 'item', type: UNKNOWN },
      { name: 'other', type: UNKNOWN },
    ],
    [makeNode('Concat', ['item', 'other'], ['r'], attributesOf({ axis: 0 }))],
    ['r'],
  );
  const nodes = (...of: string[]): Node[] => [
    makeNode('SequenceConstruct', of, ['seq']),
    makeNode('SequenceMap', ['seq', 'x0'], ['mapped'], { body: twice }),
    makeNode('ConcatFromSequence', ['mapped'], ['y'], attributesOf({ axis: 0 })),
  ];

  it('runs the body once for elements of one type', () => {
    const { graph } = inferShapes(modelWith([float(2)], nodes('x0', 'x0', 'x0'), ['y']));
    expect(shapesOf(graph.outputTypes)).toEqual(['[12]']);
    expect(graph.nodes[1]!.call.bodies).toMatchObject([{ times: 3 }]);
  });

  it('runs the body for each element of a type of its own', () => {
    const { graph } = inferShapes(modelWith([float(2), float(5)], nodes('x0', 'x1'), ['y']));
    expect(shapesOf(graph.outputTypes)).toEqual(['[11]']);
    expect(graph.nodes[1]!.call.bodies).toHaveLength(2);
  });

  it('maps sequences of unknown length', () => {
    const model = modelWith([float(2)], nodes('x0').slice(1), ['mapped']);
    const inputs = [
      ...model.graph.inputs,
      { name: 'seq', type: sequenceType(new TensorType('float32', [3])) },
    ];
    const [type] = inferShapes({ ...model, graph: { ...model.graph, inputs } }).graph.outputTypes;
    expect(formatType(type)).toBe('seq(float32[5])');
  });

  it('maps nothing to nothing', () => {
    const empty = [
      makeNode('SequenceEmpty', [], ['seq']),
      nodes()[1]!,
      makeNode('SequenceLength', ['mapped'], ['y']),
    ];
    const [type] = infer([float(2)], empty, 'y');
    expect(isTensor(type) && type.elements).toEqual([0]);
  });

  it('rejects sequences of different lengths', () => {
    const pair = [
      makeNode('SequenceConstruct', ['x0'], ['a']),
      makeNode('SequenceConstruct', ['x0', 'x0'], ['b']),
      makeNode('SequenceMap', ['a', 'b'], ['y'], { body: twice }),
    ];
    expect(() => infer([float(2)], pair, 'y')).toThrow(/1 and 2 elements/);
  });
});
