import { describe, expect, it } from 'vitest';
import { multiHeadAttention } from './attention.js';
import { expectGolden } from './golden.testing.js';
import { constant } from './initialise.js';
import { Trace } from './scope.js';

describe('multiHeadAttention is PyTorch’s', () => {
  it('without a mask', () =>
    expectGolden('attention/plain', (s, { x }) => multiHeadAttention(s, x!, { heads: 2 })));

  it('with one head and no biases', () =>
    expectGolden('attention/withoutBias', (s, { x }) =>
      multiHeadAttention(s, x!, { heads: 1, bias: false }),
    ));

  it.each(['sharedMask', 'maskPerHead', 'maskPerSampleAndHead', 'additiveMask'])('with %s', (name) =>
    expectGolden(`attention/${name}`, (s, { x, mask }) =>
      multiHeadAttention(s, x!, { heads: 2, mask: mask! }),
    ),
  );

  it('over another sequence', () =>
    expectGolden('attention/memory', (s, { x, memory, mask }) =>
      multiHeadAttention(s, x!, { heads: 2, memory: memory!, mask: mask! }),
    ));
});

describe('multiHeadAttention', () => {
  it('drops attention weights in training only', () => {
    const counts = [true, false].map((isTraining) => {
      const trace = new Trace(isTraining);
      const x = trace.builder.input('x', 'float32', [2, 3, 8]);
      multiHeadAttention(trace.scope, x, { heads: 4, dropout: 0.1 });
      return trace.noise.map(({ count }) => count);
    });
    expect(counts).toEqual([[2 * 4 * 3 * 3], []]);
  });

  it('gives all its weights the initialiser it is told', () => {
    const { scope, builder, parameters } = new Trace(true);
    const [weight, biasInit] = [constant(1), constant(2)];
    multiHeadAttention(scope, builder.input('x', 'float32', [1, 2, 4]), { heads: 2, weight, biasInit });
    const used = [...parameters.values()].map((p) => [p.name, p.initialise]);
    expect(used).toEqual([
      ['qkv.weight', weight],
      ['qkv.bias', biasInit],
      ['out.weight', weight],
      ['out.bias', biasInit],
    ]);
  });

  it('refuses heads that do not share the width', () => {
    const { scope, builder } = new Trace(true);
    const x = builder.input('x', 'float32', [2, 3, 8]);
    expect(() => multiHeadAttention(scope, x, { heads: 3 })).toThrow(
      expect.objectContaining({ code: 'ATTENTION_HEADS' }),
    );
  });
});
