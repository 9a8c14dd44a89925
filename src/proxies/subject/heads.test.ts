// Which value of a network a loss compares, and how; each case is the end of a kind of published file.
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import type { Attribute, Model } from '../../graph/graph.js';
import { snip } from '../scores/gradient-scores.js';
import { Subject, type SubjectOptions } from './subject.js';

interface Ends {
  readonly input?: string;
  readonly columns?: number;
  /** Nodes behind a (4, columns), the product of the input and a weight. */
  readonly nodes: readonly string[];
  readonly outputs?: readonly string[];
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, Attribute>>>>;
}

const ints = (name: string, values: readonly number[]) => tensor(name, [values.length], values, 'int64');

function ended({ input = '4,6', columns = 10, nodes, outputs = ['y'], attributes = {} }: Ends): Model {
  return modelOf({
    inputs: [`x: ${input}`],
    nodes: ['a = MatMul(x, w)', ...nodes],
    outputs,
    attributes,
    initializers: [
      tensor(
        'w',
        [6, columns],
        Array.from({ length: 6 * columns }, (_, i) => Math.sin(i)),
      ),
      ints('folded', [4, 1, 1, columns]),
      ints('flat', [4, columns]),
      ints('ones', [1, 2]),
    ],
  });
}

const headsOf = (model: Model, options: SubjectOptions = {}) =>
  Subject.of(model, options).heads.map(({ name, loss, axis, classes }) => [name, loss, axis, classes]);

describe('the head of a network', () => {
  it.each<[string, Ends, unknown[]]>([
    ['a classifier', { nodes: ['y = Identity(a)'] }, ['a', 'cross-entropy', 1, 10]],
    ['a softmax', { nodes: ['y = Softmax(a)'] }, ['a', 'cross-entropy', 1, 10]],
    [
      'a softmax that a converter wrapped',
      { nodes: ['f = Flatten(a)', 's = Softmax(f)', 'y = Reshape(s, folded)'] },
      ['f', 'cross-entropy', 1, 10],
    ],
    [
      'a softmax behind (N, 1, 1, C)',
      { nodes: ['r = Reshape(a, folded)', 'y = Softmax(r)'] },
      ['r', 'cross-entropy', 3, 10],
    ],
    ['(N, 1, 1, C)', { nodes: ['y = Reshape(a, folded)'] }, ['y', 'cross-entropy', 3, 10]],
    ['one column behind a sigmoid', { columns: 1, nodes: ['y = Sigmoid(a)'] }, ['a', 'binary', 1, 1]],
    [
      'a sigmoid that was reshaped',
      { nodes: ['s = Sigmoid(a)', 'y = Reshape(s, folded)'] },
      ['a', 'binary', 1, 10],
    ],
    ['one number', { columns: 1, nodes: ['y = Identity(a)'] }, ['a', 'squares', 1, 1]],
    ['an embedding', { columns: 128, nodes: ['y = Identity(a)'] }, ['a', 'squares', 1, 128]],
    ['landmarks', { columns: 136, nodes: ['y = Identity(a)'] }, ['a', 'squares', 1, 136]],
    ['a list of boxes', { input: '4,7,6', columns: 85, nodes: ['y = Identity(a)'] }, ['a', 'squares', 2, 85]],
    ['a normalised row', { nodes: ['n = ReduceL2(a, one)', 'y = Div(a, n)'] }, ['y', 'squares', 1, 10]],
  ])('is that of %s', (_, ends, expected) => {
    const model = ended(ends);
    const one = ints('one', [1]);
    const initializers = new Map([...model.graph.initializers, ['one', one]]);
    expect(headsOf({ ...model, graph: { ...model.graph, initializers } })).toEqual([expected]);
  });

  it('is every part that an output is joined from, where some end in a sigmoid or softmax', () => {
    const model = ended({
      nodes: ['b = Relu(a)', 's = Sigmoid(a)', 'm = Softmax(b)', 'y = Concat(s, m, b)'],
      attributes: { y: { axis: { type: 'int', value: 1 } } },
    });
    expect(headsOf(model)).toEqual([
      ['a', 'binary', 1, 10],
      ['b', 'cross-entropy', 1, 10],
      ['b', 'squares', 1, 10],
    ]);
  });

  it('is no value that another output is computed from', () => {
    const model = ended({ nodes: ['h = Relu(a)', 'y = Softmax(h)'], outputs: ['a', 'y'] });
    expect(headsOf(model)).toEqual([['h', 'cross-entropy', 1, 10]]);
  });

  it('is what one asks for', () => {
    const model = ended({ columns: 128, nodes: ['y = Identity(a)', 'z = Relu(a)'], outputs: ['y', 'z'] });
    expect(headsOf(model, { loss: 'binary', output: 'z' })).toEqual([['z', 'binary', 1, 128]]);
    expect(headsOf(model, { output: 'y' })).toEqual([['a', 'cross-entropy', 1, 128]]);
  });
});

describe('the loss of a network', () => {
  const w = Array.from({ length: 6 }, (_, i) => Math.sin(i));
  const x = Float32Array.from({ length: 24 }, (_, i) => Math.cos(i));
  const batches = [{ x: { type: 'float32' as const, dims: [4, 6], data: x } }];
  const model = modelOf({
    inputs: ['x: 4,6'],
    nodes: ['a = MatMul(x, w)', 'y = Sigmoid(a)'],
    outputs: ['y'],
    initializers: [tensor('w', [6, 1], w)],
  });
  const rows = Array.from({ length: 4 }, (_, n) => [...x.subarray(n * 6, n * 6 + 6)]);
  const logits = rows.map((row) => row.reduce((sum, value, i) => sum + value * Math.fround(w[i]!), 0));
  /** Σ |w·g| for the gradient of the mean over samples of a function of the logit. */
  const snipOf = (slope: (logit: number, n: number) => number): number =>
    w.reduce((sum, weight, i) => {
      const g = rows.reduce((total, row, n) => total + (slope(logits[n]!, n) * row[i]!) / 4, 0);
      return sum + Math.abs(weight * g);
    }, 0);

  it.each(['binary', 'squares'] as const)('is %s, in closed form', async (loss) => {
    const subject = Subject.of(model, { batches, loss, session: { threads: 1 } });
    const targets = Array.from((await subject.targets(0, 0)).data as Float32Array);
    // d/dz of ln(1 + e^z) − t·z, and of ½(z − t)².
    const slope = (z: number, n: number): number =>
      loss === 'binary' ? 1 / (1 + Math.exp(-z)) - targets[n]! : z - targets[n]!;
    expect((await snip.score(subject)).value).toBeCloseTo(snipOf(slope), 5);
    if (loss === 'binary') expect(targets.every((t) => t === 0 || t === 1)).toBe(true);
  });

  it('is the same where a converter wrapped the softmax', async () => {
    const scoreOf = async (nodes: readonly string[]): Promise<number> => {
      const subject = Subject.of(ended({ nodes }), { session: { threads: 1 } });
      return (await snip.score(subject)).value;
    };
    const plain = await scoreOf(['y = Softmax(a)']);
    const wrapped = await scoreOf(['f = Flatten(a)', 's = Softmax(f)', 'y = Reshape(s, folded)']);
    expect(wrapped).toBeCloseTo(plain, 6);
  });
});
