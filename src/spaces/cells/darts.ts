// The space of DARTS (Liu et al., ICLR 2019), which NAS-Bench-301 (Zela et al., ICLR 2022) covers: a normal cell and
// a reduction cell of four nodes, each adding two operations on what came before.
import { digest } from '../../util/digest.js';
import type { Random } from '../../util/random.js';
import { archError } from '../arch-error.js';
import { choiceOf } from '../choice.js';
import type { Cell, Choice, Space } from '../space.js';
import {
  type Darts,
  type DartsCell,
  dartsNetwork,
  type Edge,
  NODES,
  OPERATIONS,
  type Operation,
} from './darts-network.js';

const NAME = 'darts';

/** Short names, in the order of OPERATIONS. */
const SHORT = ['max3', 'avg3', 'skip', 'sep3', 'sep5', 'dil3', 'dil5'] as const;

const CELL_NAMES = ['normal', 'reduction'] as const;

/** The two cells in the graph that predictors see. */
const PARTS = ['normal', 'reduce'] as const;
/** Two inputs, two operations for each node, and an output. */
const PART_NODES = 2 + 2 * NODES + 1;

/** Pairs of inputs by their text, for each node. */
const PAIRS: readonly ReadonlyMap<string, readonly [number, number]>[] = Array.from(
  { length: NODES },
  (_, node) => {
    const inputs = [...Array(node + 2).keys()];
    const pairs = inputs.flatMap((i) => inputs.slice(i + 1).map((j) => [i, j] as const));
    return new Map(pairs.map((pair) => [pair.join(','), pair]));
  },
);

/** Pairs of inputs times pairs of operations, for each node. */
const CELLS = [1n, 3n, 6n, 10n].reduce((n, pairs) => n * pairs * BigInt(OPERATIONS.length) ** 2n, 1n);

export const darts: Space<Darts> = {
  name: NAME,
  title: 'DARTS / NAS-Bench-301',
  paper: 'Liu et al., ICLR 2019, arXiv:1806.09055; Zela et al., ICLR 2022, arXiv:2008.09777',
  notation: `the normal and the reduction cell joined by '/', each of four nodes joined by ',', each of two edges joined by '+': op~i is an operation on input i, where 0 is the cell before the last, 1 the last, 2 the first node. Operations: ${SHORT.map((short, i) => `${short} = ${OPERATIONS[i]}`).join(', ')}. Also read: a Genotype of DARTS, and pairs (input, operation) as NASLib writes them.`,
  example:
    'sep3~0+sep3~1,sep3~0+sep3~1,skip~0+sep3~1,skip~0+dil3~2/max3~0+max3~1,max3~1+skip~2,max3~0+skip~2,max3~1+skip~2',
  size: CELLS * CELLS,
  defaults: { resolution: 32, classes: 10, input: 'image' },
  sample: (random) => ({ normal: sampleCell(random), reduce: sampleCell(random) }),
  choices: (arch) => [
    ...cellChoices('normal', arch.normal, (normal) => ({ ...arch, normal })),
    ...cellChoices('reduction', arch.reduce, (reduce) => ({ ...arch, reduce })),
  ],
  parse,
  format: ({ normal, reduce }) => `${formatCell(normal)}/${formatCell(reduce)}`,
  hash: ({ normal, reduce }) => digest(`${leastText(normal)}/${leastText(reduce)}`),
  cell,
  fromCell,
  vocabulary: ['input', ...PARTS.flatMap(endsOf), ...OPERATIONS, 'output'],
  largestCell: 2 * PART_NODES + 2,
  identities: ['skip_connect'],
  network: (arch, options) => dartsNetwork(NAME, arch, options),
};

function nodesOf(cell: DartsCell): readonly DartsCell[] {
  return Array.from({ length: NODES }, (_, node) => cell.slice(2 * node, 2 * node + 2));
}

function inOrder(node: DartsCell): DartsCell {
  return node.toSorted((a, b) => a.from - b.from);
}

function sampleCell(random: Random): DartsCell {
  return Array.from({ length: NODES }, (_, node) => {
    const inputs = [...Array(node + 2).keys()];
    const first = random.pick(inputs);
    const second = random.pick(inputs.filter((input) => input !== first));
    return inOrder([first, second].map((from) => ({ from, operation: random.pick(OPERATIONS) })));
  }).flat();
}

