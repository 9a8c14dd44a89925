import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { listOf } from '../../networks/networks.js';
import { Resolver } from '../../networks/resolver.js';
import { Random } from '../../util/random.js';
import { expectGennape, GOLDEN_ENCODER } from '../models/gennape.testing.js';
import type { PackedSet } from '../views/computation-graph/graph-set.js';
import { SPECTRUM, smallestEigenvalues } from '../views/computation-graph/spectrum.js';
import { computationGraphView as view } from '../views/computation-graph/view.js';
import { contrastiveLoss, contrastiveStage, DISTANCES, FLOPS, spectraOf } from './contrastive-stage.js';

const LOSS = { temperature: 0.2, alphaTemperature: 0.5, projection: 4, flopsWeight: 0.3 } as const;

describe('the contrastive loss', () => {
  it.each(['similar', 'printed'] as const)(
    'has the value and gradients of PyTorch, with %s weights',
    (alpha) =>
      expectGennape(`loss, ${alpha}`, (s, { distances, flops, ...inputs }) =>
        contrastiveLoss(s, inputs, { distances, flops }, GOLDEN_ENCODER, { ...LOSS, alpha }),
      ),
  );
});

describe('the contrastive stage', () => {
  const cell = (op: string): string =>
    `|${op}~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|avg_pool_3x3~2|`;

  it('gives batches the distances of spectra and the FLOPs of their rows', async () => {
    const resolver = new Resolver();
    const networks = ['nor_conv_1x1', 'nor_conv_3x3', 'avg_pool_3x3'].map((op) =>
      resolver.network(`nasbench201:${cell(op)}`),
    );
    const state = await view.prepare(listOf(networks), { blocks: 16 });
    const set = (await view.encode(networks, state)) as PackedSet;
    const spectra = await spectraOf(set);
    expect(spectra).toHaveLength(3 * SPECTRUM);
    for (const row of [0, 1, 2]) {
      const { nodes, edges } = set.structure(row);
      const own = spectra.subarray(SPECTRUM * row, SPECTRUM * (row + 1));
      expect(own).toEqual(smallestEigenvalues(nodes, edges));
    }

    const recipe = { steps: 1, batch: 2, rate: 0.1, members: 1, weightDecay: 0 };
    const { extras } = contrastiveStage(
      { set, spectra, flops: Float64Array.of(0.5, -1, 2) },
      { ...recipe, loss: { ...LOSS, alpha: 'similar' } },
      GOLDEN_ENCODER,
    );
    const { [DISTANCES]: distances, [FLOPS]: flops } = extras!([2, 0, 1], Random.seeded(0));
    expect(flops).toEqual({ type: 'float32', dims: [3, 1], data: Float32Array.of(2, 0.5, -1) });
    expect(distances!.dims).toEqual([3, 3]);
    const between = (a: number, b: number): number => {
      const at = (row: number) => [...spectra.subarray(SPECTRUM * row, SPECTRUM * (row + 1))];
      return Math.hypot(...at(a).map((x, i) => x - at(b)[i]!));
    };
    // Kernels differ between rows 0 and 1, but not how they are built.
    const far = between(2, 0);
    expect(far).toBeGreaterThan(0.01);
    for (const [i, value] of [0, far, far, far, 0, 0, far, 0, 0].entries()) {
      expect(distances!.data[i]).toBeCloseTo(value, 5);
    }
  });
});
