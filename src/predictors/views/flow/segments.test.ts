import { expect, it } from 'vitest';
import '../../../ops/index.js';
import { ArchNetwork } from '../../../networks/arch-network.js';
import { darts } from '../../../spaces/cells/darts.js';
import { nasBench201 } from '../../../spaces/cells/nasbench201.js';
import type { AnySpace } from '../../../spaces/space.js';
import { computationGraph } from '../computation-graph/computation-graph.js';
import { flowOf } from './flow.js';
import { SEGMENT_FEATURES, segmentFeatures } from './segments.js';

function segments(space: AnySpace, text: string): Record<string, number> {
  const network = new ArchNetwork(space, space.parse(text));
  return segmentFeatures(flowOf(computationGraph(network.inference())));
}

// Of 15 cells: 3-0, 2-0, and 1-0 with 2-1 behind it, as nothing else reads node 1, read the cell's input; 3-2 reads node 2,
// where two meet. Beside them: the stem, two reductions with two paths each, and the mean before the classifier.
it('tells which operations of a cell read its input', () => {
  const found = segments(
    nasBench201,
    '|nor_conv_3x3~0|+|nor_conv_1x1~0|avg_pool_3x3~1|+|skip_connect~0|none~1|nor_conv_3x3~2|',
  );
  expect(found['shortcut kept at 0']).toBe(15);
  expect(found['pointwise kept at 0']).toBe(15);
  expect(found['kernel 3 kept at 0']).toBe(15 + 1);
  expect(found['averagePool kept at 0']).toBe(0);
  expect(found['kernel 3 kept at 1']).toBe(15);
  expect(found['kernels 3 reduced at 0']).toBe(2);
  expect(found['segments reduced at 0']).toBe(2 * 2 + 1);
});

it('leaves out what no data comes through, and finds nothing where none reaches the output', () => {
  const dead = segments(nasBench201, '|none~0|+|none~0|none~1|+|none~0|none~1|none~2|');
  expect(Object.values(dead).every((count) => count === 0)).toBe(true);
  // Node 1 gets nothing, so that 2-1 and 3-1 carry nothing either.
  const carried = segments(
    nasBench201,
    '|none~0|+|skip_connect~0|nor_conv_3x3~1|+|skip_connect~0|nor_conv_3x3~1|skip_connect~2|',
  );
  expect(carried['kernel 3 kept at 0']! + carried['kernel 3 kept at 1']!).toBe(1);
});

// Six normal cells and two that reduce; nodes are joined, so that every cell begins anew.
it('counts operations of DARTS by what they read', () => {
  const cell = 'sep3~0+sep3~1,sep3~0+max3~2,skip~1+dil5~3,skip~0+skip~1';
  const found = segments(darts, `${cell}/${cell}`);
  expect(found['kernels 3 kept at 0']).toBe(6 * 3);
  expect(found['kernels 3 reduced at 0']).toBe(2 * 3);
  expect(found['maximumPool kept at 1']).toBe(8);
  expect(found['kernel 5 kept at 2']).toBe(8);
  expect(Object.keys(found)).toEqual(SEGMENT_FEATURES);
});
