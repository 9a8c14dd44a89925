import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { nasBench101 } from '../../spaces/cells/nasbench101.js';
import { nasBench201 } from '../../spaces/cells/nasbench201.js';
import type { Cell } from '../../spaces/space.js';
import { Random } from '../../util/random.js';
import { type Graf, grafOf } from './graf.js';

const [graf101, graf201] = [grafOf(nasBench101)!, grafOf(nasBench201)!];

function featuresOf(graf: Graf, cell: Cell): (name: string) => number {
  const { data, names } = graf.rows([cell]);
  return (name) => {
    const place = names.indexOf(name);
    if (place < 0) throw new Error(`there is no feature '${name}'`);
    return data[place]!;
  };
}

/** All paths from the first node to the last, as lists of nodes. */
function paths(adjacency: Cell['adjacency'], node = 0): number[][] {
  if (node === adjacency.length - 1) return [[node]];
  return adjacency[node]!.flatMap((edge, next) =>
    edge ? paths(adjacency, next).map((path) => [node, ...path]) : [],
  );
}

/** All that are not empty. */
function subsets<T>(items: readonly T[]): T[][] {
  return Array.from({ length: 2 ** items.length - 1 }, (_, k) =>
    items.filter((_, i) => ((k + 1) >> i) % 2 === 1),
  );
}

describe('graf101', () => {
  it('has the features of a cell computed by hand', () => {
    // input → 3×3 → 1×1 → output, input → pool → output, input → 1×1, 3×3 → output.
    const cell: Cell = {
      ops: ['input', 'conv3x3-bn-relu', 'maxpool3x3', 'conv1x1-bn-relu', 'output'],
      adjacency: [
        [0, 1, 1, 1, 0],
        [0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0],
      ],
    };
    const of = featuresOf(graf101, cell);
    const names = ['count(conv3x3-bn-relu)', 'count(conv1x1-bn-relu)', 'count(maxpool3x3)'];
    expect(names.map(of)).toEqual([1, 1, 1]);
    expect(of('minPath(maxpool3x3)')).toBe(2);
    expect(of('maxOnPath(conv3x3-bn-relu,conv1x1-bn-relu)')).toBe(2);
    expect(of('maxOnPath(maxpool3x3)')).toBe(1);
    expect(of('inputDegree(conv3x3-bn-relu,maxpool3x3)')).toBe(2);
    expect(of('outputDegree(conv3x3-bn-relu,conv1x1-bn-relu,maxpool3x3)')).toBe(3);
    // The 3×3 convolution feeds two nodes of five; two nodes feed the 1×1 convolution.
    expect(of('meanInDegree(conv3x3-bn-relu)')).toBeCloseTo(2 / 5, 6);
    expect(of('meanOutDegree(conv1x1-bn-relu)')).toBeCloseTo(2 / 5, 6);
    expect(of('meanOutDegree(conv3x3-bn-relu)')).toBeCloseTo(1 / 5, 6);
  });

  it('gives the number of nodes as the length of a path that is not there, and 0 operations to a bare edge', () => {
    const bare = featuresOf(graf101, {
      ops: ['input', 'output'],
      adjacency: [
        [0, 1],
        [0, 0],
      ],
    });
    expect(bare('minPath(maxpool3x3)')).toBe(1);
    expect(bare('maxOnPath(maxpool3x3)')).toBe(0);
    const one = featuresOf(graf101, {
      ops: ['input', 'maxpool3x3', 'output'],
      adjacency: [
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
      ],
    });
    expect(one('minPath(conv3x3-bn-relu)')).toBe(3);
  });

  it('has what listing all paths and neighbours gives', () => {
    const random = Random.seeded(1);
    const operations = ['conv3x3-bn-relu', 'conv1x1-bn-relu', 'maxpool3x3'];
    for (let round = 0; round < 200; round++) {
      const cell = nasBench101.cell!(nasBench101.sample(random));
      const { ops, adjacency } = cell;
      const n = ops.length;
      const of = featuresOf(graf101, cell);
      for (const set of subsets(operations)) {
        const isIn = (node: number): boolean => set.includes(ops[node]!);
        const all = paths(adjacency);
        const allowed = all.filter((path) => path.slice(1, -1).every(isIn));
        const key = `(${set.join(',')})`;
        expect(of(`minPath${key}`)).toBe(Math.min(n, ...allowed.map((path) => path.length - 1)));
        expect(of(`maxOnPath${key}`)).toBe(Math.max(...all.map((path) => path.filter(isIn).length)));
        const successors = ops.map((_, i) => ops.filter((_, j) => adjacency[i]![j] && isIn(j)).length);
        const predecessors = ops.map((_, j) => ops.filter((_, i) => adjacency[i]![j] && isIn(i)).length);
        expect(of(`inputDegree${key}`)).toBe(successors[0]);
        expect(of(`outputDegree${key}`)).toBe(predecessors[n - 1]);
        expect(of(`meanInDegree${key}`)).toBeCloseTo(predecessors.reduce((a, b) => a + b) / n, 6);
        expect(of(`meanOutDegree${key}`)).toBeCloseTo(successors.reduce((a, b) => a + b) / n, 6);
      }
    }
  });
});

