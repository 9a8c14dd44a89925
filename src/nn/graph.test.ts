import { describe, it } from 'vitest';
import { expectGolden } from './golden.testing.js';
import { bidirectionalGcn, gcn, gin, graphConv, graphSage, nodeMean, normalisedAdjacency } from './graph.js';
import { linear } from './linear.js';

describe('gcn', () => {
  it('sums over whom a node points to', () =>
    expectGolden('graph/gcn', (s, { x, adjacency }) => gcn(s, x!, adjacency!, 2)));

  it('divides by degrees symmetrically, and leaves padding zero', () =>
    expectGolden('graph/gcnSymmetric', (s, { x, adjacency, mask }) =>
      gcn(s, x!, normalisedAdjacency(adjacency!, 'symmetric'), 2, { mask: mask! }),
    ));

  it('averages with the node itself', () =>
    expectGolden('graph/gcnMeanWithSelf', (s, { x, adjacency }) =>
      gcn(s, x!, normalisedAdjacency(adjacency!, 'meanWithSelf'), 2, { bias: false }),
    ));
});

it('bidirectionalGcn gathers half of the channels from either side', () =>
  expectGolden('graph/bidirectionalGcn', (s, { x, adjacency }) => bidirectionalGcn(s, x!, adjacency!, 4)));

it('gin adds (1 + ε) times the node to the sum of its neighbours', () =>
  expectGolden('graph/gin', (s, { x, adjacency, mask }) =>
    gin(s, x!, adjacency!, (m, sum) => linear(m.at(1), linear(m.at(0), sum, 3).relu(), 2), { mask: mask! }),
  ));

it('graphConv has weights for the node and for the sum of its neighbours', () =>
  expectGolden('graph/graphConv', (s, { x, adjacency, mask }) =>
    graphConv(s, x!, adjacency!, 2, { mask: mask! }),
  ));

describe('graphSage', () => {
  it('averages neighbours, of which a node may have none', () =>
    expectGolden('graph/graphSage', (s, { x, adjacency }) => graphSage(s, x!, adjacency!, 2)));

  it('makes features as long as one another', () =>
    expectGolden('graph/graphSageUnitLength', (s, { x, adjacency }) =>
      graphSage(s, x!, adjacency!, 2, { normalise: true }),
    ));
});

it('nodeMean leaves padding out', () =>
  expectGolden('graph/nodeMean', (_, { x, mask }) => nodeMean(x!, mask!)));
