import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { describeSpace } from '../conformance.testing.js';
import { nasBench201 } from './nasbench201.js';
import { allCells } from './nasbench201-cell.js';

describeSpace(nasBench201, {
  small: { resolution: 8, width: 0.25 },
  refused: [
    ['', /1 groups/],
    ['|nor_conv_3x3~0|+|nor_conv_3x3~0|', /2 groups/],
    ['|nor_conv_3x3~0|+|nor_conv_3x3~0|+|skip_connect~0|none~1|none~2|', /group 2 has 1/],
    ['|conv~0|+|none~0|none~1|+|none~0|none~1|none~2|', /unknown operation 'conv'/],
    ['|none~1|+|none~0|none~1|+|none~0|none~1|none~2|', /must come from node 0/],
  ],
});

describe('NAS-Bench-201', () => {
  it('has 15,625 cells', () => {
    expect(nasBench201.size).toBe(15_625n);
    expect(new Set([...allCells()].map(nasBench201.format)).size).toBe(15_625);
  });

  it.each(['nor_conv_3x3', 'nor_conv_1x1'] as const)('has the parameters of six %s', (operation) => {
    const arch = Array.from({ length: 6 }, () => operation);
    const kernel = operation === 'nor_conv_3x3' ? 9 : 1;
    const norm = (c: number): number => 2 * c;
    const cells = [16, 32, 64].map((c) => 5 * 6 * (kernel * c * c + norm(c)));
    const reductions = [32, 64].map((c) => 9 * (c / 2) * c + 9 * c * c + 2 * norm(c) + (c / 2) * c);
    const ends = 27 * 16 + norm(16) + norm(64) + 64 * 10 + 10;
    const expected = [...cells, ...reductions, ends].reduce((a, b) => a + b);
    expect(cost(inferShapes(nasBench201.network(arch))).totals.parameters).toBe(expected);
  });
});
