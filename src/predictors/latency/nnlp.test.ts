import { describe, expect, it } from 'vitest';
import { Trace } from '../../nn/scope.js';
import { NNLP_ENCODING } from './encodings.js';
import {
  expectClose,
  expectGoldenModel,
  expectGoldenSize,
  goldenNetworks,
  predictGolden,
} from './golden.testing.js';
import { NNLP, nnlp } from './nnlp.js';
import { expectLearns } from './training.testing.js';

describe('NNLP', () => {
  it.each(['nnlp', 'nnlpPlatforms'])('predicts what PyTorch does: %s', (name) =>
    expectGoldenModel(
      name,
      NNLP_ENCODING,
      ({ sizes, platforms }) =>
        (s, networks) =>
          nnlp(s, networks, { ...NNLP, ...sizes, platforms }),
    ),
  );

  it('has the paper’s size', () => expectGoldenSize('nnlpPaper', NNLP_ENCODING, nnlp));

  it('does not see padding', async () => {
    const model = (s: Parameters<typeof nnlp>[0], networks: Parameters<typeof nnlp>[1]) =>
      nnlp(s, networks, { ...NNLP, width: 24 });
    const rows = goldenNetworks.map((_, i) => i);
    const padded = await predictGolden(model, NNLP_ENCODING, rows, { nodes: 40 });
    const alone = await Promise.all(rows.map((row) => predictGolden(model, NNLP_ENCODING, [row])));
    expectClose(
      padded.predictions,
      alone.flatMap(({ predictions }) => predictions),
      'padded',
    );
  });

  it('needs to know the platform where it has several', () => {
    const { scope, builder } = new Trace(false);
    const networks = {
      nodes: builder.input('nodes', 'float32', [1, 2, 44]),
      presence: builder.input('presence', 'float32', [1, 2]),
      adjacency: builder.input('adjacency', 'float32', [1, 2, 2]),
      statics: builder.input('statics', 'float32', [1, 4]),
    };
    expect(() => nnlp(scope, networks, { ...NNLP, platforms: 3 })).toThrow(
      expect.objectContaining({ code: 'PLATFORM_MISSING' }),
    );
  });

  it('learns, with padding and platforms', () =>
    expectLearns('relative', NNLP_ENCODING, (s, networks) =>
      nnlp(s, networks, { ...NNLP, width: 32, platforms: 2 }),
    ));
});
