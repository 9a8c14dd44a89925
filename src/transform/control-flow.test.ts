// Networks with graphs inside, rebuilt small from what real files have; ONNX Runtime before and after, to the bit.
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { type GraphText, graphOf, tensor } from '../analysis/models.testing.js';
import { hasSubgraphs, type Model } from '../graph/graph.js';
import { fromNumbers } from '../graph/tensor.js';
import { sequenceType, TensorType } from '../graph/types.js';
import { withoutControlFlow } from './control-flow.js';
import { withFixedInputs } from './fixed-inputs.js';
import { floats, graphAttribute, of, outputsOf, typedModel } from './outputs.testing.js';

const X = floats([2, 3], [1, -2, 3, -4, 5, -6]);

async function expectSame(
  model: Model,
  feeds: Record<string, ort.Tensor> = { x: X },
  options = {},
): Promise<Model> {
  const after = withoutControlFlow(model, options);
  expect(after.model.graph.nodes.some(hasSubgraphs)).toBe(false);
  expect(after.model.functions).toEqual([]);
  expect(after.changes.length).toBeGreaterThan(0);
  expect(await outputsOf(after.model, feeds)).toEqual(await outputsOf(model, feeds));
  return after.model;
}

/** y is x doubled, or x times a matrix, as `sr` says: voice detectors hold a network for each sampling rate. */
function branching(condition: readonly string[] = ['k = Equal(sr, rate)']): Model {
  const then: GraphText = {
    inputs: [],
    nodes: ['t = Mul(x, two)', 'a = Relu(t)'],
    outputs: ['a'],
    initializers: [tensor('two', [], [2])],
  };
  const otherwise: GraphText = { inputs: [], nodes: ['t = MatMul(x, w)', 'b = Relu(t)'], outputs: ['b'] };
  return typedModel(
    {
      inputs: ['x: 2,3', 'sr: '],
      nodes: [...condition, 'y = If(k)', 't = Neg(y)', 'z = Abs(t)'],
      outputs: ['y', 'z'],
      initializers: [of('rate', 'int64', [], [16000]), tensor('w', [3, 3])],
      attributes: { y: { then_branch: graphAttribute(then), else_branch: graphAttribute(otherwise) } },
    },
    { sr: 'int64' },
  );
}

const rate = (value: number) => new ort.Tensor('int64', BigInt64Array.of(BigInt(value)), []);

describe('branches', () => {
  it.each([16000, 8000])('are inlined where a fixed input decides: %i', async (value) => {
    const { model: fixed, changes } = withFixedInputs(branching(), { sr: value });
    expect(changes).toEqual([{ transform: 'fixed inputs', what: `input 'sr' is always ${value}` }]);
    expect(fixed.graph.inputs.map(({ name }) => name)).toEqual(['x']);
    const after = await expectSame(fixed);
    expect(await outputsOf(after, { x: X })).toEqual(await outputsOf(branching(), { x: X, sr: rate(value) }));
  });

  it('that the data decides are the costlier one, and the change says so', async () => {
    const { model, changes } = withoutControlFlow(branching());
    expect(changes).toEqual([
      expect.objectContaining({
        transform: 'control flow',
        node: 'n_y',
        operator: 'If',
        what: 'else_branch runs whatever the condition is: it costs more',
      }),
    ]);
    const feeds = { x: X, sr: rate(8000) };
    expect(await outputsOf(model, feeds)).toEqual(await outputsOf(branching(), feeds));
  });

  it('of branches are inlined, too, with what they take from outside', async () => {
    const inner: GraphText = { inputs: [], nodes: ['v = Add(s, x)'], outputs: ['v'] };
    const outer: GraphText = {
      inputs: [],
      nodes: ['s = Neg(x)', 't = If(yes)', 'u = Add(t, s)'],
      outputs: ['u'],
      initializers: [of('yes', 'bool', [], [1])],
      attributes: { t: { then_branch: graphAttribute(inner), else_branch: graphAttribute(inner) } },
    };
    const other: GraphText = { inputs: [], nodes: ['t = Identity(x)'], outputs: ['t'] };
    await expectSame(
      typedModel({
        inputs: ['x: 2,3'],
        nodes: ['y = If(no)', 't = Exp(y)', 'z = Add(y, t)'],
        outputs: ['y', 'z'],
        initializers: [of('no', 'bool', [], [0])],
        attributes: { y: { then_branch: graphAttribute(other), else_branch: graphAttribute(outer) } },
      }),
    );
  });
});

