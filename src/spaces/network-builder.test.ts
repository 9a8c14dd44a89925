import { describe, expect, it } from 'vitest';
import { tensorBytes } from '../graph/tensor.js';
import { forBatch } from './network-builder.js';
import { autoFormerTiny } from './transformers/autoformer.js';

describe('forBatch', () => {
  const arch = autoFormerTiny.parse(autoFormerTiny.example);
  const options = { resolution: 32, width: 0.0625 };

  it('is the network that is written for that batch, with the same weights', () => {
    const model = autoFormerTiny.network(arch, { ...options, batch: 4, seed: 3 });
    const other = forBatch(model, 1)!;
    const written = autoFormerTiny.network(arch, { ...options, batch: 1, seed: 3 });
    expect(other.graph.nodes).toEqual(written.graph.nodes);
    expect(other.graph.inputs).toEqual(written.graph.inputs);
    const bytes = ({ graph }: typeof model) => [...graph.initializers.values()].map(tensorBytes);
    expect(bytes(other)).toEqual(bytes(written));
  });

  it('knows nothing of other models', () => {
    const model = autoFormerTiny.network(arch, options);
    expect(forBatch({ ...model }, 1)).toBeUndefined();
  });
});
