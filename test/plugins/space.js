// A search space from outside the package: NATS-Bench's networks with all stages of one width.
import { spaceNamed } from '../../dist/spaces/index.js';

const base = spaceNamed('nats-size');
const WIDTHS = [8, 16, 24, 32];
const textOf = (width) => Array(5).fill(width).join(':');

export default ({ registerSpace, AuspexError }) => {
  registerSpace({
    ...base,
    name: 'one-width',
    title: 'One width',
    size: BigInt(WIDTHS.length),
    example: 'w8',
    sample: (random) => random.pick(WIDTHS),
    parse: (text) => {
      const width = Number(/^w(\d+)$/.exec(text)?.[1]);
      if (WIDTHS.includes(width)) return width;
      throw new AuspexError('ARCH_TEXT', `'${text}' is not a width of one-width`);
    },
    format: (width) => `w${width}`,
    choices: (width) => [
      {
        site: 'width',
        present: width,
        ordinal: true,
        count: WIDTHS.length,
        option: (i) => WIDTHS[i],
        set: (i) => WIDTHS[i],
      },
    ],
    hash: undefined,
    sizeOf: undefined,
    network: (width, options) => base.network(base.parse(textOf(width)), options),
  });
};
