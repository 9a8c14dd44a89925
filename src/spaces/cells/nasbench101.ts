// NAS-Bench-101 (Ying et al., ICML 2019): a cell of up to seven vertices and nine edges, stacked nine times.
import { convBlock, globalAveragePool, maxPool2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import type { Random } from '../../util/random.js';
import { archError } from '../arch-error.js';
import { choiceOf, elementChoices } from '../choice.js';
import { CLASSIFIER, images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Cell, Choice, Space } from '../space.js';
import {
  canonical,
  cellHash,
  edgeCount,
  MAX_EDGES,
  MAX_VERTICES,
  type NasBench101,
  OPERATIONS,
  type Operation,
  prune,
} from './nasbench101-cell.js';

const NAME = 'nasbench101';
const STEM_WIDTH = 128;
const STACKS = 3;
const CELLS_PER_STACK = 3;
/** How often a child of two cells is tried before it is one of them. */
const MAX_TRIES = 100;

export const nasBench101: Space<NasBench101> = {
  name: NAME,
  title: 'NAS-Bench-101',
  paper: 'Ying et al., ICML 2019, arXiv:1902.09635',
  notation: `vertices:edges:operations. Edges are the upper triangle of the adjacency matrix row by row, a digit for each pair i < j; operations, joined by ',', are those of the vertices between input and output: ${OPERATIONS.join(', ')}. Vertices that do nothing are left out, and the others are in the benchmark's order.`,
  example:
    '7:111100000010001001101:conv3x3-bn-relu,conv1x1-bn-relu,maxpool3x3,conv3x3-bn-relu,conv3x3-bn-relu',
  size: 423_624n,
  defaults: { resolution: 32, classes: 10, cells: CELLS_PER_STACK, input: 'image' },
  sample,
  choices,
  cross,
  parse,
  format,
  hash: cellHash,
  hasCanonicalTexts: true,
  sizeOf: ({ adjacency }) => ({ unit: 'vertices', value: adjacency.length }),
  cell: ({ adjacency, ops }) => ({ ops: ['input', ...ops, 'output'], adjacency }),
  fromCell,
  // As arch2vec numbers them, and predictors since.
  vocabulary: ['input', 'conv1x1-bn-relu', 'conv3x3-bn-relu', 'maxpool3x3', 'output'],
  largestCell: MAX_VERTICES,
  cellOperations: { names: OPERATIONS },
  network: (arch, options = {}) => {
    const { classes = 10, cells = CELLS_PER_STACK, seed = 0 } = options;
    // At least 8, as up to five vertices share the channels of a cell.
    const width = scaledWidth(STEM_WIDTH, options, 8);
    return writeNetwork(NAME, images(options, 32), seed, (s, x) => {
      let y = convBlock(s.at('stem'), x, width, { kernel: 3, padding: 1 });
      for (let stack = 0; stack < STACKS; stack++) {
        if (stack > 0) y = maxPool2d(y, { kernel: 2 });
        for (let i = 0; i < cells; i++) {
          y = writeCell(s.at('stack', stack, 'cell', i), y, width << stack, arch);
        }
      }
      return linear(s.at(CLASSIFIER), globalAveragePool(y), classes);
    });
  },
};

function fromCell({ ops, adjacency }: Cell): NasBench101 | undefined {
  const inner = ops.slice(1, -1);
  const isOperation = (op: string): op is Operation => (OPERATIONS as readonly string[]).includes(op);
  if (ops.length < 2 || ops[0] !== 'input' || ops.at(-1) !== 'output' || !inner.every(isOperation))
    return undefined;
  return canonical({ adjacency, ops: inner });
}

/** As the benchmark's own random search: seven vertices, each edge and each operation equally likely, until valid. */
function sample(random: Random): NasBench101 {
  for (;;) {
    const found = canonical(
      frame(
        () => Number(random.chance(0.5)),
        () => random.pick(OPERATIONS),
      ),
    );
    if (found) return found;
  }
}

/** Seven vertices with edges and operations as told. */
function frame(
  edge: (i: number, j: number) => number,
  operation: (vertex: number) => Operation,
): NasBench101 {
  const range = [...Array(MAX_VERTICES).keys()];
  return {
    adjacency: range.map((i) => range.map((j) => (i < j ? edge(i, j) : 0))),
    ops: range.slice(1, -1).map(operation),
  };
}

/**
 * Another operation, an edge more or less, or a vertex more: in the middle of an edge or beside a pair of vertices. One
 * vertex less comes about where an edge less leaves it without use. Every cell is reached from every other.
 */
function choices(arch: NasBench101): readonly Choice<NasBench101>[] {
  const { adjacency, ops } = arch;
  const pairs = adjacency.flatMap((_, i) => adjacency.slice(i + 1).map((_, k) => [i, i + 1 + k] as const));
  return [
    ...elementChoices(
      (i) => `vertex ${i + 1} operation`,
      OPERATIONS,
      ops,
      (list) => canonical({ adjacency, ops: list }),
    ),
    ...pairs.map(([i, j]) =>
      choiceOf(`edge ${i}-${j}`, [0, 1], adjacency[i]![j]!, (edge) =>
        canonical({ adjacency: withEdge(adjacency, i, j, edge), ops }),
      ),
    ),
    newVertex(arch, adjacency.length < MAX_VERTICES ? pairs : []),
  ];
}

/** One vertex more: `maxpool3x3 in 0-2` takes the place of that edge, `maxpool3x3 beside 0-2` only joins its ends. */
function newVertex(arch: NasBench101, pairs: readonly (readonly [number, number])[]): Choice<NasBench101> {
  const present = 'none';
  const edges = edgeCount(arch);
  const places = pairs.flatMap(([i, j]) => [
    ...(arch.adjacency[i]![j] ? [{ i, j, isInside: true }] : []),
    { i, j, isInside: false },
  ]);
  const optionOf = (index: number) => ({
    operation: OPERATIONS[(index - 1) % OPERATIONS.length]!,
    place: places[Math.floor((index - 1) / OPERATIONS.length)]!,
  });
  return {
    site: 'new vertex',
    present,
    count: 1 + places.length * OPERATIONS.length,
    option: (index) => {
      if (index === 0) return present;
      const { operation, place } = optionOf(index);
      return `${operation} ${place.isInside ? 'in' : 'beside'} ${place.i}-${place.j}`;
    },
    set: (index) => {
      if (index === 0) return arch;
      const { operation, place } = optionOf(index);
      // Nothing of a cell is without use, so that all its edges stay.
      if (edges + (place.isInside ? 1 : 2) > MAX_EDGES) return undefined;
      return canonical(withVertex(arch, place.i, place.j, operation, place.isInside));
    },
  };
}

/** A vertex right after i that i feeds and that feeds j. */
function withVertex(
  { adjacency, ops }: NasBench101,
  i: number,
  j: number,
  operation: Operation,
  isInside: boolean,
): NasBench101 {
  const insert = <T>(list: readonly T[], element: T): T[] => list.toSpliced(i + 1, 0, element);
  const edges = isInside ? withEdge(adjacency, i, j, 0) : adjacency;
  const row = insert(
    adjacency.map((_, k) => Number(k === j)),
    0,
  );
  return {
    adjacency: insert(
      edges.map((old, k) => insert(old, Number(k === i))),
      row,
    ),
    ops: ops.toSpliced(i, 0, operation),
  };
}

function withEdge(adjacency: NasBench101['adjacency'], i: number, j: number, edge: number): number[][] {
  return adjacency.map((row, k) => (k === i ? row.with(j, edge) : [...row]));
}

/** Vertices of the same number stand for each other, the outputs too; what one cell lacks has no edges. */
function cross(a: NasBench101, b: NasBench101, random: Random): NasBench101 {
  const [left, right] = [inFrame(a), inFrame(b)];
  for (let i = 0; i < MAX_TRIES; i++) {
    const child = canonical(
      frame(
        (i, j) => (random.chance(0.5) ? left : right).adjacency[i]![j]!,
        (vertex) => {
          const [mine, theirs] = random.chance(0.5) ? [a, b] : [b, a];
          return mine.ops[vertex - 1] ?? theirs.ops[vertex - 1] ?? OPERATIONS[0];
        },
      ),
    );
    if (child) return child;
  }
  return random.chance(0.5) ? a : b;
}

/** The cell with as many vertices as there may be, the last still being the output. */
function inFrame({ adjacency, ops }: NasBench101): NasBench101 {
  const last = adjacency.length - 1;
  const own = (vertex: number): number => (vertex < last ? vertex : vertex === MAX_VERTICES - 1 ? last : -1);
  return frame(
    (i, j) => adjacency[own(i)]?.[own(j)] ?? 0,
    (vertex) => ops[vertex - 1] ?? OPERATIONS[0],
  );
}

function format({ adjacency, ops }: NasBench101): string {
  const nodes = adjacency.length;
  let edges = '';
  for (let i = 0; i < nodes; i++) for (let j = i + 1; j < nodes; j++) edges += adjacency[i]![j]!;
  return `${nodes}:${edges}:${ops.join(',')}`;
}

/** Also reads operations with spaces between them, vertices that do nothing, and vertices in another order. */
function parse(text: string): NasBench101 {
  const parts = text.trim().split(':');
  if (parts.length !== 3) {
    throw archError(
      NAME,
      text,
      `it has ${parts.length} parts joined by ':', not 3`,
      `such as ${nasBench101.example}`,
    );
  }
  const [count, edges, operations] = parts as [string, string, string];
  const vertices = /^\d$/.test(count) ? Number(count) : 0;
  if (vertices < 2 || vertices > MAX_VERTICES) {
    throw archError(NAME, text, `'${count}' is not a number of vertices from 2 to ${MAX_VERTICES}`);
  }
  const pairs = (vertices * (vertices - 1)) / 2;
  if (!/^[01]*$/.test(edges) || edges.length !== pairs) {
    throw archError(
      NAME,
      text,
      `the edges of ${vertices} vertices are ${pairs} digits 0 or 1, not '${edges}'`,
    );
  }
  const ops = operations.split(/[\s,]+/).filter((op) => op !== '');
  if (ops.length !== vertices - 2) {
    throw archError(NAME, text, `it has ${ops.length} operations for ${vertices - 2} vertices`);
  }
  const unknown = ops.find((op) => !OPERATIONS.includes(op as Operation));
  if (unknown !== undefined) {
    throw archError(NAME, text, `unknown operation '${unknown}'`, `choose from ${OPERATIONS.join(', ')}`);
  }
  let at = 0;
  const range = [...Array(vertices).keys()];
  const adjacency = range.map((i) => range.map((j) => (i < j ? Number(edges[at++]) : 0)));
  const pruned = prune({ adjacency, ops: ops as Operation[] });
  if (pruned === undefined) throw archError(NAME, text, 'the input does not reach the output');
  const arch = canonical(pruned);
  if (arch === undefined) {
    throw archError(NAME, text, `it has ${edgeCount(pruned)} edges; the benchmark has up to ${MAX_EDGES}`);
  }
  return arch;
}

/**
 * The channels of every vertex of a cell. Those that feed the output share its channels, the first ones having one
 * more where they do not divide; any other has as many as the widest it feeds.
 */
export function vertexChannels(
  { adjacency }: NasBench101,
  channelsIn: number,
  channelsOut: number,
): number[] {
  const last = adjacency.length - 1;
  const channels = adjacency.map((_, i) => (i === 0 ? channelsIn : i === last ? channelsOut : 0));
  const sharing = [...adjacency.keys()].filter((i) => i > 0 && adjacency[i]![last]);
  sharing.forEach((vertex, rank) => {
    channels[vertex] = Math.floor(channelsOut / sharing.length) + Number(rank < channelsOut % sharing.length);
  });
  for (let i = last - 2; i > 0; i--) {
    if (adjacency[i]![last]) continue;
    for (let j = i + 1; j < last; j++) {
      if (adjacency[i]![j]) channels[i] = Math.max(channels[i]!, channels[j]!);
    }
  }
  return channels;
}

/**
 * (B, C, H, W) → (B, out, H, W). A vertex adds what feeds it: the cell's input projected to its channels, others cut
 * to them. The output joins what feeds it, and adds the projected input.
 */
function writeCell(s: Scope, x: Value, out: number, arch: NasBench101): Value {
  const { adjacency, ops } = arch;
  const last = adjacency.length - 1;
  const channels = vertexChannels(arch, x.length(1), out);
  const project = (vertex: number): Value =>
    convBlock(s.at('project', vertex), x, channels[vertex]!, { kernel: 1 });
  const values = [x];
  for (let vertex = 1; vertex < last; vertex++) {
    const terms: Value[] = [];
    for (let i = 1; i < vertex; i++) {
      if (adjacency[i]![vertex]) terms.push(truncated(values[i]!, channels[vertex]!));
    }
    if (adjacency[0]![vertex]) terms.push(project(vertex));
    values.push(apply(s.at('vertex', vertex), s.builder.sum(terms), ops[vertex - 1]!));
  }
  const joined = values.filter((_, i) => i > 0 && adjacency[i]![last]);
  if (joined.length === 0) return project(last);
  const y = s.builder.concat(joined, 1);
  return adjacency[0]![last] ? y.add(project(last)) : y;
}

/** The first channels. */
function truncated(x: Value, channels: number): Value {
  return x.length(1) === channels ? x : x.slice([0], [channels], [1]);
}

function apply(s: Scope, x: Value, operation: Operation): Value {
  const channels = x.length(1);
  switch (operation) {
    case 'conv3x3-bn-relu':
      return convBlock(s, x, channels, { kernel: 3, padding: 1 });
    case 'conv1x1-bn-relu':
      return convBlock(s, x, channels, { kernel: 1 });
    case 'maxpool3x3':
      return maxPool2d(x, { kernel: 3, stride: 1, padding: 1 });
  }
}
