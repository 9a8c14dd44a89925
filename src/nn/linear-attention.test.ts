import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import { linearAttention } from './linear-attention.js';
import { scatterPlaces, sumByGraph } from './packed-graph.js';
import { expectPacked } from './packed-graphs.testing.js';
import { trace } from './step.js';

describe('linear attention', () => {
  it('is what the matrix of all pairs of a graph gives, whatever the blocks', () =>
    // Graphs of two, three and one blocks of four rows, the last of each filled up, and two blocks of padding.
    expectPacked('attention', (s, { x, presence, blockGraph, counts }) => {
      const graph = scatterPlaces(blockGraph!);
      const y = linearAttention(s, x!, { presence: presence!, graph, counts: counts! }, 2);
      const sums = presence!.unsqueeze([1]).matmul(y).squeeze([1]);
      return sumByGraph(sums, graph, counts!);
    }));

  it('refuses a width that heads do not divide', () => {
    const shapes = {
      x: { type: 'float32', dims: [2, 4, 6] },
      presence: { type: 'float32', dims: [2, 4] },
      graph: { type: 'int64', dims: [2, 1] },
      counts: { type: 'float32', dims: [1, 1] },
    } as const;
    const write = () =>
      trace(
        shapes,
        true,
        (s, { x, presence, graph, counts }) =>
          linearAttention(s, x!, { presence: presence!, graph: graph!, counts: counts! }, 4),
        'y',
      );
    expect(write).toThrow(expect.objectContaining({ code: 'ATTENTION_HEADS' }));
  });
});
