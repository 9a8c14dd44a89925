// GoogLeNet (Szegedy et al. 2015): nine Inception blocks of four branches, with batch normalisation and without
// auxiliary classifiers, as torchvision has it.
import { convBlock, globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { familySpace, gene, type Layers, WIDTHS } from './family.js';
import { maxPoolCeil } from './pooling.js';

/** Channels: 1×1; 1×1 then k×k; 1×1 then k×k; pooling then 1×1. A block after `pool` is preceded by pooling. */
const BLOCKS = [
  { at: '3a', one: 64, reduce2: 96, two: 128, reduce3: 16, three: 32, four: 32 },
  { at: '3b', one: 128, reduce2: 128, two: 192, reduce3: 32, three: 96, four: 64 },
  { at: '4a', one: 192, reduce2: 96, two: 208, reduce3: 16, three: 48, four: 64, pool: 3 },
  { at: '4b', one: 160, reduce2: 112, two: 224, reduce3: 24, three: 64, four: 64 },
  { at: '4c', one: 128, reduce2: 128, two: 256, reduce3: 24, three: 64, four: 64 },
  { at: '4d', one: 112, reduce2: 144, two: 288, reduce3: 32, three: 64, four: 64 },
  { at: '4e', one: 256, reduce2: 160, two: 320, reduce3: 32, three: 128, four: 128 },
  { at: '5a', one: 256, reduce2: 160, two: 320, reduce3: 32, three: 128, four: 128, pool: 2 },
  { at: '5b', one: 384, reduce2: 192, two: 384, reduce3: 48, three: 128, four: 128 },
] as const;
type Block = (typeof BLOCKS)[number];

const BRANCHES = ['one', 'reduce2', 'two', 'reduce3', 'three', 'four'] as const;
const WIDE_BRANCHES = ['two', 'three'] as const;
const KERNELS = [1, 3, 5, 7];
const NORM = { epsilon: 1e-3 };

/** (B, C, H, W) → (B, the sum of the branches' channels, H, W) */
function inception(s: Scope, x: Value, block: Block, layers: Layers): Value {
  const { at } = block;
  const conv = (branch: (typeof BRANCHES)[number], y: Value, kernel = 1): Value =>
    convBlock(s.at(branch), y, layers.channels(block[branch], `${at}.${branch}`), {
      kernel,
      padding: (kernel - 1) / 2,
      norm: NORM,
    });
  const kernel = (branch: (typeof WIDE_BRANCHES)[number]): number => layers.of('k', `${at}.${branch}`);
  return s.builder.concat(
    [
      conv('one', x),
      conv('two', conv('reduce2', x), kernel('two')),
      conv('three', conv('reduce3', x), kernel('three')),
      conv('four', maxPoolCeil(x, 3, 1, 1)),
    ],
    1,
  );
}

/**
 * As in nn-Meter, the widths of all convolutions in Inception blocks vary, and the stem stays. Kernels, which its
 * configuration lists but its network ignores, vary in the two branches that have any: the base has torchvision's 3
 * and 3, the paper and nn-Meter 3 and 5.
 */
export const nnlqpGoogLeNet = familySpace({
  name: 'nnlqp-googlenet',
  title: 'NNLQP GoogLeNet',
  paper: 'Liu et al., ICPP 2022; Szegedy et al., CVPR 2015',
  bases: [
    {
      name: 'googlenet',
      genes: [
        ...BLOCKS.flatMap(({ at }) => BRANCHES.map((branch) => gene('w', `${at}.${branch}`, 1, WIDTHS))),
        ...BLOCKS.flatMap(({ at }) =>
          WIDE_BRANCHES.map((branch) => gene('k', `${at}.${branch}`, 3, KERNELS)),
        ),
      ],
      write: (s, x, layers) => {
        const [first, second] = [layers.channels(64), layers.channels(192)];
        let y = convBlock(s.at('stem', 1), x, first, { kernel: 7, stride: 2, padding: 3, norm: NORM });
        y = maxPoolCeil(y, 3, 2);
        y = convBlock(s.at('stem', 2), y, first, { kernel: 1, norm: NORM });
        y = convBlock(s.at('stem', 3), y, second, { kernel: 3, padding: 1, norm: NORM });
        y = maxPoolCeil(y, 3, 2);
        for (const block of BLOCKS) {
          if ('pool' in block) y = maxPoolCeil(y, block.pool, 2);
          y = inception(s.at(block.at), y, block, layers);
        }
        return linear(s.at('classifier'), globalAveragePool(y), layers.classes);
      },
    },
  ],
});
