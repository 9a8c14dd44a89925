import { describe, expect, it } from 'vitest';
import { makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { fromNumbers } from '../graph/tensor.js';
import { TensorType } from '../graph/types.js';
import {
  dependentValues,
  neededNodes,
  neededValues,
  pruned,
  readsOnlySizes,
  valuesRead,
} from './dependence.js';

// x → Relu → a → Shape → s; w → Transpose → t; a·t → y; w + w → idle
const nodes = [
  makeNode('Relu', ['x'], ['a']),
  makeNode('Shape', ['a'], ['s']),
  makeNode('Transpose', ['w'], ['t']),
  makeNode('MatMul', ['a', 't'], ['y']),
  makeNode('Add', ['w', 'v'], ['idle']),
];

describe('dependence', () => {
  it('goes forward through all that a node uses, or through what it reads', () => {
    expect([...dependentValues(nodes, ['x'])]).toEqual(['x', 'a', 's', 'y']);
    expect([...dependentValues(nodes, ['x'], { reads: valuesRead })]).toEqual(['x', 'a', 'y']);
    expect([...dependentValues(nodes, ['x'], { carries: (name) => name !== 'a' })]).toEqual(['x']);
    expect([...dependentValues(nodes, [], { begins: ({ opType }) => opType === 'Add' })]).toEqual(['idle']);
  });

  it('goes backward, and leaves out what is not needed', () => {
    expect([...neededValues(nodes, ['y'])].sort()).toEqual(['a', 't', 'w', 'x', 'y']);
    expect(neededNodes(nodes, ['y']).map(({ opType }) => opType)).toEqual(['Relu', 'Transpose', 'MatMul']);
  });

  it('sees what subgraphs use', () => {
    const body = makeGraph({
      nodes: [makeNode('Identity', ['a'], ['b'])],
      inputs: [],
      outputs: [{ name: 'b', type: new TensorType('float32', []) }],
    });
    const branch = makeNode('If', ['c'], ['z'], { then_branch: { type: 'graph', value: body } });
    expect([...neededValues([nodes[0]!, branch], ['z'])].sort()).toEqual(['a', 'c', 'x', 'z']);
    expect(dependentValues([branch], ['a']).has('z')).toBe(true);
  });

  it('knows inputs that are asked for size or type only', () => {
    expect(valuesRead(makeNode('CastLike', ['x', 'y'], ['z']))).toEqual(['x']);
    expect(valuesRead(makeNode('Size', ['x'], ['n']))).toEqual([]);
    expect([nodes[1]!, nodes[0]!].map(readsOnlySizes)).toEqual([true, false]);
    // Its numbers do not depend on its input, but are never the same.
    expect(readsOnlySizes(makeNode('RandomNormalLike', ['x'], ['r']))).toBe(false);
    expect(readsOnlySizes(makeNode('Constant', [], ['c']))).toBe(false);
  });

  it('prunes models of nodes and constants', () => {
    const type = new TensorType('float32', [2, 2]);
    const initializers = new Map(
      ['w', 'v'].map((name) => [name, fromNumbers(name, 'float32', [2, 2], [1, 2, 3, 4])]),
    );
    const graph = makeGraph({
      nodes,
      inputs: [{ name: 'x', type }],
      outputs: [{ name: 'y', type }],
      initializers,
    });
    const { graph: left } = pruned(makeModel(graph));
    expect(left.nodes.map(({ opType }) => opType)).toEqual(['Relu', 'Transpose', 'MatMul']);
    expect([...left.initializers.keys()]).toEqual(['w']);
  });
});
