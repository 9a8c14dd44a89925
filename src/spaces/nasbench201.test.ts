import { describe, expect, it } from 'vitest';
import { cost } from '../analysis/cost.js';
import { inferShapes } from '../analysis/infer.js';
import { describeSpace } from './conformance.testing.js';
import { type NasBench201, nasBench201, OPERATIONS, type Operation, prunedCell } from './nasbench201.js';

describeSpace(nasBench201, {
  small: { resolution: 8, width: 0.25 },
  refused: [
    ['', /1 groups/],
    ['|nor_conv_3x3~0|+|nor_conv_3x3~0|', /2 groups/],
    ['|nor_conv_3x3~0|+|nor_conv_3x3~0|+|skip_connect~0|none~1|none~2|', /group 2 has 1/],
    ['|conv~0|+|none~0|none~1|+|none~0|none~1|none~2|', /no operation 'conv'/],
    ['|none~1|+|none~0|none~1|+|none~0|none~1|none~2|', /must come from node 0/],
  ],
});

/** Every cell of the space. */
function* allCells(): Generator<NasBench201> {
  for (let code = 0; code < 5 ** 6; code++) {
    yield Array.from({ length: 6 }, (_, edge) => OPERATIONS[Math.floor(code / 5 ** edge) % 5]!);
  }
}

describe('NAS-Bench-201', () => {
  it('has 15,625 cells', () => {
    expect(nasBench201.size).toBe(15_625n);
    expect(new Set([...allCells()].map(nasBench201.format)).size).toBe(15_625);
  });

  it('tells cells apart by what they compute', () => {
    // Operations as functions of a number that nothing but their composition makes equal.
    const functions: Record<Operation, (x: number) => number> = {
      none: () => 0,
      skip_connect: (x) => x,
      nor_conv_1x1: (x) => (x === 0 ? 0 : Math.sin(1.3 * x + 0.2)),
      nor_conv_3x3: (x) => (x === 0 ? 0 : Math.exp(0.31 * x)),
      avg_pool_3x3: (x) => (x === 0 ? 0 : Math.sqrt(Math.abs(x) + 0.7)),
    };
    const evaluate = (arch: NasBench201): string => {
      const nodes = [1];
      let edge = 0;
      for (let node = 1; node < 4; node++) {
        let sum = 0;
        for (let from = 0; from < node; from++) sum += functions[arch[edge++]!](nodes[from]!);
        nodes.push(sum);
      }
      return nodes[3]!.toPrecision(10);
    };
    const values = new Map([...allCells()].map((arch) => [nasBench201.hash!(arch), evaluate(arch)]));
    for (const arch of allCells()) expect(evaluate(arch)).toBe(values.get(nasBench201.hash!(arch)));
    expect(new Set(values.values()).size).toBe(values.size);
    // The paper's 6,466 keeps zeros in sums and does not join sums that are skipped into others.
    expect(values.size).toBe(4_930);
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

  it('has eight nodes whose edges follow the cell', () => {
    const { ops, adjacency } = nasBench201.cell!(nasBench201.parse(nasBench201.example));
    expect(ops[0]).toBe('input');
    expect(ops[7]).toBe('output');
    const edges = adjacency.map((row) => row.flatMap((edge, j) => (edge ? [j] : [])));
    expect(edges).toEqual([[1, 2, 4], [3, 5], [6], [6], [7], [7], [7], []]);
  });

  it('prunes what does nothing', () => {
    const arch = nasBench201.parse('|none~0|+|nor_conv_3x3~0|avg_pool_3x3~1|+|none~0|none~1|skip_connect~2|');
    expect(prunedCell(arch)).toEqual({
      ops: ['input', 'nor_conv_3x3', 'skip_connect', 'output'],
      adjacency: [
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
      ],
    });
    const nothing = Array.from({ length: 6 }, () => 'none' as const);
    expect(prunedCell(nothing).ops).toEqual(['input', 'output']);
  });
});