/** The two inputs of every node are one choice; the first node has no other inputs. */
function cellChoices<A>(name: string, cell: DartsCell, set: (cell: DartsCell) => A): Choice<A>[] {
  const nodes = nodesOf(cell);
  return nodes.flatMap((node, k) => {
    const place = `${name} node ${k + 1}`;
    const changed = (edges: DartsCell): A => set(nodes.with(k, edges).flat());
    return [
      ...(k === 0
        ? []
        : [
            choiceOf(
              `${place} inputs`,
              [...PAIRS[k]!.keys()],
              node.map(({ from }) => from).join(','),
              (pair) => changed(reading(node, PAIRS[k]!.get(pair)!)),
            ),
          ]),
      ...node.map(({ operation }, i) =>
        choiceOf(`${place} operation ${i + 1}`, OPERATIONS, operation, (other) =>
          changed(node.with(i, { ...node[i]!, operation: other })),
        ),
      ),
    ];
  });
}

/** A node with other inputs: an operation stays with its input, or goes to one that is new, in order. */
function reading(node: DartsCell, inputs: readonly number[]): DartsCell {
  const free = node.filter(({ from }) => !inputs.includes(from));
  return inputs.map((from) => {
    const { operation } = node.find((edge) => edge.from === from) ?? free.shift()!;
    return { from, operation };
  });
}

function formatCell(cell: DartsCell): string {
  const text = ({ from, operation }: Edge): string => `${SHORT[OPERATIONS.indexOf(operation)]}~${from}`;
  return nodesOf(cell)
    .map((node) => node.map(text).join('+'))
    .join(',');
}

/** The first of the texts of a cell with its nodes in any order: what comes out has only its channels in another. */
function leastText(cell: DartsCell): string {
  const nodes = nodesOf(cell);
  const texts: string[] = [];
  const place = (order: readonly number[]): void => {
    if (order.length === NODES) {
      const renamed = order.map((node) =>
        inOrder(
          nodes[node]!.map((edge) => ({
            ...edge,
            from: edge.from < 2 ? edge.from : 2 + order.indexOf(edge.from - 2),
          })),
        ),
      );
      texts.push(formatCell(renamed.flat()));
      return;
    }
    nodes.forEach((node, i) => {
      const isFed = node.every(({ from }) => from < 2 || order.includes(from - 2));
      if (isFed && !order.includes(i)) place([...order, i]);
    });
  };
  place([]);
  return texts.sort()[0]!;
}

/**
 * Both cells in one graph, as they are not joined otherwise: the input, each cell as its two inputs, eight operations
 * and its output, and the output. An operation feeds those that read its node, and the output of its cell.
 */
function cell({ normal, reduce }: Darts): Cell {
  const cells = { normal, reduce };
  const size = PART_NODES;
  const ops = ['input', ...PARTS.flatMap((name) => opsOf(name, cells[name])), 'output'];
  const adjacency = ops.map(() => ops.map(() => 0));
  PARTS.forEach((name, part) => {
    const start = 1 + part * size;
    const join = (i: number, j: number): void => {
      adjacency[start + i]![start + j] = 1;
    };
    for (const input of [0, 1]) adjacency[0]![start + input] = 1;
    cells[name].forEach(({ from }, i) => {
      const sources = from < 2 ? [from] : [2 * from - 2, 2 * from - 1];
      for (const source of sources) join(source, 2 + i);
      join(2 + i, size - 1);
    });
    adjacency[start + size - 1]![ops.length - 1] = 1;
  });
  return { ops, adjacency };
}

/** Two operations of a node are in order of what they read. */
function fromCell({ ops, adjacency }: Cell): Darts | undefined {
  if (ops.length !== 2 * PART_NODES + 2) return undefined;
  const [normal, reduce] = PARTS.map((_, part) => {
    const start = 1 + part * PART_NODES;
    return Array.from({ length: 2 * NODES }, (_, i): Edge => {
      const source = adjacency.findIndex((row, from) => from >= start && row[start + 2 + i] === 1) - start;
      // Of a node that is read, the first of its two operations is found.
      const from = source < 2 ? source : source / 2 + 1;
      return { from, operation: ops[start + 2 + i] as Operation };
    });
  });
  const found = { normal: normal!, reduce: reduce! };
  const isKnown = [...found.normal, ...found.reduce].every(
    ({ from, operation }) => Number.isInteger(from) && from >= 0 && OPERATIONS.includes(operation),
  );
  if (!isKnown || ![found.normal, found.reduce].every(hasInputs)) return undefined;
  const wanted = cell(found);
  return String(wanted.ops) === String(ops) && String(wanted.adjacency) === String(adjacency)
    ? found
    : undefined;
}

