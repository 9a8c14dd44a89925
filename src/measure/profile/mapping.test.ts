// Optimised graphs as ONNX Runtime 1.30 writes them, with the names that it gives to kernels.
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../analysis/models.testing.js';
import type { Model } from '../../graph/graph.js';
import { mapKernels } from './mapping.js';
import { tokenised } from './tokens.js';

/** A graph text whose nodes get names in order. */
function optimised(inputs: string[], outputs: string[], nodes: [name: string, text: string][]): Model {
  const model = modelOf({ inputs, outputs, nodes: nodes.map(([, text]) => text) });
  const named = model.graph.nodes.map((node, i) => ({ ...node, name: nodes[i]![0] }));
  return { ...model, graph: { ...model.graph, nodes: named } };
}

const operators = (user: ReturnType<typeof tokenised>, tokens: readonly number[]): string[] =>
  tokens.map((token) => user.nodes[token]!.node.opType);

describe('mapKernels', () => {
  it('finds the nodes of fused kernels, and what changes of layout belong to', () => {
    const user = tokenised(
      modelOf({
        inputs: ['x: 1,4,8,8', 'w: 4,4,3,3', 's: 4'],
        outputs: ['y'],
        nodes: ['c = Conv(x, w)', 'r = Relu(c)', 'p = Conv(r, w)', 'y = Softmax(p)'],
      }),
    );
    const graph = optimised(
      ['x: 1,4,8,8', 'w: 4,4,3,3'],
      ['y'],
      [
        ['ReorderInput', 'a = Identity(x)'],
        ['r_nchwc', 'b = Conv(a, w)'],
        ['p_nchwc', 'd = Conv(b, w)'],
        ['ReorderOutput_token_7', 'p = Identity(d)'],
        ['@3@', 'y = Softmax(p)'],
      ],
    );
    const { kernels, removed } = mapKernels(user, graph);
    expect(kernels.map(({ kind }) => kind)).toEqual(['inserted', 'direct', 'direct', 'inserted', 'direct']);
    expect(kernels.map(({ from }) => operators(user, from))).toEqual([
      ['Conv', 'Relu'],
      ['Conv', 'Relu'],
      ['Conv'],
      ['Conv'],
      ['Softmax'],
    ]);
    expect(removed).toEqual([]);
  });

  it('follows tokens in names, and lists nodes that nothing runs', () => {
    const user = tokenised(
      modelOf({
        inputs: ['x: 2,4', 'w: 4,4', 'b: 4'],
        outputs: ['y'],
        nodes: ['s = Shape(x)', 'm = MatMul(x, w)', 'a = Add(m, b)', 'y = Reshape(a, s)'],
      }),
    );
    const graph = optimised(
      ['x: 2,4', 'w: 4,4', 'b: 4'],
      ['y'],
      [
        ['@1@/MatMulAddFusion', 'a = Gemm(x, w, b)'],
        ['Unknown', 'y = Identity(a)'],
      ],
    );
    const { kernels, removed } = mapKernels(user, graph);
    expect(operators(user, kernels[0]!.from)).toEqual(['MatMul', 'Add']);
    // Its output is the user's: it computes the Reshape.
    expect(kernels[1]).toMatchObject({ kind: 'direct' });
    expect(operators(user, removed)).toEqual([]);
    expect(operators(user, kernels[1]!.from)).toEqual(['Shape', 'Reshape']);
  });

  it('says so where a kernel stands alone', () => {
    const user = tokenised(modelOf({ inputs: ['x: 2'], outputs: ['y'], nodes: ['y = Relu(x)'] }));
    const graph = optimised(['x: 2'], ['z'], [['Alone', 'z = Identity(x)']]);
    const { kernels, removed } = mapKernels(user, graph);
    expect(kernels[0]).toMatchObject({ kind: 'unmapped', from: [] });
    expect(removed).toEqual([0]);
  });
});
