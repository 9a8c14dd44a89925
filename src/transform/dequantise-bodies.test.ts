// Quantised operators inside branches and loops. Scales are powers of two and inputs whole steps, so that nothing is rounded.
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { graphOf } from '../analysis/models.testing.js';
import type { DataType } from '../graph/dtype.js';
import type { Attribute, Graph, Model } from '../graph/graph.js';
import { subgraphs } from '../graph/graph.js';
import { TensorType } from '../graph/types.js';
import { withoutControlFlow } from './control-flow.js';
import { hasQuantised, inFloat } from './dequantise.js';
import { floats, graphAttribute, of, outputsOf, typedModel } from './outputs.testing.js';

const WEIGHTS = [
  of('qw', 'uint8', [4, 4], [3, 5, 2, 4, 1, 6, 4, 3, 8, 2, 3, 5, 4, 4, 1, 7]),
  of('half', 'float32', [], [0.5]),
  of('quarter', 'float32', [], [0.25]),
  of('four', 'uint8', [], [4]),
  of('ten', 'uint8', [], [10]),
];

/** The decoders of language models choose between a first step and the next ones; weights are those of both. */
function branching(): Model {
  const model = typedModel(
    {
      inputs: ['x: 2,4', 'first: '],
      nodes: ['q = QuantizeLinear(x, half, ten)', 'y = If(first)'],
      outputs: ['y'],
      initializers: WEIGHTS,
      attributes: {
        y: {
          then_branch: graphAttribute({
            inputs: [],
            nodes: [
              'w = DequantizeLinear(qw, quarter, four)',
              'd = DequantizeLinear(q, half, ten)',
              't = MatMul(d, w)',
            ],
            outputs: ['t'],
          }),
          else_branch: graphAttribute({
            inputs: [],
            nodes: [
              'w = DequantizeLinear(qw, quarter, four)',
              'd = DequantizeLinear(q, half, ten)',
              'n = Neg(d)',
              't = MatMul(n, w)',
            ],
            outputs: ['t'],
          }),
        },
      },
    },
    { first: 'bool' },
  );
  return model;
}

/** Every step gives integers to the next. */
function looping(): Model {
  const types: Readonly<Record<string, DataType>> = { i: 'int64', on: 'bool', v: 'uint8' };
  const graph = graphOf({
    inputs: ['i: ', 'on: ', 'v: 2,4'],
    nodes: [
      'go = Identity(on)',
      'w = DequantizeLinear(qw, quarter, four)',
      'd = DequantizeLinear(v, half, ten)',
      'p = MatMul(d, w)',
      'r = QuantizeLinear(p, half, ten)',
    ],
    outputs: ['go', 'r', 'p'],
  });
  const inputs = graph.inputs.map((info) => {
    const { shape } = info.type as TensorType;
    return { ...info, type: new TensorType(types[info.name], shape) };
  });
  const body: Attribute = { type: 'graph', value: { ...graph, inputs } };
  return typedModel(
    {
      inputs: ['x: 2,4', 'm: '],
      nodes: [
        'q = QuantizeLinear(x, half, ten)',
        'last, rows = Loop(m, , q)',
        'y = DequantizeLinear(last, half, ten)',
      ],
      outputs: ['y', 'rows'],
      initializers: WEIGHTS,
      attributes: { last: { body } },
    },
    { m: 'int64' },
  );
}

const x = floats(
  [2, 4],
  [0.5, 1, -0.5, 2, -1, 0, 1.5, 0.5].map((each) => each),
);

function bodiesOf({ graph }: Model): Graph[] {
  return graph.nodes.flatMap((node) => [...subgraphs(node)].map(([, body]) => body));
}

describe('in floats', () => {
  it.each([true, false])('both branches of an If compute what they did: %s', async (value) => {
    const before = branching();
    const { model, changes } = inFloat(before, { rounding: 'straight-through' });
    const first = new ort.Tensor('bool', Uint8Array.of(Number(value)), []);
    expect(await outputsOf(model, { x, first })).toEqual(await outputsOf(before, { x, first }));
    expect(hasQuantised(model.graph)).toBe(false);
    expect(changes.length).toBeGreaterThan(4);
  });

  it('the branches of an If share their weights', () => {
    const { model } = inFloat(branching());
    const matrices = [...model.graph.initializers.values()].filter(({ dims }) => String(dims) === '4,4');
    expect(matrices).toHaveLength(1);
    expect(bodiesOf(model)).toHaveLength(2);
  });

  it.each([1, 3])('a loop of %i steps keeps its integers between them', async (steps) => {
    const before = looping();
    expect(withoutControlFlow(before).changes).toEqual([]);
    const { model } = inFloat(before, { rounding: 'straight-through' });
    const m = new ort.Tensor('int64', BigInt64Array.of(BigInt(steps)), []);
    expect(await outputsOf(model, { x, m })).toEqual(await outputsOf(before, { x, m }));
    expect(bodiesOf(model)[0]!.nodes.filter(({ opType }) => opType === 'DequantizeLinear')).toEqual([]);
  });
});

describe('branches', () => {
  it('that the data decides stay where only decided ones are taken', () => {
    const model = branching();
    expect(withoutControlFlow(model, { branches: 'decided' })).toEqual({ model, changes: [] });
    expect(withoutControlFlow(model).changes).toHaveLength(1);
  });
});
