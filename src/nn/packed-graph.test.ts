import { describe, it } from 'vitest';
import '../ops/index.js';
import type { Value } from '../ops/build.js';
import { linear } from './linear.js';
import {
  degreeScale,
  meanByGraph,
  type PackedEdges,
  packedGcn,
  packedGin,
  packedGraphConv,
  scatterPlaces,
} from './packed-graph.js';
import { expectPacked } from './packed-graphs.testing.js';
import type { Scope } from './scope.js';

type Layer = (s: Scope, x: Value, edges: PackedEdges) => Value;

/** A layer on all graphs at once, the means of what it gives for every graph. */
function expectLayer(name: string, layer: Layer): Promise<void> {
  return expectPacked(name, (s, { x, from, to, graph, counts }) => {
    const y = layer(s, x!, { from: from!, to: scatterPlaces(to!) });
    return meanByGraph(y, scatterPlaces(graph!), counts!);
  });
}

// Graphs of 5, 9 and 2 nodes, one without weighted nodes, and padding.
describe('layers on packed graphs', () => {
  it('convolves as GraphConv of PyTorch Geometric does graph by graph', () =>
    expectLayer('k-gnn', (s, x, edges) => packedGraphConv(s, x, edges, 2)));

  it('convolves as GCNConv does', () =>
    expectLayer('gcn', (s, x, edges) => packedGcn(s, x, edges, degreeScale(x, edges), 2)));

  it('convolves as GINConv does', () =>
    expectLayer('gin', (s, x, edges) =>
      packedGin(s, x, edges, (mlp, y) => linear(mlp.at(1), linear(mlp.at(0), y, 2).relu(), 2)),
    ));
});
