import { describe, expect, it } from 'vitest';
import { type HostTensor, hostTensor, Session } from '../runtime/session.js';
import { multiHeadAttention } from './attention.js';
import { expectGolden } from './golden.testing.js';
import { constant, initialValues } from './initialise.js';
import { type Scope, Trace } from './scope.js';
import { type Inputs, trace } from './step.js';

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
  it('attends to all alike where it may attend to nothing', async () => {
    const shapes = { x: { type: 'float32', dims: [1, 3, 2] } } as const;
    const write = (s: Scope, { x }: Inputs) =>
      multiHeadAttention(s, x!, {
        heads: 1,
        mask: s.builder.constant([0, 0, 0, 1, 0, 0, 0, 0, 0], 'bool', [3, 3]),
        bias: false,
        weight: (_, dims) => Float32Array.from({ length: dims[0]! * dims[1]! }, (_, i) => i - 3),
      });
    const { model, trace: traced } = trace(shapes, false, write, 'y');
    const feeds: Record<string, HostTensor> = {
      x: await hostTensor('float32', Float32Array.of(1, 2, 3, 5, 8, 13), [1, 3, 2]),
    };
    for (const spec of traced.parameters.values()) {
      feeds[spec.name] = await hostTensor('float32', initialValues(spec, 1), spec.dims);
    }
    const { y } = await (await Session.create(model)).run(feeds);
    // x is on average (4, 20/3); V has the rows (1, 2), (7, 8); W_O has (−3, −2), (−1, 0). Row 1 sees (1, 2) alone.
    const all = [-640 / 3, -304 / 3];
    expect([...(y!.data as Float32Array)]).toEqual(
      [...all, -63, -30, ...all].map((v) => expect.closeTo(v, 3)),
    );
  });

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
