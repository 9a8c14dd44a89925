import { describe, it } from 'vitest';
import '../../ops/index.js';
import { computationGnn } from './computation-gnn.js';
import { expectGennape, GOLDEN_LABELS } from './gennape.testing.js';

describe('graph neural networks on computation graphs', () => {
  it.each(['k-gnn', 'gcn', 'gin'] as const)(
    'has the outputs and gradients of PyTorch Geometric, with %s',
    (convolution) =>
      expectGennape(convolution, (s, inputs) =>
        computationGnn(s, inputs, { convolution, width: 6, layers: 2, labels: GOLDEN_LABELS, outputs: 2 }),
      ),
  );
});
