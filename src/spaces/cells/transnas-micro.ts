// The cell space of TransNAS-Bench-101 (Duan et al., CVPR 2021): cells of NAS-Bench-201's form without pooling, two in each of
// five layers, of which the first, third and fifth halve the sides and double the channels.
import { conv2d, globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { printableStart } from '../../util/printable.js';
import { archError } from '../arch-error.js';
import { CLASSIFIER, images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import { factorizedReduce } from './darts-network.js';
import { reluConvNorm } from './nasbench201.js';
import { cell, EDGES, fromCell, NODES, operationsOnEdges } from './nasbench201-cell.js';

const NAME = 'transnas-micro';
/** By their digits. */
const OPERATIONS = ['none', 'skip_connect', 'nor_conv_1x1', 'nor_conv_3x3'] as const;
type Operation = (typeof OPERATIONS)[number];

/** The operations of the edges, in the order of `EDGES`. */
type TransNas = readonly Operation[];

const WIDTH = 64;
/** Whether a layer halves the sides and doubles the channels: 4 in the notation, else 1. */
const LAYERS = [true, false, true, false, true];
const CELLS = 2;
const PREFIX = `${WIDTH}-${LAYERS.map((isReduction) => (isReduction ? 4 : 1)).join('')}-`;

export const transNasMicro: Space<TransNas> = {
  name: NAME,
  title: 'TransNAS-Bench-101 micro',
  paper: 'Duan et al., CVPR 2021, arXiv:2105.11871',
  notation: `${PREFIX} and the operations of the edges to each node joined by '_', as digits: ${OPERATIONS.map((name, i) => `${i} ${name}`).join(', ')}; or the six digits as a list, (0, 1, 2, 3, 0, 1)`,
  example: `${PREFIX}3_13_203`,
  ...operationsOnEdges(OPERATIONS),
  defaults: { resolution: 256, classes: 75, cells: CELLS, input: 'image' },
  parse,
  format,
  cell,
  fromCell: (found) => {
    const arch = fromCell(found);
    return arch?.every(isOperation) ? arch : undefined;
  },
  vocabulary: ['input', 'nor_conv_1x1', 'nor_conv_3x3', 'skip_connect', 'none', 'output'],
  cellOperations: { names: OPERATIONS, edges: EDGES },
  network: (arch, options = {}) => {
    const { classes = 75, cells = CELLS, seed = 0 } = options;
    return writeNetwork(NAME, images(options, 256, 32), seed, (s, x) => {
      let width = scaledWidth(WIDTH, options, 2);
      let y = conv2d(s.at('stem', 'conv'), x, width / 2, { kernel: 3, stride: 2, padding: 1, bias: false });
      y = reluConvNorm(s.at('stem', 'second'), batchNorm(s.at('stem', 'norm'), y), width, 3, 2);
      LAYERS.forEach((isReduction, layer) => {
        if (isReduction) width *= 2;
        for (let i = 0; i < cells; i++) y = writeCell(s.at('layer', layer, 'cell', i), y, arch, width);
      });
      return linear(s.at(CLASSIFIER), globalAveragePool(y), classes);
    });
  },
};

function isOperation(name: string): name is Operation {
  return (OPERATIONS as readonly string[]).includes(name);
}

function format(arch: TransNas): string {
  const groups = Array.from({ length: NODES - 1 }, (_, node) =>
    EDGES.flatMap(([, to], i) => (to === node + 1 ? [OPERATIONS.indexOf(arch[i]!)] : [])).join(''),
  );
  return PREFIX + groups.join('_');
}

function parse(text: string): TransNas {
  const trimmed = text.trim();
  const list = /^[([]?\s*(\d(?:\s*,\s*\d)*)\s*[)\]]?$/.exec(trimmed)?.[1];
  const digits = list === undefined ? digitsOf(text, trimmed) : list.split(',').map((part) => part.trim());
  if (digits.length !== EDGES.length) {
    throw archError(NAME, text, `it has ${digits.length} operations, not ${EDGES.length}`);
  }
  return digits.map((digit) => {
    const operation = OPERATIONS[Number(digit)];
    if (operation !== undefined) return operation;
    throw archError(NAME, text, `unknown operation '${digit}'`, 'choose from 0, 1, 2 and 3');
  });
}

/** Of the published notation. */
function digitsOf(text: string, trimmed: string): string[] {
  if (!trimmed.startsWith(PREFIX)) {
    const shown = printableStart(trimmed, 40);
    throw archError(NAME, text, `it is '${shown}', which does not begin with ${PREFIX}`);
  }
  const groups = trimmed.slice(PREFIX.length).split('_');
  const isWhole = groups.length === NODES - 1 && groups.every((group, i) => group.length === i + 1);
  if (!isWhole) throw archError(NAME, text, `its cell is not of the form 0_00_000`);
  return groups.flatMap((group) => [...group]);
}

/** (B, C, H, W) → (B, out, H, W), or half the sides where channels double. A node that nothing feeds is zero. */
function writeCell(s: Scope, x: Value, arch: TransNas, out: number): Value {
  const stride = x.length(1) === out ? 1 : 2;
  const nodes = [x];
  for (let node = 1; node < NODES; node++) {
    const terms = EDGES.flatMap(([from, to], i) => {
      if (to !== node) return [];
      const y = apply(s.at(`${from}-${to}`), nodes[from]!, arch[i]!, out, from === 0 ? stride : 1);
      return y === undefined ? [] : [y];
    });
    nodes.push(terms.length === 0 ? zeros(x, stride) : s.builder.sum(terms));
  }
  return nodes.at(-1)!;
}

function apply(s: Scope, x: Value, operation: Operation, out: number, stride: number): Value | undefined {
  switch (operation) {
    case 'none':
      return undefined;
    case 'skip_connect':
      return stride === 1 ? x : factorizedReduce(s, x, out, true);
    case 'nor_conv_1x1':
      return reluConvNorm(s, x, out, 1, stride);
    case 'nor_conv_3x3':
      return reluConvNorm(s, x, out, 3, stride);
  }
}

/** What a cell gives out where no edge feeds it. */
function zeros(x: Value, stride: number): Value {
  if (stride === 1) return x.mul(0);
  const half = x.slice([0, 0], [x.length(2), x.length(3)], [2, 3], [2, 2]).mul(0);
  return x.builder.concat([half, half], 1);
}
