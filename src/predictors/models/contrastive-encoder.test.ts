import { describe, it } from 'vitest';
import '../../ops/index.js';
import { contrastiveEncoder } from './contrastive-encoder.js';
import { expectGennape, GOLDEN_ENCODER } from './gennape.testing.js';

describe('the contrastive encoder', () => {
  it('has the embeddings and gradients of PyTorch', () =>
    expectGennape('encoder', (s, inputs) => contrastiveEncoder(s, inputs, GOLDEN_ENCODER)[0]!, {
      isTraining: false,
    }));

  it('drops other elements in each of two passes, as PyTorch does given what is kept', () =>
    expectGennape('encoder, two passes', (s, inputs) =>
      s.builder.concat(contrastiveEncoder(s, inputs, GOLDEN_ENCODER, 2), 0),
    ));
});