describe('graf201', () => {
  it('has the features of a cell computed by hand', () => {
    // Edges 0→1 3×3, 0→2 3×3, 1→2 pool, 0→3 skip, 1→3 3×3, 2→3 skip.
    const of = featuresOf(graf201, nasBench201.cell!(nasBench201.parse(nasBench201.example)));
    expect(of('count(nor_conv_3x3)')).toBe(3);
    expect(of('count(none)')).toBe(0);
    expect(of('minPath(nor_conv_3x3)')).toBe(2);
    expect(of('minPath(skip_connect)')).toBe(1);
    expect(of('minPath(nor_conv_3x3,avg_pool_3x3)')).toBe(2);
    expect(of('minPath(avg_pool_3x3)')).toBe(4);
    expect(of('maxOnPath(nor_conv_3x3)')).toBe(2);
    expect(of('maxOnPath(skip_connect,nor_conv_3x3,avg_pool_3x3)')).toBe(3);
    expect(of('inputDegree(nor_conv_3x3)')).toBe(2);
    expect(of('outputDegree(skip_connect)')).toBe(2);
    expect(of('meanInDegree(nor_conv_3x3,avg_pool_3x3)')).toBe(1);
  });

  it('has what listing all paths and edges gives', () => {
    const random = Random.seeded(2);
    const operations = ['none', 'skip_connect', 'nor_conv_1x1', 'nor_conv_3x3', 'avg_pool_3x3'];
    const ends = ['01', '02', '12', '03', '13', '23'];
    const routes = [['03'], ['01', '13'], ['02', '23'], ['01', '12', '23']];
    for (let round = 0; round < 200; round++) {
      const arch = nasBench201.sample(random);
      const at = new Map(ends.map((end, i) => [end, arch[i]!]));
      const of = featuresOf(graf201, nasBench201.cell!(arch));
      for (const set of subsets(operations).filter(({ length }) => length < operations.length)) {
        const isIn = (end: string): boolean => set.includes(at.get(end)!);
        const key = `(${set.join(',')})`;
        const allowed = routes.filter((route) => route.every(isIn));
        expect(of(`minPath${key}`)).toBe(Math.min(4, ...allowed.map((route) => route.length)));
        expect(of(`maxOnPath${key}`)).toBe(Math.max(...routes.map((route) => route.filter(isIn).length)));
        expect(of(`inputDegree${key}`)).toBe(['01', '02', '03'].filter(isIn).length);
        expect(of(`outputDegree${key}`)).toBe(['03', '13', '23'].filter(isIn).length);
        expect(of(`meanInDegree${key}`)).toBe(ends.filter(isIn).length / 4);
      }
    }
  });

  it('has no feature that is the same for all cells', () => {
    const random = Random.seeded(3);
    const draw = (sample: () => Cell): Cell[] => Array.from({ length: 500 }, sample);
    const drawn: readonly (readonly [Graf, number, Cell[]])[] = [
      [graf101, 45, draw(() => nasBench101.cell!(nasBench101.sample(random)))],
      [graf201, 155, draw(() => nasBench201.cell!(nasBench201.sample(random)))],
    ];
    for (const [graf, count, cells] of drawn) {
      const { names, data } = graf.rows(cells);
      expect(new Set(names).size).toBe(count);
      for (const [f, name] of names.entries()) {
        expect(new Set(cells.map((_, i) => data[i * count + f])).size, name).toBeGreaterThan(1);
      }
    }
  });

  it('refuses cells that are not of the space', () => {
    const cell = nasBench201.cell!(nasBench201.parse(nasBench201.example));
    const code = (expected: string) => expect.objectContaining({ code: expected });
    expect(() => graf201.rows([{ ...cell, ops: cell.ops.slice(1) }])).toThrow(code('CELL_OTHER'));
    expect(() => graf101.rows([cell])).toThrow(code('CELL_OTHER'));
    const other: Cell = { ops: ['input', 'nor_conv_3x3', 'output'], adjacency: [] };
    expect(() => graf101.rows([other])).toThrow(code('OPERATION_UNKNOWN'));
  });
});
