// NAS-Bench-201 (Dong & Yang, ICLR 2020), the topology space of NATS-Bench: a cell of four nodes, each joined to
// all before it by one of five operations, stacked fifteen times.
import { averagePool2d, conv2d, globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { digest } from '../../util/digest.js';
import { archError } from '../arch-error.js';
import { CLASSIFIER, images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import {
  cell,
  EDGES,
  expressionOf,
  firstLike,
  fromCell,
  type NasBench201,
  NODES,
  OPERATIONS,
  type Operation,
  operationsOnEdges,
  prunedCell,
} from './nasbench201-cell.js';

const CELLS_PER_STAGE = 5;
const STEM_WIDTH = 16;
const NAME = 'nasbench201';

export const nasBench201: Space<NasBench201> = {
  name: NAME,
  title: 'NAS-Bench-201',
  paper: 'Dong & Yang, ICLR 2020, arXiv:2001.00326',
  notation: `three groups joined by '+', one for each node; in group k an operation for every node i < k before it, |op~i|. Operations: ${OPERATIONS.join(', ')}`,
  example: '|nor_conv_3x3~0|+|nor_conv_3x3~0|avg_pool_3x3~1|+|skip_connect~0|nor_conv_3x3~1|skip_connect~2|',
  ...operationsOnEdges(OPERATIONS),
  defaults: { resolution: 32, classes: 10, cells: CELLS_PER_STAGE, input: 'image' },
  parse,
  format,
  hash: (arch) => digest(expressionOf(arch)),
  key: (arch) => String(firstLike(arch)),
  cell,
  fromCell,
  prunedCell,
  // As arch2vec numbers them, and predictors since.
  vocabulary: ['input', 'nor_conv_1x1', 'nor_conv_3x3', 'avg_pool_3x3', 'skip_connect', 'none', 'output'],
  identities: ['skip_connect'],
  cellOperations: { names: OPERATIONS, edges: EDGES },
  network: (arch, options = {}) => {
    const { classes = 10, cells = CELLS_PER_STAGE, seed = 0 } = options;
    return writeNetwork(NAME, images(options, 32, 4), seed, (s, x) => {
      const width = scaledWidth(STEM_WIDTH, options);
      let y = conv2d(s.at('stem', 'conv'), x, width, { kernel: 3, padding: 1, bias: false });
      y = batchNorm(s.at('stem', 'norm'), y);
      for (let stage = 0; stage < 3; stage++) {
        if (stage > 0) y = residualBlock(s.at('reduction', stage), y, width << stage);
        for (let i = 0; i < cells; i++) y = writeCell(s.at('stage', stage, 'cell', i), y, arch);
      }
      y = batchNorm(s.at('last', 'norm'), y).relu();
      return linear(s.at(CLASSIFIER), globalAveragePool(y), classes);
    });
  },
};

/** Texts that were written, by the operations' places as digits of a number: searches ask for the same ones thousands of times. */
const TEXTS: string[] = [];
/** The architectures of these texts. */
const READ = new Map<string, NasBench201>();

function format(arch: NasBench201): string {
  let index = 0;
  for (const operation of arch) index = OPERATIONS.length * index + OPERATIONS.indexOf(operation);
  const known = TEXTS[index];
  if (known !== undefined) return known;
  const text = written(arch);
  TEXTS[index] = text;
  READ.set(text, arch);
  return text;
}

/** What is written for every operation of every edge, with the bars before and behind it. */
const PARTS = EDGES.map(([from, to]) => {
  const [start, end] = [from === 0 && to > 1 ? '+|' : '|', from === to - 1 ? '|' : ''];
  return OPERATIONS.map((operation) => `${start}${operation}~${from}${end}`);
});

function written(arch: NasBench201): string {
  let text = '';
  for (const [edge, operation] of arch.entries()) text += PARTS[edge]![OPERATIONS.indexOf(operation)]!;
  return text;
}

function parse(text: string): NasBench201 {
  const known = READ.get(text);
  if (known !== undefined) return known;
  const groups = text.trim().split('+');
  if (groups.length !== NODES - 1) {
    throw archError(NAME, text, `it has ${groups.length} groups joined by '+', not ${NODES - 1}`);
  }
  return groups.flatMap((group, k) => {
    const parts = group.split('|').filter((part) => part !== '');
    if (parts.length !== k + 1) {
      throw archError(NAME, text, `group ${k + 1} has ${parts.length} operations, not ${k + 1}`);
    }
    return parts.map((part, from): Operation => {
      const [name, node] = part.split('~');
      const operation = OPERATIONS.find((o) => o === name);
      if (operation === undefined) {
        throw archError(NAME, text, `unknown operation '${name}'`, `choose from ${OPERATIONS.join(', ')}`);
      }
      if (node !== String(from)) {
        throw archError(NAME, text, `'${part}' must come from node ${from}: '${name}~${from}'`);
      }
      return operation;
    });
  });
}

/** (B, C, H, W) → the same. A node is the sum of its edges; one that nothing feeds is zero. */
function writeCell(s: Scope, x: Value, arch: NasBench201): Value {
  const nodes = [x];
  for (let node = 1; node < NODES; node++) {
    const terms = EDGES.flatMap(([from, to], i) => {
      const y = to === node ? apply(s.at(`${from}-${to}`), nodes[from]!, arch[i]!) : undefined;
      return y === undefined ? [] : [y];
    });
    nodes.push(terms.length === 0 ? x.mul(0) : s.builder.sum(terms));
  }
  return nodes.at(-1)!;
}

function apply(s: Scope, x: Value, operation: Operation): Value | undefined {
  const channels = x.length(1);
  switch (operation) {
    case 'none':
      return undefined;
    case 'skip_connect':
      return x;
    case 'nor_conv_1x1':
      return reluConvNorm(s, x, channels, 1);
    case 'nor_conv_3x3':
      return reluConvNorm(s, x, channels, 3);
    case 'avg_pool_3x3':
      return averagePool2d(x, { kernel: 3, stride: 1, padding: 1 });
  }
}

/** ReLU, convolution and normalisation: (B, C, H, W) → (B, out, H/stride, W/stride). */
export function reluConvNorm(s: Scope, x: Value, out: number, kernel: number, stride = 1): Value {
  const y = conv2d(s.at('conv'), x.relu(), out, { kernel, stride, padding: (kernel - 1) / 2, bias: false });
  return batchNorm(s.at('norm'), y);
}

/** Halves the sides: (B, C, H, W) → (B, out, H/2, W/2). */
export function residualBlock(s: Scope, x: Value, out: number): Value {
  const y = reluConvNorm(s.at('second'), reluConvNorm(s.at('first'), x, out, 3, 2), out, 3);
  const halved = averagePool2d(x, { kernel: 2 });
  return y.add(conv2d(s.at('shortcut'), halved, out, { kernel: 1, bias: false }));
}
