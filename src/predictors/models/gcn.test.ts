import { describe, it } from 'vitest';
import { expectWeights, golden, itIsGolden } from './cell-graphs.testing.js';
import { GCN, gcn } from './gcn.js';

describe('GCN of BRP-NAS', () => {
  const { width, layers } = golden;
  itIsGolden('gcn', (s, graphs, outputs) => gcn(s, graphs, { width, layers, dropout: 0, outputs }));

  it('has the paper’s sizes', () => expectWeights('gcn', (s, graphs) => gcn(s, graphs, GCN)));
});
