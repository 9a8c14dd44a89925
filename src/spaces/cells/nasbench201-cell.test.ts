import { describe, expect, it } from 'vitest';
import { nasBench201 } from './nasbench201.js';
import {
  allCells,
  cell,
  EDGES,
  expressionOf,
  type NasBench201,
  type Operation,
  prunedCell,
} from './nasbench201-cell.js';

const cells = [...allCells()];
const textOf = (arch: NasBench201): string => JSON.stringify(prunedCell(arch));

interface Instance {
  readonly operation: Operation;
  /** What it reads: the numbers of instances, −1 for the input, as often as they are added. */
  readonly from: readonly number[];
}

/** The cell as a graph of its operations, skips contracted, pools of the same being one; what it puts out at the end. */
function contracted(arch: NasBench201): { instances: Instance[]; output: readonly number[] } {
  const instances: Instance[] = [];
  const sums: number[][] = [[-1]];
  for (let node = 1; node < 4; node++) {
    const sum: number[] = [];
    EDGES.forEach(([from, to], edge) => {
      const operation = arch[edge]!;
      const source = sums[from]!;
      if (to !== node || operation === 'none' || source.length === 0) return;
      if (operation === 'skip_connect') {
        sum.push(...source);
        return;
      }
      const isPool = operation === 'avg_pool_3x3';
      const same = instances.findIndex(
        (i) => isPool && i.operation === operation && `${i.from}` === `${source}`,
      );
      if (same < 0) instances.push({ operation, from: source });
      sum.push(same < 0 ? instances.length - 1 : same);
    });
    sums.push(sum.sort((a, b) => a - b));
  }
  return { instances, output: sums[3]! };
}

/** The first of the texts of the contracted graph over all orders of its operations: the same for isomorphic graphs. */
function leastText(arch: NasBench201): string {
  const { instances, output } = contracted(arch);
  const live = new Set<number>(output);
  for (const i of live) for (const from of instances[i]?.from ?? []) live.add(from);
  live.delete(-1);
  const texts: string[] = [];
  const place = (order: readonly number[]): void => {
    if (order.length === live.size) {
      const named = (list: readonly number[]): string => `${list.map((i) => order.indexOf(i)).sort()}`;
      const parts = order.map((i) => `${instances[i]!.operation}(${named(instances[i]!.from)})`);
      texts.push([...parts, named(output)].join(';'));
      return;
    }
    for (const i of live) {
      const isFed = instances[i]!.from.every((from) => from < 0 || order.includes(from));
      if (isFed && !order.includes(i)) place([...order, i]);
    }
  };
  place([]);
  return texts.sort()[0]!;
}

describe('cells of NAS-Bench-201', () => {
  it('have one expression if and only if their graphs are isomorphic, skips contracted', () => {
    const least = new Map<string, string>();
    for (const arch of cells) {
      const expression = expressionOf(arch);
      const text = leastText(arch);
      expect(least.get(expression) ?? text).toBe(text);
      least.set(expression, text);
    }
    expect(least.size).toBe(5260);
    expect(new Set(least.values()).size).toBe(5260);
  });

  it('compute the same where their expressions are the same', () => {
    // Operations as functions of a number that nothing but their composition makes equal, whatever their weights.
    const functions: Record<Operation, (x: number) => number> = {
      none: () => 0,
      skip_connect: (x) => x,
      nor_conv_1x1: (x) => (x === 0 ? 0 : Math.sin(1.3 * x + 0.2)),
      nor_conv_3x3: (x) => (x === 0 ? 0 : Math.exp(0.31 * x)),
      avg_pool_3x3: (x) => (x === 0 ? 0 : Math.sqrt(Math.abs(x) + 0.7)),
    };
    const evaluate = (arch: NasBench201): string => {
      const nodes = [1, 0, 0, 0];
      EDGES.forEach(([from, to], edge) => {
        nodes[to]! += functions[arch[edge]!](nodes[from]!);
      });
      return nodes[3]!.toPrecision(10);
    };
    const values = new Map(cells.map((arch) => [expressionOf(arch), evaluate(arch)]));
    for (const arch of cells) expect(evaluate(arch)).toBe(values.get(expressionOf(arch)));
    // Some differ only in which of their convolutions are one and the same.
    expect(new Set(values.values()).size).toBe(4930);
  });

  it('have another hash where one convolution is used twice, and another where there are two', () => {
    const [once, twice] = [
      '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|skip_connect~1|skip_connect~2|',
      '|nor_conv_3x3~0|+|none~0|none~1|+|nor_conv_3x3~0|skip_connect~1|none~2|',
    ].map((text) => nasBench201.parse(text));
    expect(expressionOf(once!)).toBe('nor_conv_3x3*2(x)+nor_conv_3x3*2(x)');
    expect(expressionOf(twice!)).toBe('nor_conv_3x3(x)+nor_conv_3x3(x)');
    expect(nasBench201.hash!(once!)).not.toBe(nasBench201.hash!(twice!));
  });

  it('have eight nodes whose edges follow the cell', () => {
    const { ops, adjacency } = cell(nasBench201.parse(nasBench201.example));
    expect(ops[0]).toBe('input');
    expect(ops[7]).toBe('output');
    const edges = adjacency.map((row) => row.flatMap((edge, j) => (edge ? [j] : [])));
    expect(edges).toEqual([[1, 2, 4], [3, 5], [6], [6], [7], [7], [7], []]);
  });

  it('are pruned of what does nothing', () => {
    const arch = nasBench201.parse('|none~0|+|nor_conv_3x3~0|avg_pool_3x3~1|+|none~0|none~1|nor_conv_1x1~2|');
    expect(prunedCell(arch)).toEqual({
      ops: ['input', 'nor_conv_3x3', 'nor_conv_1x1', 'output'],
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

  it('are pruned to one form where they are the same network', () => {
    const [a, b] = [
      '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|none~1|nor_conv_3x3~2|',
      '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|',
    ].map((text) => nasBench201.parse(text));
    expect(prunedCell(a!)).toEqual(prunedCell(b!));
    expect(cell(a!)).not.toEqual(cell(b!));
    const forms = new Map(cells.map((arch) => [expressionOf(arch), textOf(arch)]));
    for (const arch of cells) expect(textOf(arch)).toBe(forms.get(expressionOf(arch)));
    expect(new Set(forms.values()).size).toBe(5260);
  });
});