const counted: GraphText = {
  inputs: ['i: ', 'on: ', 'v: 2,3'],
  nodes: ['k = Cast(i) to=1', 's = Add(v, k)', 'next = MatMul(s, w)', 'row = Neg(s)', 'go = Identity(on)'],
  outputs: ['go', 'next', 'row'],
};

/** The inputs of a body with their types. */
function body(text: GraphText, types: Readonly<Record<string, 'int64' | 'bool'>>) {
  const graph = graphOf(text);
  const inputs = graph.inputs.map((input) => {
    const dtype = types[input.name];
    return dtype ? { ...input, type: new TensorType(dtype, []) } : input;
  });
  return { type: 'graph', value: { ...graph, inputs } } as const;
}

function looping(limit: number, initializers: GraphText['initializers'] = []): Model {
  return typedModel({
    inputs: ['x: 2,3'],
    nodes: ['y, rows = Loop(m, , x)'],
    outputs: ['y', 'rows'],
    initializers: [of('m', 'int64', [], [limit]), tensor('w', [3, 3]), ...initializers],
    attributes: { y: { body: body(counted, { i: 'int64', on: 'bool' }) } },
  });
}

describe('loops', () => {
  it('are written as often as they run', async () => {
    const after = await expectSame(looping(4));
    expect(after.graph.nodes.filter((node) => node.opType === 'MatMul')).toHaveLength(4);
  });

  it('stay where they would be too long', () => {
    const model = looping(1000);
    const after = withoutControlFlow(model, { maxNodes: 100 });
    expect(after.changes).toEqual([]);
    expect(after.model.graph.nodes).toEqual(model.graph.nodes);
  });

  it('stay where the data says how often they run', () => {
    const model = looping(4);
    const inputs = [...model.graph.inputs, { name: 'm', type: new TensorType('int64', []) }];
    const initializers = new Map([...model.graph.initializers].filter(([name]) => name !== 'm'));
    const open = { ...model, graph: { ...model.graph, inputs, initializers } };
    expect(withoutControlFlow(open).changes).toEqual([]);
  });

  it.each([
    ['forward', []],
    ['backward, along other axes', [1]],
  ])('over slices are written out: %s', async (_, directions) => {
    const step: GraphText = {
      inputs: ['s: 3', 'slice: 3'],
      nodes: ['sum = Add(s, slice)', 'out = Relu(sum)'],
      outputs: ['sum', 'out'],
    };
    const ints = (value: readonly number[]) => ({ type: 'ints', value }) as const;
    const more = directions.length > 0 && {
      scan_input_directions: ints([1]),
      scan_output_directions: ints([1]),
      scan_output_axes: ints([1]),
    };
    const model = typedModel({
      inputs: ['x: 4,3'],
      nodes: ['last, all = Scan(zero, x) num_scan_inputs=1'],
      outputs: ['last', 'all'],
      initializers: [tensor('zero', [3], [0, 0, 0])],
      attributes: { last: { body: graphAttribute(step), ...more } },
    });
    await expectSame(model, { x: floats([4, 3], [1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12]) });
  });

  it('over slices of an open size need it', () => {
    const step: GraphText = {
      inputs: ['s: 3', 'slice: 3'],
      nodes: ['sum = Add(s, slice)', 'out = Relu(sum)'],
      outputs: ['sum', 'out'],
    };
    const model = typedModel({
      inputs: ['x: n,3'],
      nodes: ['last, all = Scan(zero, x) num_scan_inputs=1'],
      outputs: ['last', 'all'],
      initializers: [tensor('zero', [3], [0, 0, 0])],
      attributes: { last: { body: graphAttribute(step) } },
    });
    expect(withoutControlFlow(model).changes).toEqual([]);
    expect(withoutControlFlow(model, { sizes: { dims: { n: 3 } } }).changes).toHaveLength(1);
  });
});

