import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { graphOf, modelOf, tensor } from '../../analysis/models.testing.js';
import { symbol } from '../../graph/dim.js';
import { type Model, makeGraph, makeModel, makeNode } from '../../graph/graph.js';
import { fromNumbers } from '../../graph/tensor.js';
import { TensorType } from '../../graph/types.js';
import { scoreNetwork } from '../proxy.js';
import { flops, macs, params } from '../scores/counts.js';
import { snip } from '../scores/gradient-scores.js';
import { NetworkCounts } from './network-counts.js';
import type { PrepareOptions } from './prepare.js';
import { Subject, type SubjectOptions } from './subject.js';

/** x (…, 3) · w (3, 4) + b, then ReLU: per row 12 MACs, 4 additions and 4 maxima. */
function dense(sizes: readonly (number | string)[], output: 'float32' | 'int64' = 'float32'): Model {
  const zeros = (name: string, dims: readonly number[]) =>
    [
      name,
      fromNumbers(name, 'float32', dims, new Float64Array(dims.reduce((n, d) => n * d, 1)).fill(0.5)),
    ] as const;
  const shape = sizes.map((d) => (typeof d === 'string' ? symbol(d) : d));
  const last =
    output === 'float32' ? [] : [makeNode('Cast', ['y'], ['i'], { to: { type: 'int', value: 7 } })];
  return makeModel(
    makeGraph({
      inputs: [{ name: 'x', type: new TensorType('float32', shape) }],
      outputs: [{ name: last.length > 0 ? 'i' : 'y', type: new TensorType(output, undefined) }],
      nodes: [
        makeNode('MatMul', ['x', 'w'], ['h']),
        makeNode('Add', ['h', 'b'], ['s']),
        makeNode('Relu', ['s'], ['y']),
        ...last,
      ],
      initializers: new Map([zeros('w', [3, 4]), zeros('b', [4])]),
    }),
  );
}

const ROW = { macs: 12, flops: 2 * 12 + 4 + 4 };
const ALL = [{ proxy: params }, { proxy: macs }, { proxy: flops }];
async function valuesOf(
  model: Model,
  options?: () => SubjectOptions,
  sizes?: PrepareOptions,
): Promise<unknown[]> {
  const outcomes = await scoreNetwork(model, ALL, options, sizes);
  return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : outcome.error.code));
}

describe('counts of a network as it is', () => {
  it('are parameters, MACs and FLOPs = 2·MACs + other arithmetic of one sample', () => {
    const counts = new NetworkCounts(dense(['batch', 3]));
    expect([counts.parameters, counts.macs, counts.flops]).toEqual([16, ROW.macs, ROW.flops]);
  });

  it('are the same through a subject', async () => {
    const subject = Subject.of(dense(['batch', 3]), { batch: 4 });
    const scores = await Promise.all(ALL.map(({ proxy }) => proxy.score(subject)));
    expect(scores.map(({ value }) => value)).toEqual([16, ROW.macs, ROW.flops]);
    expect((await flops.score(subject, { variant: 'all' })).value).toBe(ROW.flops);
  });

  it('do not fail because of an output that is no logits, or a batch that the network does not take', async () => {
    expect(await valuesOf(dense([2, 3], 'int64'), () => ({}), { batch: 5 })).toEqual([
      16,
      ROW.macs,
      ROW.flops,
    ]);
    // What was cast is the output.
    const [size, noise] = await scoreNetwork(dense([2, 3], 'int64'), [{ proxy: params }, { proxy: snip }]);
    expect([size, noise]).toMatchObject([{ score: { value: 16 } }, { score: {} }]);
  });

  it('ask for nothing to be prepared', async () => {
    const never = (): never => {
      throw new Error('nothing is to be prepared');
    };
    expect(await valuesOf(dense(['batch', 3]), never)).toEqual([16, ROW.macs, ROW.flops]);
  });

  it('take a sensible size where one is open', async () => {
    const model = dense([1, 'tokens', 3]);
    expect(await valuesOf(model)).toEqual([16, 64 * ROW.macs, 64 * ROW.flops]);
    expect(await valuesOf(model, () => ({}), { dims: { tokens: 5 } })).toEqual([
      16,
      5 * ROW.macs,
      5 * ROW.flops,
    ]);
  });
});

describe('a network with branches', () => {
  /** A layer of 12 weights, or two of 12 and 20, for another rate. */
  function branching(): Model {
    const branch = (nodes: readonly string[], outputs: string[], ...dims: [string, number, number][]) => ({
      type: 'graph' as const,
      value: graphOf({
        ...{ inputs: [], nodes, outputs },
        initializers: dims.map(([name, rows, columns]) =>
          tensor(name, [rows, columns], new Array(rows * columns).fill(0.5)),
        ),
      }),
    });
    return modelOf({
      inputs: ['x: batch,3', 'rate: '],
      nodes: ['r = Cast(rate) to=7', 'b = Equal(r, wide)', 'y = If(b)'],
      outputs: ['y'],
      initializers: [tensor('wide', [], [16000], 'int64')],
      attributes: {
        y: {
          then_branch: branch(['t = MatMul(x, w)'], ['t'], ['w', 3, 4]),
          else_branch: branch(['h = MatMul(x, v)', 'e = MatMul(h, u)'], ['e'], ['v', 3, 4], ['u', 4, 5]),
        },
      },
    });
  }

  it('has the parameters that inspect counts, those of both branches, also where scores take one', async () => {
    const model = branching();
    const { parameters } = cost(inferShapes(model)).totals;
    expect(parameters).toBe(12 + 12 + 20);
    expect((await valuesOf(model))[0]).toBe(parameters);
    const [size, noise] = await scoreNetwork(model, [{ proxy: params }, { proxy: snip }]);
    expect([size, noise]).toMatchObject([{ score: { value: parameters } }, { score: {} }]);
  });
});

describe('a network whose sizes depend on the data', () => {
  it('is counted with those of a run', async () => {
    // All rows whose first element is not 0: with normal numbers all of them.
    const model = makeModel(
      makeGraph({
        inputs: [{ name: 'x', type: new TensorType('float32', [5, 3]) }],
        outputs: [{ name: 'y', type: new TensorType('float32', undefined) }],
        nodes: [
          makeNode('NonZero', ['x'], ['places']),
          makeNode('Gather', ['places', 'zero'], ['rows'], { axis: { type: 'int', value: 0 } }),
          makeNode('Gather', ['x', 'rows'], ['r']),
          makeNode('MatMul', ['r', 'w'], ['y']),
        ],
        initializers: new Map([
          ['zero', fromNumbers('zero', 'int64', [], Float64Array.of(0))],
          ['w', fromNumbers('w', 'float32', [3, 4], new Float64Array(12).fill(0.5))],
        ]),
      }),
    );
    const found = await scoreNetwork(model, [{ proxy: macs }]);
    // 15 elements, each with its row (3) times w, for 5 samples.
    expect(found).toMatchObject([{ score: { value: (15 * ROW.macs) / 5 } }]);
  });
});
