import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { neighbours } from '../choices.js';
import { describeSpace } from '../conformance.testing.js';
import { nasBench101, vertexChannels } from './nasbench101.js';
import { allCells, canonical, cellHash, prune } from './nasbench101-cell.js';

const CONV3 = 'conv3x3-bn-relu';

describeSpace(nasBench101, {
  small: { resolution: 8, width: 1 / 16 },
  refused: [
    ['', /1 parts/],
    ['3:111', /2 parts/],
    ['8:1:', /'8' is not a number of vertices from 2 to 7/],
    ['1::', /'1' is not a number of vertices/],
    ['3:1111:maxpool3x3', /3 digits 0 or 1, not '1111'/],
    ['3:1x1:maxpool3x3', /3 digits 0 or 1, not '1x1'/],
    ['3:111:', /0 operations for 1 vertices/],
    ['3:111:conv5x5', /unknown operation 'conv5x5'/],
    ['2:0:', /does not reach/],
    ['3:100:maxpool3x3', /does not reach/],
    [`5:1111111111:${CONV3},${CONV3},${CONV3}`, /10 edges; the benchmark has up to 9/],
  ],
});

describe('NAS-Bench-101', () => {
  it('has 1, 6, 84 and 2,441 cells of 2 to 5 vertices, of different hashes', () => {
    const cells = [...allCells(5)];
    const counts = [2, 3, 4, 5].map((n) => cells.filter((cell) => cell.adjacency.length === n).length);
    expect(counts).toEqual([1, 6, 84, 2441]);
    expect(new Set(cells.map(cellHash)).size).toBe(1 + 6 + 84 + 2441);
    for (const cell of cells) expect(nasBench101.parse(nasBench101.format(cell))).toEqual(cell);
  });

  // verify/golden/nasbench101.py
  it.each([
    ['2:1:', '043721b9c7fe8c5fad811d47d83132ec'],
    ['3:101:maxpool3x3', '53cee42601ad14d661bb6878031d6acb'],
    ['4:110011:conv1x1-bn-relu,conv3x3-bn-relu', '1af995a92568cf42af2c2668f72834ea'],
    ['5:1100010111:conv3x3-bn-relu,maxpool3x3,conv1x1-bn-relu', '9608c5ac63ca7997283984b9424b91a1'],
    [nasBench101.example, '28cfc7874f6d200472e1a9dcd8650aa0'],
  ])("has the benchmark's hash of %s", (text, hash) => {
    expect(nasBench101.hash!(nasBench101.parse(text))).toBe(hash);
  });

  // The Inception-like cell of the benchmark's own notebook, and what the benchmark answers: the cell in another
  // order, and its parameters.
  it("reads a cell in the benchmark's order, which has the published parameters", () => {
    const arch = nasBench101.parse(
      '7:111010000010001100011:conv1x1-bn-relu conv3x3-bn-relu conv3x3-bn-relu conv3x3-bn-relu maxpool3x3',
    );
    expect(arch).toEqual({
      adjacency: [
        [0, 1, 1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0, 0],
      ],
      ops: [CONV3, 'conv1x1-bn-relu', 'maxpool3x3', CONV3, CONV3],
    });
    expect(cost(inferShapes(nasBench101.network(arch))).totals.parameters).toBe(2_694_282);
  });

  it('leaves out vertices that do nothing', () => {
    // 0 → 1 → 4 and 0 → 2, 3 → 4
    const arch = nasBench101.parse(`5:1100001001:maxpool3x3,${CONV3},${CONV3}`);
    expect(nasBench101.format(arch)).toBe('3:101:maxpool3x3');
    const apart = {
      adjacency: [
        [0, 1, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
      ops: [CONV3],
    } as const;
    expect(prune(apart)).toBeUndefined();
    expect(canonical(apart)).toBeUndefined();
    const path = {
      adjacency: [
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
      ],
      ops: [CONV3],
    } as const;
    expect(canonical(path)).toEqual(path);
  });

  it('reaches every small cell from every other by mutation', () => {
    const cells = [...allCells(4)];
    const around = new Map(
      cells.map((cell) => {
        const mutated = neighbours(nasBench101, cell).map(nasBench101.format);
        return [nasBench101.format(cell), new Set(mutated)];
      }),
    );
    const reachable = (start: string, steps: (text: string) => Iterable<string>): number => {
      const found = new Set([start]);
      for (const text of found) for (const next of steps(text)) if (around.has(next)) found.add(next);
      return found.size;
    };
    expect(reachable('2:1:', (text) => around.get(text)!)).toBe(91);
    const backwards = (text: string): string[] =>
      [...around].flatMap(([from, to]) => (to.has(text) ? [from] : []));
    expect(reachable('2:1:', backwards)).toBe(91);
  });

  // From the tests of the benchmark's own builder.
  it.each([
    ['110011', 8, 15, [8, 8, 7, 15]],
    ['110011', 16, 8, [16, 4, 4, 8]],
    ['1110001011', 8, 8, [8, 3, 3, 2, 8]],
    ['1000110011', 8, 9, [8, 5, 5, 4, 9]],
    ['1010101101', 8, 15, [8, 8, 7, 7, 15]],
    ['1', 1, 5, [1, 5]],
  ])('shares the channels of %s, %i → %i', (edges, channelsIn, channelsOut, expected) => {
    const range = [...expected.keys()];
    let at = 0;
    const adjacency = range.map((i) => range.map((j) => (i < j ? Number(edges[at++]) : 0)));
    const ops = range.slice(2).map(() => CONV3 as 'conv3x3-bn-relu');
    expect(vertexChannels({ adjacency, ops }, channelsIn, channelsOut)).toEqual(expected);
  });
});
