import { describe, expect, it } from 'vitest';
import type { Cell } from '../../spaces/space.js';
import { cellOf, golden } from '../models/nar-former-v2.testing.js';
import { reorderedCell } from './cell-orders.js';

describe('reorderedCell', () => {
  it('is the first of all permutations that NumPy finds', () => {
    expect(golden.reordered.filter(({ other }) => other !== null).length).toBeGreaterThan(20);
    for (const { other, ...given } of golden.reordered) {
      const cell = cellOf(given);
      expect(reorderedCell(cell)).toEqual(other === null ? cell : cellOf(other));
    }
  });

  // in → a → b → out beside in → c → out: c moves before b.
  it('moves an operation past one that it is not joined to', () => {
    const cell: Cell = {
      ops: ['in', 'a', 'b', 'c', 'out'],
      adjacency: [
        [0, 1, 0, 1, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0],
      ],
    };
    expect(reorderedCell(cell)).toEqual({
      ops: ['in', 'a', 'c', 'b', 'out'],
      adjacency: [
        [0, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0],
      ],
    });
  });

  it('leaves a chain, and a cell without operations, as they are', () => {
    const chain: Cell = {
      ops: ['in', 'a', 'b', 'out'],
      adjacency: [
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
      ],
    };
    expect(reorderedCell(chain)).toBe(chain);
    const empty: Cell = {
      ops: ['in', 'out'],
      adjacency: [
        [0, 1],
        [0, 0],
      ],
    };
    expect(reorderedCell(empty)).toBe(empty);
  });

  it('leaves a long chain as it is, at once', () => {
    const n = 60;
    const chain: Cell = {
      ops: Array.from({ length: n }, (_, i) => `op${i}`),
      adjacency: Array.from({ length: n }, (_, i) =>
        Array.from({ length: n }, (_, j) => Number(j === i + 1)),
      ),
    };
    expect(reorderedCell(chain)).toBe(chain);
  });

  // 24 alike side by side: all 24! orders read the same.
  it('does not try orders that only swap operations of one kind and place', () => {
    const n = 26;
    const cell: Cell = {
      ops: ['in', ...Array.from({ length: n - 2 }, () => 'a'), 'out'],
      adjacency: Array.from({ length: n }, (_, i) =>
        Array.from({ length: n }, (_, j) => Number((i === 0) !== (j === n - 1) && i < j)),
      ),
    };
    expect(reorderedCell(cell)).toBe(cell);
  });
});
