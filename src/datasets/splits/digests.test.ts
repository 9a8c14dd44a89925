// Which architectures were seen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Table } from '../table.js';
import { ArchDigests, digestsOf, isSeen, tableDigest } from './digests.js';

fc.configureGlobal({ seed: 1 });

const tableOf = (architectures: string[], space = 'toy'): Table =>
  new Table({ space, labels: [], architectures, columns: {} });

describe('digests of architectures', () => {
  it('know what they hold and nothing else, also from a file', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (seen, others) => {
        const digests = ArchDigests.of(seen);
        const again = ArchDigests.parse(digests.toString());
        expect(again.size).toBe(new Set(seen).size);
        for (const key of [...seen, ...others]) {
          expect(digests.has(key)).toBe(seen.includes(key));
          expect(again.has(key)).toBe(seen.includes(key));
        }
      }),
    );
  });

  it('find seen rows wherever a shuffled table has them', () => {
    const table = tableOf(['a', 'b', 'c', 'd']);
    const digests = digestsOf(table, [1, 3]);
    const shuffled = table.take([3, 0, 1, 2]);
    expect([...shuffled.architectures].map((arch) => isSeen(digests, arch))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('take equal architectures for one another by their key', () => {
    const key = (arch: string): string => [...arch].sort().join('');
    const digests = digestsOf(tableOf(['ba', 'cd']), [0], key);
    expect(isSeen(digests, 'ab', key)).toBe(true);
    expect(isSeen(digests, 'cd', key)).toBe(false);
  });

  it('are small: 8 bytes each', () => {
    const digests = ArchDigests.of(Array.from({ length: 4000 }, (_, i) => `arch ${i}`));
    expect(digests.toString().length).toBe(Math.ceil((4000 * 8) / 3) * 4);
  });

  it('are refused where they are damaged', () => {
    const text = ArchDigests.of(['a', 'b', 'c']).toString();
    const backwards = btoa(
      atob(text)
        .match(/[\s\S]{8}/g)!
        .reverse()
        .join(''),
    );
    for (const wrong of ['?', text.slice(4), backwards]) {
      expect(() => ArchDigests.parse(wrong)).toThrow(expect.objectContaining({ code: 'DIGESTS_DAMAGED' }));
    }
  });
});

describe('the digest of a table', () => {
  it('tells it from a shuffled, cut or changed one', () => {
    const table = tableOf(['a', 'b', 'c']);
    const others = [
      table.take([1, 0, 2]),
      table.take([0, 1]),
      tableOf(['a', 'b', 'd']),
      tableOf(['a', 'b', 'c'], 'other'),
      tableOf([]),
    ];
    const digests = [table, ...others].map(tableDigest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(tableDigest(tableOf(['a', 'b', 'c']))).toBe(digests[0]);
  });
});
