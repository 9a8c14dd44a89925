// The size space of NATS-Bench (Dong et al. 2021): the widths of five layers, all else being fixed. Three cells of
// one topology, the best of NAS-Bench-201, with a residual block between them.
import { conv2d, globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { archError } from '../arch-error.js';
import { elementChoices } from '../choice.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import { reluConvNorm, residualBlock } from './nasbench201.js';

const NAME = 'nats-size';
const LAYERS = 5;
const WIDTHS = [8, 16, 24, 32, 40, 48, 56, 64] as const;

/** Channels that come out of: the stem and the first cell, a residual block, a cell, a residual block, a cell. */
type NatsSize = readonly number[];

// It has no `cell`: all its networks are one graph.
export const natsSize: Space<NatsSize> = {
  name: NAME,
  title: 'NATS-Bench size',
  paper: 'Dong et al., TPAMI 2021, arXiv:2009.00437',
  notation: `the channels of five layers joined by ':', each one of ${WIDTHS.join(', ')}: stem and first cell, first residual block, second cell, second residual block, third cell`,
  example: '8:16:24:32:64',
  size: BigInt(WIDTHS.length) ** BigInt(LAYERS),
  defaults: { resolution: 32, classes: 10, input: 'image' },
  sample: (random) => Array.from({ length: LAYERS }, () => random.pick(WIDTHS)),
  choices: (arch) =>
    elementChoices<NatsSize, number>(
      (i) => `layer ${i + 1} width`,
      WIDTHS,
      arch,
      (changed) => changed,
    ),
  sizeOf: (arch) => ({ unit: 'channels', value: arch.reduce((sum, width) => sum + width, 0) }),
  parse,
  format: (arch) => arch.join(':'),
  network: (arch, options = {}) => {
    const { classes = 10, seed = 0 } = options;
    const widths = arch.map((width) => scaledWidth(width, options));
    return writeNetwork(NAME, images(options, 32, 4), seed, (s, x) => {
      let y = conv2d(s.at('stem', 'conv'), x, widths[0]!, { kernel: 3, padding: 1, bias: false });
      y = batchNorm(s.at('stem', 'norm'), y);
      widths.forEach((width, i) => {
        y = i % 2 === 0 ? writeCell(s.at('layer', i), y, width) : residualBlock(s.at('layer', i), y, width);
      });
      y = batchNorm(s.at('last', 'norm'), y).relu();
      return linear(s.at('classifier'), globalAveragePool(y), classes);
    });
  },
};

function parse(text: string): NatsSize {
  const parts = text.trim().split(':');
  if (parts.length !== LAYERS) {
    throw archError(NAME, text, `it has ${parts.length} numbers joined by ':', not ${LAYERS}`);
  }
  return parts.map((part, layer) => {
    const width = WIDTHS.find((w) => String(w) === part);
    if (width !== undefined) return width;
    const problem = `layer ${layer + 1} cannot have '${part}' channels`;
    throw archError(NAME, text, problem, `choose from ${WIDTHS.join(', ')}`);
  });
}

/**
 * |nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|skip_connect~0|nor_conv_3x3~1|nor_conv_3x3~2|,
 * (B, C, H, W) → (B, out, H, W). What comes from the input changes its channels; so does the skip, by a projection.
 */
function writeCell(s: Scope, x: Value, out: number): Value {
  const edge = (name: string, from: Value): Value => reluConvNorm(s.at(name), from, out, 3);
  const first = edge('0-1', x);
  const second = edge('0-2', x).add(edge('1-2', first));
  const skip = x.length(1) === out ? x : project(s.at('0-3'), x, out);
  return skip.add(edge('1-3', first)).add(edge('2-3', second));
}

function project(s: Scope, x: Value, out: number): Value {
  return batchNorm(s.at('norm'), conv2d(s.at('conv'), x, out, { kernel: 1, bias: false }));
}
