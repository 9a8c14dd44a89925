import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeGraph, makeModel } from '../graph/graph.js';
import { Builder, type Value } from '../ops/build.js';
import '../ops/index.js';
import { hostTensor, Session } from '../runtime/session.js';
import { Random } from '../util/random.js';
import { foldTranspositions } from './fold.js';

const SIZES = { x: [2, 3, 4, 5], y: [2, 3, 5, 4] } as const;

/** The operators of what `write` writes before and after folding, and the values both give. */
async function folded(write: (x: Value, y: Value) => readonly Value[]) {
  const builder = new Builder({ opsets: new Map([['', 17]]) });
  const [x, y] = Object.entries(SIZES).map(([name, dims]) => builder.input(name, 'float32', dims));
  const outputs = write(x!, y!).map(({ name, type }) => ({ name, type }));
  const names = new Set(outputs.map(({ name }) => name));
  const nodes = foldTranspositions(builder.nodes, (name) => builder.value(name), names);
  const results = [];
  for (const body of [builder.nodes, nodes]) {
    const graph = makeGraph({
      nodes: body,
      inputs: builder.inputs,
      outputs,
      initializers: builder.initializers,
    });
    const opsetImports = new Map([
      ['', 17],
      ['com.microsoft', 1],
    ]);
    const session = await Session.create(makeModel(graph, { opsetImports }), { optimization: 'disabled' });
    const random = Random.seeded(3);
    const feed = (dims: readonly number[]) =>
      hostTensor(
        'float32',
        Float32Array.from({ length: 120 }, () => random.normal()),
        dims,
      );
    const found = await session.run({ x: await feed(SIZES.x), y: await feed(SIZES.y) });
    results.push([...names].map((name) => [...(found[name]!.data as Float32Array)]));
    await session.dispose();
  }
  return { ops: nodes.map((node) => node.opType), before: results[0]!.flat(), after: results[1]!.flat() };
}

function expectClose(after: readonly number[], before: readonly number[]): void {
  expect(after.length).toBe(before.length);
  after.forEach((value, i) => {
    expect(value).toBeCloseTo(before[i]!, 4);
  });
}

describe('transpositions folded into products', () => {
  it.each<[string, (x: Value, y: Value) => readonly Value[], string[]]>([
    ['of the right operand', (x) => [x.matmul(x.transposeLast())], ['FusedMatMul']],
    ['of the left operand', (_, y) => [y.transposeLast().matmul(y)], ['FusedMatMul']],
    ['of the result', (x, y) => [x.matmul(y).transposeLast()], ['FusedMatMul']],
    ['twice', (x, y) => [x.transposeLast().transposeLast().matmul(y)], ['MatMul']],
    [
      'after another one',
      (x) => {
        const k = x.transpose([1, 0, 2, 3]);
        return [k.matmul(k.transposeLast())];
      },
      ['Transpose', 'FusedMatMul'],
    ],
    [
      'not of other dimensions',
      (x, y) => [x.transpose([1, 0, 2, 3]).matmul(y.transpose([1, 0, 2, 3]))],
      ['Transpose', 'Transpose', 'MatMul'],
    ],
    [
      'not of a result that is used besides',
      (x, y) => {
        const product = x.matmul(y);
        return [product.transposeLast(), product.relu()];
      },
      ['MatMul', 'Transpose', 'Relu'],
    ],
    [
      'not of a result that is an output',
      (x, y) => {
        const product = x.matmul(y);
        return [product, product.transposeLast()];
      },
      ['MatMul', 'Transpose'],
    ],
  ])('%s', async (_, write, ops) => {
    const found = await folded(write);
    expect(found.ops).toEqual(ops);
    expectClose(found.after, found.before);
  });

  it('keeps the values of products of any orders of dimensions', async () => {
    const orders = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 });
    await fc.assert(
      fc.asyncProperty(orders, orders, orders, async (first, second, third) => {
        const found = await folded((x) => {
          const left = x.transpose(first).transpose(second);
          return [left.matmul(left.transposeLast()).transpose(third).transposeLast()];
        });
        expectClose(found.after, found.before);
      }),
      { numRuns: 40 },
    );
  });
});
