import { describe, it } from 'vitest';
import { expectWeights, golden, itIsGolden } from './cell-graphs.testing.js';
import { SAGE_CELLS, sageCells } from './sage-cells.js';

describe('GraphSAGE on cells', () => {
  const { width } = golden;
  itIsGolden('sage', (s, graphs, outputs) => sageCells(s, graphs, { width, dropout: 0, outputs }));

  it('has the sizes of NNLP, and a head for each label', () =>
    expectWeights('sage', (s, graphs) => sageCells(s, graphs, { ...SAGE_CELLS, outputs: 3 })));
});