describe('functions and sequences', () => {
  it('are written out', async () => {
    const model = typedModel({
      inputs: ['x: 2,3'],
      nodes: ['y = local.Twice(x)', 't = Neg(x)', 'z = local.Twice(t)'],
      outputs: ['y', 'z'],
    });
    const graph = graphOf({
      inputs: ['v: '],
      nodes: ['t = Add(v, v)', 'u = local.Negated(t)'],
      outputs: ['u'],
    });
    const inner = graphOf({ inputs: ['v: '], nodes: ['t = Neg(v)'], outputs: ['t'] });
    const definition = (name: string, { nodes, inputs, outputs }: typeof graph) => ({
      name,
      domain: 'local',
      inputs: inputs.map((i) => i.name),
      outputs: outputs.map((o) => o.name),
      attributes: [],
      attributeDefaults: new Map(),
      nodes,
      opsetImports: new Map([
        ['', 21],
        ['local', 1],
      ]),
      valueInfo: new Map(),
    });
    await expectSame({
      ...model,
      opsetImports: new Map([...model.opsetImports, ['local', 1]]),
      functions: [definition('Twice', graph), definition('Negated', inner)],
    });
  });

  it('elements of sequences are values of their own', async () => {
    const model = typedModel({
      inputs: ['x: 2,3'],
      nodes: [
        's = SplitToSequence(x) axis=1',
        'e = SequenceAt(s, one)',
        'c = SequenceConstruct(e, e)',
        'y = ConcatFromSequence(c) axis=1',
      ],
      outputs: ['y'],
      initializers: [fromNumbers('one', 'int64', [], [1])],
    });
    const after = await expectSame(model);
    expect(after.graph.nodes.map((node) => node.opType)).toEqual(['Split', 'Identity', 'Concat']);
  });

  it('maps over sequences are written out', async () => {
    const step: GraphText = { inputs: ['e: 2,1', 'v: 2,3'], nodes: ['t = Mul(e, v)'], outputs: ['t'] };
    const outputs = [{ name: 't', type: new TensorType('float32', [2, 3]) }];
    const model = typedModel({
      inputs: ['x: 2,3'],
      nodes: ['s = SplitToSequence(x) axis=1', 'm = SequenceMap(s, x)', 'y = ConcatFromSequence(m) axis=0'],
      outputs: ['y'],
      attributes: { m: { body: { type: 'graph', value: { ...graphOf(step), outputs } } } },
    });
    await expectSame(model);
  });

  it('keeps a sequence that is an output', () => {
    const model = typedModel({
      inputs: ['x: 2,3'],
      nodes: ['y = SplitToSequence(x) axis=1'],
      outputs: ['y'],
    });
    const outputs = [{ name: 'y', type: sequenceType(new TensorType('float32', undefined)) }];
    const whole = { ...model, graph: { ...model.graph, outputs } };
    expect(
      withoutControlFlow(whole).model.graph.nodes.some((node) => node.opType === 'SplitToSequence'),
    ).toBe(true);
  });
});

describe('fixed inputs', () => {
  it('must exist, and their numbers must fit', () => {
    expect(() => withFixedInputs(branching(), { rate: 1 })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_INPUT' }),
    );
    expect(() => withFixedInputs(branching(), { x: [1, 2] })).toThrow(
      expect.objectContaining({ code: 'BAD_SHAPE' }),
    );
  });
});
