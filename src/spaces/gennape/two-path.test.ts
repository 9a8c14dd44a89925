import { describe, expect, it } from 'vitest';
import { Random } from '../../util/random.js';
import { describeSpace } from '../conformance.testing.js';
import { itIsAsInPyTorch } from './families.testing.js';
import { twoPath } from './two-path.js';

const PATH = 'conv3x3:2,conv3x3:2';

describeSpace(twoPath, {
  small: { resolution: 8, width: 1 / 8 },
  refused: [
    ['', /1 paths/],
    [PATH, /1 paths/],
    [`${PATH}/${PATH}/${PATH}`, /3 paths/],
    [`${PATH}/conv3x3:2`, /1 blocks/],
    [`${PATH}/${PATH},conv3x3,conv3x3,conv3x3`, /5 blocks/],
    [`${PATH}/conv3x3:2,conv3x3`, /1 blocks of a path end in ':2'/],
    [`${PATH}/${PATH},conv3x3:2`, /3 blocks of a path end in ':2'/],
    [`${PATH}/conv3x3+conv3x3+conv3x3+conv3x3:2,conv3x3:2`, /4 operators/],
    [`${PATH}/conv3x3+:2,conv3x3:2`, /unknown operator ''/],
    [`${PATH}/conv7x7:2,conv3x3:2`, /unknown operator 'conv7x7'/],
    [`${PATH}/conv1x1:2,conv3x3:2`, /'conv1x1' has no convolution/],
    [`${PATH}/conv1x1+conv3x3+maxpool3x3:2,conv3x3:2`, /more than one of conv1x1, maxpool3x3/],
  ],
});

describe('Two-Path', () => {
  // Blocks of one, two and three operators: 8 + (8² + 2·5·8) + (8³ + 3·5·8²) = 1,624 = b;
  // paths of two, three and four: b² + 3·b³ + 6·b⁴.
  it('has as many networks as its rules allow', () => {
    const b = 1_624n;
    expect(twoPath.size).toBe((b ** 2n + 3n * b ** 3n + 6n * b ** 4n) ** 2n);
  });

  it('takes two networks that differ in the order of their paths for the same', () => {
    const arch = twoPath.sample(Random.seeded(7));
    const swapped = twoPath.parse(twoPath.format(arch).split('/').reverse().join('/'));
    expect(twoPath.format(swapped)).not.toBe(twoPath.format(arch));
    expect(twoPath.hash!(swapped)).toBe(twoPath.hash!(arch));
  });

  it('draws supplements as often as the authors do', () => {
    // One operator of three can be anything; each of the other two is a supplement with probability 5/13 while
    // there is none: 1 − (8/13)² of blocks of three, 5/13 of blocks of two, none of one.
    const random = Random.seeded(8);
    const blocks = Array.from({ length: 3000 }, () => twoPath.sample(random)).flat(2);
    const share = (count: number): number => {
      const some = blocks.filter(({ ops }) => ops.length === count);
      return some.filter(({ ops }) => ops.some((op) => /1x1|k1|pool/.test(op))).length / some.length;
    };
    expect(share(1)).toBe(0);
    expect(share(2)).toBeCloseTo(5 / 13, 1);
    expect(share(3)).toBeCloseTo(1 - (8 / 13) ** 2, 1);
  });

  itIsAsInPyTorch(twoPath);
});
