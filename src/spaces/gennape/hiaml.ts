// HiAML (Mills et al., AAAI 2023, "GENNAPE"): four stages of two equal blocks, each stage's block one of fourteen
// that GA-NAS found. CIFAR-10.
import { conv2d, globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { archError } from '../arch-error.js';
import { elementChoices } from '../choice.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import { convNorm, convNormRelu6, inceptionS } from './blocks.js';

/**
 * What a block can do with its input. An operator on something that still has the input's size strides and widens
 * where the block does; later ones keep what they get.
 */
interface Block {
  readonly input: Value;
  /** k×k convolution and normalisation. */
  conv(kernel: number, x: Value): Value;
  /** The same with ReLU6 behind it. */
  act(kernel: number, x: Value): Value;
  /** As `act`, but leaves the input's size and width for what follows. */
  keep(kernel: number, x: Value): Value;
  /** 1×3, then 3×1 convolution, each with normalisation and ReLU6. */
  inc(x: Value): Value;
  /** The input, or a 1×1 convolution of its own of it where the block strides. */
  skip(): Value;
}

/** The fourteen blocks, each up to the ReLU that ends it. */
const BLOCKS = {
  z: ({ input, act, inc }) => {
    const x = act(3, input);
    return x.add(inc(x));
  },
  a22: ({ input, act, conv }) => {
    const x = act(3, input);
    return x.add(conv(1, act(1, x)));
  },
  b23: ({ input, inc, skip }) => skip().add(inc(inc(input))),
  j30: ({ input, act, inc, skip }) => skip().add(inc(act(3, input))),
  g30: ({ input, conv, inc, skip }) => {
    const x = inc(input);
    return x.add(conv(1, inc(skip().add(x))));
  },
  r30: ({ input, conv, inc, skip }) => {
    const x = inc(input);
    return skip()
      .add(conv(1, skip().add(x)))
      .add(inc(x));
  },
  l20: ({ input, act, conv }) => conv(1, act(3, input)),
  t20: ({ input, conv, inc }) => conv(1, input).add(inc(input)),
  t31: ({ input, act, inc, skip }) => {
    const x = act(1, inc(input));
    return skip()
      .add(x)
      .add(inc(skip().add(x)));
  },
  src0: ({ input, act, conv }) => {
    const x = act(1, input);
    return x.add(conv(3, act(3, x)));
  },
  src1: ({ input, act, keep, conv }) => act(1, input).add(conv(3, keep(3, input))),
  src3: ({ input, act, keep, conv }) => conv(1, input).add(conv(1, act(3, keep(1, input)))),
  src7: ({ input, conv, inc }) => {
    const x = conv(1, input);
    return x.add(inc(inc(x)));
  },
  src8: ({ input, conv, inc }) => {
    const x = conv(1, input);
    return x.add(conv(1, inc(x)));
  },
} satisfies Record<string, (block: Block) => Value>;

type BlockName = keyof typeof BLOCKS;
export const BLOCK_NAMES = Object.keys(BLOCKS) as BlockName[];

/** The blocks of the four stages. */
type HiAml = readonly BlockName[];

const STAGES = 4;
const BLOCKS_PER_STAGE = 2;
/** Stages whose first block halves the sides and doubles the channels, counted from 0. */
const REDUCING_STAGES = [1, 3];
const STEM_WIDTH = 64;
const NAME = 'hiaml';

export const hiaml: Space<HiAml> = {
  name: NAME,
  title: 'HiAML',
  paper: 'Mills et al., AAAI 2023, arXiv:2211.17226',
  notation: `the blocks of the four stages, joined by '-'. Blocks: ${BLOCK_NAMES.join(', ')}`,
  example: 'a22-z-b23-j30',
  size: BigInt(BLOCK_NAMES.length) ** BigInt(STAGES),
  defaults: { resolution: 32, classes: 10, input: 'image' },
  sample: (random) => Array.from({ length: STAGES }, () => random.pick(BLOCK_NAMES)),
  choices: (arch) =>
    elementChoices(
      (i) => `stage ${i + 1} block`,
      BLOCK_NAMES,
      arch,
      (changed) => changed,
    ),
  parse,
  format: (arch) => arch.join('-'),
  network: (arch, options = {}) => {
    const { classes = 10, seed = 0 } = options;
    return writeNetwork(NAME, images(options, 32), seed, (s, x) => {
      let width = scaledWidth(STEM_WIDTH, options);
      let y = conv2d(s.at('stem', 'conv'), x, width, { kernel: 3, stride: 2, padding: 1, bias: false });
      y = batchNorm(s.at('stem', 'norm'), y).relu();
      arch.forEach((name, stage) => {
        for (let i = 0; i < BLOCKS_PER_STAGE; i++) {
          const reduces = i === 0 && REDUCING_STAGES.includes(stage);
          if (reduces) width *= 2;
          const block = blockOf(s.at('stage', stage, 'block', i), y, width, reduces ? 2 : 1);
          y = BLOCKS[name](block).relu();
        }
      });
      return linear(s.at('classifier'), globalAveragePool(y), classes);
    });
  },
};

/** Names of blocks may carry the `hiaml_` that the authors' files put before them. */
function parse(text: string): HiAml {
  const names = text.trim().split('-');
  if (names.length !== STAGES) {
    throw archError(NAME, text, `it has ${names.length} blocks joined by '-', not ${STAGES}`);
  }
  return names.map((name) => {
    const block = BLOCK_NAMES.find((known) => known === name.replace(/^hiaml_/, ''));
    if (block !== undefined) return block;
    throw archError(NAME, text, `unknown block '${name}'`, `choose from ${BLOCK_NAMES.join(', ')}`);
  });
}

function blockOf(s: Scope, input: Value, out: number, stride: number): Block {
  const unreduced = new Set([input]);
  let parts = 0;
  const part = (): Scope => s.at(parts++);
  const strideOn = (x: Value): number => (unreduced.has(x) ? stride : 1);
  return {
    input,
    conv: (kernel, x) => convNorm(part(), x, out, { kernel, stride: strideOn(x) }),
    act: (kernel, x) => convNormRelu6(part(), x, out, { kernel, stride: strideOn(x) }),
    keep: (kernel, x) => {
      const y = convNormRelu6(part(), x, x.length(1), { kernel });
      unreduced.add(y);
      return y;
    },
    inc: (x) => inceptionS(part(), x, out, { kernel: 3, strides: [strideOn(x), 1] }),
    skip: () => (stride === 1 ? input : convNorm(part(), input, out, { kernel: 1, stride })),
  };
}
