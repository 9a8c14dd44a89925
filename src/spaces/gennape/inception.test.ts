import { describe, expect, it } from 'vitest';
import { Random } from '../../util/random.js';
import { describeSpace } from '../conformance.testing.js';
import { itIsAsInPyTorch } from './families.testing.js';
import { inception } from './inception.js';

const TAIL = '2:conv3x3/2:conv3x3/2:conv3x3';

describeSpace(inception, {
  small: { resolution: 8, width: 1 / 8 },
  refused: [
    ['', /1 stages/],
    [TAIL, /3 stages/],
    [`conv3x3/${TAIL}`, /stage 1 must begin with its number of blocks/],
    [`1:conv3x3/${TAIL}`, /2 to 6/],
    [`7:conv3x3/${TAIL}`, /2 to 6/],
    [`2:conv3x3,conv3x3,conv3x3,conv3x3,conv3x3/${TAIL}`, /5 paths/],
    [`2:conv3x3+conv3x3+conv3x3+conv3x3/${TAIL}`, /paths of 4 operators, not 1 or more each and 3 at most/],
    [`2:conv3x3+conv3x3,conv3x3+conv3x3,conv3x3/${TAIL}`, /paths of 2, 2, 1 operators, not 2 or more/],
    [`2:conv3x3+/${TAIL}`, /unknown operator ''/],
    [`2:conv3x3:r4/${TAIL}`, /unknown operator 'conv3x3:r4'/],
    [`2:maxpool3x3/${TAIL}`, /'maxpool3x3' has no convolution/],
    [`2:conv1x1+double1x1+conv3x3/${TAIL}`, /more than one of conv1x1, double1x1/],
    [`2:conv3x3:r2/${TAIL}`, /32 channels of 'conv3x3:r2' in stage 1 cannot change/],
    [`2:conv3x3+maxpool3x3:e2/${TAIL}`, /cannot change inside/],
    [`2:conv3x3+conv3x3:r2,conv3x3/${TAIL}`, /the 16 channels of 'conv3x3\+conv3x3:r2'/],
  ],
});

/** The texts of all lists of n operators that a path may have, c for a convolution, r and p for supplements. */
function lists(n: number): string[] {
  const all = n === 0 ? [''] : lists(n - 1).flatMap((rest) => ['c', 'r', 'p'].map((op) => op + rest));
  return n === 0 ? all : all.filter((list) => /^[^rp]*[rp]?[^rp]*$/.test(list));
}

describe('Inception', () => {
  // Counted anew, list by list: a path has 8 choices for each c, 2 for r (1×1 convolutions), 2 for p (pools),
  // and for its inner channels 3, or 2 where it gives 16, if there are two of c and r.
  it('has as many networks as its rules allow', () => {
    const pathsOf = (n: number, width: number): bigint =>
      lists(n)
        .filter((list) => list.includes('c'))
        .map((list) => {
          const resizing = list.replaceAll('p', '').length;
          const inner = resizing < 2 ? 1n : width === 16 ? 2n : 3n;
          return [...list].reduce((count, op) => count * (op === 'c' ? 8n : 2n), inner);
        })
        .reduce((a, b) => a + b, 0n);
    const blocksOf = (width: number): bigint => {
      let count = 0n;
      const splits = (widths: number[], least: number, left: number): bigint => {
        if (widths.length === 0) return 1n;
        let ways = 0n;
        for (let n = least; n <= left; n++) {
          ways += pathsOf(n, Math.max(16, widths[0]!)) * splits(widths.slice(1), least, left - n);
        }
        return ways;
      };
      count += splits([width], 1, 3);
      count += splits([width / 2, width / 2], 1, 4);
      count += splits([width / 2, width / 4, width / 4], 2, 8);
      count += splits([width / 4, width / 4, width / 4, width / 4], 2, 10);
      return count;
    };
    expect(inception.size).toBe([32, 64, 128, 256].reduce((n, width) => n * 5n * blocksOf(width), 1n));
  });

  it('takes networks that differ in the order of equal paths for the same', () => {
    const tail = '/2:conv3x3/2:conv3x3/2:conv3x3';
    const hash = (text: string): string => inception.hash!(inception.parse(text));
    expect(hash(`2:conv3x3,conv5x5${tail}`)).toBe(hash(`2:conv5x5,conv3x3${tail}`));
    const three = ['conv3x3+conv3x3', 'conv5x5+conv3x3', 'conv3x3+conv5x5'];
    // At 32 channels all three give 16; at 128 the first one gives twice as many as the others.
    const [a, b] = [three, three.toReversed()].map((paths) => paths.join(','));
    expect(hash(`2:${a}${tail}`)).toBe(hash(`2:${b}${tail}`));
    const middle = (paths: string): string => `2:conv3x3/2:conv3x3/2:${paths}/2:conv3x3`;
    expect(hash(middle(a!))).not.toBe(hash(middle(b!)));
    expect(hash(middle(a!))).toBe(hash(middle([three[0], three[2], three[1]].join(','))));
  });

  it('draws inner channels as often as the authors do', () => {
    const random = Random.seeded(8);
    const drawn = Array.from({ length: 3000 }, () => inception.sample(random)[3]!)
      .flatMap(({ paths }) => paths)
      .filter(({ ops }) => ops.filter((op) => !op.includes('pool')).length > 1);
    const share = (inner: string): number => drawn.filter((p) => p.inner === inner).length / drawn.length;
    expect(share('r2')).toBeCloseTo(0.3, 1);
    expect(share('same')).toBeCloseTo(0.6, 1);
    expect(share('e2')).toBeCloseTo(0.1, 1);
  });

  itIsAsInPyTorch(inception);
});
