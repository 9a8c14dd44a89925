import { describe, expect, it } from 'vitest';
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