/** Each node reads two different ones before it. */
function hasInputs(edges: DartsCell): boolean {
  return nodesOf(edges).every(([a, b], node) => PAIRS[node]!.has(`${a!.from},${b!.from}`));
}

/** What a cell reads, the cells before the last and the last, and what it puts out. */
function endsOf(name: (typeof PARTS)[number]): [string, string, string] {
  return [`${name}_c_k-2`, `${name}_c_k-1`, `${name}_output`];
}

function opsOf(name: (typeof PARTS)[number], edges: DartsCell): string[] {
  const [before, last, output] = endsOf(name);
  return [before, last, ...edges.map((edge) => edge.operation), output];
}

function parse(text: string): Darts {
  const [normal, reduce] = cellTexts(text).map((edges, i) => parseCell(text, edges, CELL_NAMES[i]!));
  return { normal: normal!, reduce: reduce! };
}

/** The texts of the two cells as edges op~i, whatever notation they are in. */
function cellTexts(text: string): readonly string[][] {
  const trimmed = text.trim();
  if (trimmed.startsWith('Genotype')) {
    return ['normal', 'reduce'].map((name) => {
      const list = trimmed.match(new RegExp(`\\b${name}\\s*=\\s*\\[([^\\]]*)\\]`))?.[1];
      if (list === undefined) throw archError(NAME, text, `the genotype has no list '${name}'`);
      const concat = trimmed.match(
        new RegExp(`\\b${name}_concat\\s*=\\s*(range\\([^)]*\\)|\\[[^\\]]*\\])`),
      )?.[1];
      if (concat !== undefined && !/^(range\(2,6\)|\[2,3,4,5\])$/.test(concat.replaceAll(' ', ''))) {
        throw archError(NAME, text, `${name}_concat is ${concat}, but the output joins all four nodes`);
      }
      return [...list.matchAll(/\(\s*['"]([^'"]*)['"]\s*,\s*(\d+)\s*\)/g)].map(
        ([, op, from]) => `${op}~${from}`,
      );
    });
  }
  if (trimmed.startsWith('[')) {
    const lists = trimmed.slice(1, -1).split(/\]\s*,\s*\[(?=\s*\()/);
    if (lists.length !== 2) throw archError(NAME, text, `it has ${lists.length} lists of pairs, not 2`);
    return lists.map((list) =>
      [...list.matchAll(/\(\s*(\d+)\s*,\s*(\d+)\s*\)/g)].map(
        ([, from, op]) => `${OPERATIONS[Number(op)] ?? op}~${from}`,
      ),
    );
  }
  const cells = trimmed.split('/');
  if (cells.length !== 2) throw archError(NAME, text, `it has ${cells.length} cells joined by '/', not 2`);
  return cells.map((part, i) => {
    const nodes = part.split(',').map((node) => node.split('+'));
    const odd = nodes.find((edges) => edges.length !== 2);
    if (odd === undefined) return nodes.flat();
    const where = `'${odd.join('+')}' of the ${CELL_NAMES[i]} cell`;
    throw archError(NAME, text, `${where} has ${odd.length} edges joined by '+', not 2`);
  });
}

function parseCell(text: string, edges: readonly string[], name: string): DartsCell {
  if (edges.length !== 2 * NODES) {
    throw archError(NAME, text, `the ${name} cell has ${edges.length} edges, not ${2 * NODES}`);
  }
  const cell = edges.map((edge, i): Edge => {
    const [op = '', from = ''] = edge.trim().split('~');
    const index = Math.max(SHORT.indexOf(op as never), OPERATIONS.indexOf(op as Operation));
    const operation = OPERATIONS[index];
    if (operation === undefined) {
      throw archError(NAME, text, `unknown operation '${op}'`, `choose from ${SHORT.join(', ')}`);
    }
    const node = Math.floor(i / 2);
    if (!/^\d$/.test(from) || Number(from) > node + 1) {
      throw archError(
        NAME,
        text,
        `node ${node + 1} of the ${name} cell reads '${from}', not one of 0 to ${node + 1}`,
      );
    }
    return { from: Number(from), operation };
  });
  return nodesOf(cell).flatMap((node, i) => {
    if (node[0]!.from !== node[1]!.from) return inOrder(node);
    throw archError(NAME, text, `node ${i + 1} of the ${name} cell reads ${node[0]!.from} twice`);
  });
}
