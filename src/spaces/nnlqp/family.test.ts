import { describe, expect, it } from 'vitest';
import type { Model } from '../../graph/graph.js';
import { Random } from '../../util/random.js';
import { crossover, neighbours } from '../choices.js';
import { type Base, familySpace, gene, type Layers, tenths, type Variant } from './family.js';

/** Two networks that only write down which widths they have. */
function toy(): { seen: number[]; bases: Base[] } {
  const seen: number[] = [];
  const base = (name: string, widths: Readonly<Record<string, number>>, first: number): Base => ({
    name,
    genes: [
      gene('k', Object.keys(widths)[0]!, first, [1, 3]),
      ...Object.keys(widths).map((at) => gene('w', at, 1, tenths(0.2, 1.8))),
    ],
    write: (_, x, layers: Layers) => {
      seen.push(...Object.entries(widths).map(([at, width]) => layers.channels(width, at)));
      return x;
    },
  });
  return { seen, bases: [base('short', { a: 90, b: 2 }, 11), base('long', { a: 90, b: 2, c: 64 }, 3)] };
}

const { seen, bases } = toy();
const space = familySpace({ name: 'toy', title: 'Toy', paper: 'none', bases });
const widthsOf = (text: string, options?: Parameters<typeof space.network>[1]): number[] => {
  seen.length = 0;
  space.network(space.parse(text), options) satisfies Model;
  return [...seen];
};

describe('a family', () => {
  it('has tenths without rounding errors', () => {
    expect(tenths(0.2, 0.8)).toEqual([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
  });

  it('counts the choices of every base, whose own values are among them', () => {
    expect(space.size).toBe(BigInt(3 * 17 ** 2 + 2 * 17 ** 3));
  });

  it('reads lists that are left out, in any order, as the base has them', () => {
    expect(space.format(space.parse('short'))).toBe('short:k11:w1,1');
    expect(space.format(space.parse(' long:w1,0.5,1.0:k1 '))).toBe('long:k1:w1,0.5,1');
  });

  it('cuts widths to whole numbers of at least 1', () => {
    expect(widthsOf('long:w0.7,0.2,1.3')).toEqual([63, 1, 83]);
    expect(widthsOf('long:w0.7,0.2,1.3', { width: 0.1 })).toEqual([6, 1, 8]);
  });

  it('keeps what it can when the base changes', () => {
    const start: Variant = { base: 'short', values: [11, 0.3, 1.7] };
    const others = neighbours(space, start).filter(({ base }) => base === 'long');
    // 11 is none of the longer network's kernels.
    expect(others).toEqual([{ base: 'long', values: [3, 0.3, 1.7, 1] }]);
  });

  it('takes every gene of a child from a parent that has it', () => {
    const random = Random.seeded(2);
    const [a, b] = [space.parse('short:k1:w0.2,0.3'), space.parse('long:k3:w1.2,1.3,1.4')];
    const children = Array.from({ length: 200 }, () => crossover(space, a, b, random));
    expect(new Set(children.map(({ base }) => base))).toEqual(new Set(['short', 'long']));
    for (const { base, values } of children) {
      expect([1, 3]).toContain(values[0]);
      expect([0.2, 1.2]).toContain(values[1]);
      expect([0.3, 1.3]).toContain(values[2]);
      if (base === 'long') expect(values[3]).toBe(1.4);
    }
  });
});
