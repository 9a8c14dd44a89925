import { expect, it } from 'vitest';
import { makeGraph, makeModel, makeNode } from '../../graph/graph.js';
import { fromNumbers } from '../../graph/tensor.js';
import { TensorType } from '../../graph/types.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { withShortNames } from './short-names.js';

const TYPE = new TensorType('float32', [2]);

it('renames inner values and constants, not inputs, outputs and what is left out', async () => {
  const long = 'gradient/of/something/inner';
  const graph = makeGraph({
    nodes: [
      makeNode('Mul', ['0', 'a/constant'], [long], {}, { name: 'product' }),
      makeNode('Clip', [long, '', 'a/limit'], ['result'], {}, { name: 'clipped' }),
    ],
    inputs: [{ name: '0', type: TYPE }],
    outputs: [{ name: 'result', type: TYPE }],
    initializers: new Map([
      ['a/constant', fromNumbers('a/constant', 'float32', [2], [3, 5])],
      ['a/limit', fromNumbers('a/limit', 'float32', [], [9])],
    ]),
  });
  const model = withShortNames(makeModel(graph, { opsetImports: new Map([['', 21]]) }));
  const names = model.graph.nodes.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]);
  expect(names.filter((name) => name.includes('/'))).toEqual([]);
  expect(model.graph.nodes.map(({ name }) => name)).toEqual(['product', 'clipped']);
  expect(model.graph.nodes[1]!.inputs[1]).toBe('');
  const session = await Session.create(model, { optimization: 'disabled' });
  const { result } = await session.run({ 0: await hostTensor('float32', Float32Array.of(2, 4), [2]) });
  await session.dispose();
  expect([...(result!.data as Float32Array)]).toEqual([6, 9]);
});
