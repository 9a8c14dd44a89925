import { describe, expect, it } from 'vitest';
import { tensorsOf } from '../../nn/batch.js';
import { Trace } from '../../nn/scope.js';
import { trace } from '../../nn/step.js';
import { Session } from '../../runtime/session.js';
import { NN_FORMER_ENCODING } from '../views/nnlqp/encodings.js';
import {
  expectClose,
  expectGoldenModel,
  expectGoldenSize,
  goldenNetworks,
  type LatencyModel,
  predictGolden,
} from './network-golden.testing.js';
import type { NetworkInputs } from './network-heads.js';
import { expectLearns } from './network-training.testing.js';
import { NN_FORMER_LATENCY, nnFormerLatency, relationMask } from './nn-former-network.js';

const SMALL = { ...NN_FORMER_LATENCY, width: 16 };

describe('NN-Former for latencies', () => {
  it.each(['nnFormer', 'nnFormerPlatforms'])('predicts what PyTorch does: %s', (name) =>
    expectGoldenModel(
      name,
      NN_FORMER_ENCODING,
      ({ sizes, platforms }) =>
        (s, networks) =>
          nnFormerLatency(s, networks, { ...NN_FORMER_LATENCY, ...sizes, outputs: platforms }),
    ),
  );

  it('has the paper’s size', () => expectGoldenSize('nnFormerPaper', NN_FORMER_ENCODING, nnFormerLatency));

  it('does not see padding', async () => {
    const model: LatencyModel = (s, networks) => nnFormerLatency(s, networks, SMALL);
    const rows = goldenNetworks.map((_, i) => i);
    const padded = await predictGolden(model, NN_FORMER_ENCODING, rows, { nodes: 40 });
    const alone = await Promise.all(rows.map((row) => predictGolden(model, NN_FORMER_ENCODING, [row])));
    expectClose(
      padded.predictions,
      alone.flatMap(({ predictions }) => predictions),
      'padded',
    );
  });

  it('attends to successors, predecessors, and siblings of both kinds', async () => {
    // 0 feeds 1 and 2, which both feed 3; 4 is not there.
    const adjacency = [
      ...[0, 1, 1, 0, 0],
      ...[0, 0, 0, 1, 0],
      ...[0, 0, 0, 1, 0],
      ...[0, 0, 0, 0, 0],
      ...[0, 0, 0, 0, 0],
    ];
    const data = { type: 'float32', dims: [1, 5, 5], data: Float32Array.from(adjacency) } as const;
    const { model } = trace({ a: data }, false, (_, { a }) => relationMask(a!), 'mask');
    const session = await Session.create(model, { threads: 1 });
    const { mask } = await session.run(await tensorsOf({ a: data }));
    await session.dispose();
    const seen = [0, 1, 2, 3].map((head) =>
      Array.from({ length: 25 }, (_, i) => i)
        .filter((i) => mask!.data[head * 25 + i] === 0 && i % 6 !== 0)
        .map((i) => `${Math.floor(i / 5)}${i % 5}`),
    );
    expect(mask!.dims).toEqual([1, 4, 5, 5]);
    expect(seen).toEqual([
      ['01', '02', '13', '23'],
      ['10', '20', '31', '32'],
      ['12', '21'],
      ['12', '21'],
    ]);
  });

  it('scales its branches by 1e-4 at first', () => {
    const { scope, builder, parameters } = new Trace(true);
    const networks: NetworkInputs = {
      nodes: builder.input('nodes', 'float32', [1, 2, 192]),
      presence: builder.input('presence', 'float32', [1, 2]),
      adjacency: builder.input('adjacency', 'float32', [1, 2, 2]),
      statics: builder.input('statics', 'float32', [1, 40]),
    };
    nnFormerLatency(scope, networks, SMALL);
    const scales = [...parameters.values()].filter(({ name }) => name.endsWith('gamma'));
    expect(scales.length).toBe(4);
    for (const { initialise, dims } of scales) {
      expect([...initialise(undefined!, dims)]).toEqual(Array(16).fill(Math.fround(1e-4)));
    }
  });

  it('learns, with padding', () =>
    expectLearns(NN_FORMER_ENCODING, (s, networks) => nnFormerLatency(s, networks, SMALL)));
});
