import { describe, it } from 'vitest';
import { NNLP_ENCODING } from '../views/nnlqp/encodings.js';
import {
  expectClose,
  expectGoldenModel,
  expectGoldenSize,
  goldenNetworks,
  predictGolden,
} from './network-golden.testing.js';
import { expectLearns } from './network-training.testing.js';
import { NNLP, nnlp } from './nnlp.js';

describe('NNLP', () => {
  it('predicts what PyTorch does', () =>
    expectGoldenModel(
      'nnlp',
      NNLP_ENCODING,
      ({ sizes }) =>
        (s, networks) =>
          nnlp(s, networks, { ...NNLP, ...sizes }),
    ));

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

  it('learns, with padding', () =>
    expectLearns(NNLP_ENCODING, (s, networks) => nnlp(s, networks, { ...NNLP, width: 32 })));
});
