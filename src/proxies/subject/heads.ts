// What a network gives out, as a loss compares it: one head for every output that counts, or for every part that an
// output is joined from. A head is taken before the Softmax or Sigmoid at the end, also where Reshape, Transpose, Flatten
// or Squeeze come behind it: gradients through a saturated end are zero.
import { isKnown } from '../../graph/dim.js';
import { isFloat } from '../../graph/dtype.js';
import { type Model, type Node, nodeLabel } from '../../graph/graph.js';
import { isTensor, type TensorType, type ValueType } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';
import type { Movement } from '../../ops/traits.js';
import { AuspexError } from '../../util/errors.js';
import { type Evidence, judged, type LossKind } from './head-evidence.js';
import { type Links, linksOf, product, valueSizes } from './value-links.js';

/** A value that a loss compares with labels or targets. */
export interface Head {
  /** The output that it belongs to. */
  readonly output: string;
  /** The value that is compared. */
  readonly name: string;
  readonly dims: readonly number[];
  readonly loss: LossKind;
  /** Why that loss, as a sentence without a full stop. */
  readonly why: string;
  /** The axis of classes, where there are some; otherwise the last. */
  readonly axis: number;
  readonly classes: number;
  /** Rows: all elements but those of one axis. */
  readonly rows: number;
}

interface HeadOptions {
  /** `auto` by default: by what is found in the network. */
  readonly loss?: LossKind | 'auto' | undefined;
  /** An output was named to be the logits. */
  readonly isNamed?: boolean;
  /** Classes of samples were given. */
  readonly hasLabels?: boolean;
}

/** More parts of one output are not told apart. */
const MOST_PARTS = 32;

/** The same elements, elsewhere. */
const PASSES: ReadonlySet<Movement | undefined> = new Set(['same', 'shape', 'axes', 'type']);
/** Some of them. */
const PARTS: ReadonlySet<Movement | undefined> = new Set(['part', 'rows']);

/** What stands at the end of a head. */
interface End {
  /** What goes into it; the value itself where there is none. */
  readonly name: string;
  readonly by?: 'softmax' | 'sigmoid' | 'tanh';
  /** Of a softmax. */
  readonly axis?: number;
}

/** The heads of a model without functions, all sizes known; the one with most layers before it comes first. */
export function findHeads(
  model: Model,
  types: ReadonlyMap<string, ValueType>,
  { loss = 'auto', isNamed = false, hasLabels = false }: HeadOptions,
): readonly [Head, ...Head[]] {
  const links = linksOf(model);
  const outputs = countedOutputs(model, types, links);
  const tables = tableRows(links, types);
  const heads = outputs.flatMap((output) => {
    const ends = endsOf(output, links, types);
    return ends.map(({ name, by, axis }): Head => {
      const dims = knownSizes(name, types, links);
      const evidence: Evidence = {
        output,
        dims,
        end: by,
        softmaxAxis: axis,
        last: lastStep(name, links),
        isOnly: outputs.length === 1 && ends.length === 1,
        tables,
        ...{ isNamed, hasLabels, wanted: loss === 'auto' ? undefined : loss },
      };
      const found = judged(evidence);
      const classes = dims[found.axis] ?? 1;
      return { output, name, dims, ...found, classes, rows: product(dims) / classes };
    });
  });
  const depth = new Map(heads.map((head) => [head, layersBefore(head.name, links)]));
  const main = heads.reduce((best, head) => (depth.get(head)! > depth.get(best)! ? head : best));
  return [main, ...heads.filter((head) => head !== main)];
}

/**
 * Outputs that depend on the input, less values that others are computed from (attention weights, keys and values) and
 * states that go in again: outputs of the sizes of a later input.
 */
function countedOutputs(
  { graph }: Model,
  types: ReadonlyMap<string, ValueType>,
  links: Links,
): readonly string[] {
  const names = [...new Set(graph.outputs.map(({ name }) => name))];
  if (names.length === 1) return names;
  const open = names.filter((name) => !links.isFixed(name));
  const before = new Map(open.map((name) => [name, links.ancestors(name)]));
  const ends = open.filter((name) => !open.some((other) => other !== name && before.get(other)!.has(name)));
  const states = new Set(graph.inputs.slice(1).map(({ name }) => String(valueSizes(types, name))));
  const results = ends.filter((name) => !states.has(String(valueSizes(types, name))));
  return [results, ends, open, names].find((list) => list.length > 0)!;
}

function endsOf(output: string, links: Links, types: ReadonlyMap<string, ValueType>): End[] {
  const found = walked(output, links, types);
  return found.length <= MOST_PARTS ? found : [{ name: plainName(output, links) }];
}

function walked(output: string, links: Links, types: ReadonlyMap<string, ValueType>): End[] {
  let name = output;
  for (let node = producerOf(name, links); node !== undefined; node = producerOf(name, links)) {
    const { moves, softmax, activation, reduction } = traitsOf(node);
    const [input = ''] = node.inputs;
    const type = types.get(input);
    if (!isTensor(type) || !isFloat(type.dtype ?? 'int64')) break;
    if (softmax !== undefined) return [{ name: input, by: 'softmax', axis: axisOf(node, type.rank ?? 1) }];
    if (activation === 'sigmoid' || activation === 'tanh') return [{ name: input, by: activation }];
    if (moves === 'join') {
      const parts = node.inputs.filter((part) => !links.isFixed(part));
      const ends = parts.flatMap((part) => walked(part, links, types));
      if (ends.some(({ by }) => by !== undefined)) return ends;
    }
    // A probability that was chosen, or the mean of some, still ends in what made it.
    if (!PASSES.has(moves) && !PARTS.has(moves) && reduction !== 'mean') break;
    name = input;
  }
  return undecoded(output, links) ?? [{ name: plainName(output, links) }];
}

/**
 * What an output was decoded from, where that takes more than arithmetic: the sizes of boxes are exponentials. These are the
 * outputs of the last layers; undefined where nothing is decoded.
 */
function undecoded(output: string, links: Links): End[] | undefined {
  const seen = new Set([output]);
  const ends: string[] = [];
  let isDecoded = false;
  for (const name of seen) {
    const node = producerOf(name, links);
    if (node === undefined) return undefined;
    const { product, convolution, pooling, normalisation, recurrent, attention, ...other } = traitsOf(node);
    if (product !== undefined || convolution !== undefined) {
      ends.push(name);
      continue;
    }
    if (pooling !== undefined || normalisation !== undefined || recurrent || attention) return undefined;
    const { moves, arithmetic, activation, reduction, softmax } = other;
    if (activation !== undefined || reduction !== undefined || softmax !== undefined) return undefined;
    isDecoded ||= moves === undefined && arithmetic === undefined;
    for (const input of node.inputs) if (input !== '' && !links.isFixed(input)) seen.add(input);
  }
  return isDecoded && ends.length > 0 ? ends.map((name) => ({ name })) : undefined;
}

/** An output before what passes it on as it is. */
function plainName(output: string, links: Links): string {
  let name = output;
  for (let node = producerOf(name, links); node !== undefined; node = producerOf(name, links)) {
    if (traitsOf(node).moves !== 'same') break;
    name = node.inputs[0]!;
  }
  return name;
}

function axisOf({ attributes }: Node, rank: number): number {
  const axis = attributes.get('axis');
  const given = axis?.type === 'int' ? Number(axis.value) : -1;
  return given < 0 ? given + rank : given;
}

function producerOf(name: string, { nodes, producers }: Links): Node | undefined {
  const at = producers.get(name);
  return at === undefined ? undefined : nodes[at];
}

/** What computes a value, past rearrangements and the addition of a bias. */
function lastStep(name: string, links: Links): Evidence['last'] {
  for (let node = producerOf(name, links); node !== undefined; ) {
    const { moves, arithmetic, product, convolution, normalisation, pooling, reduction } = traitsOf(node);
    if (product !== undefined || convolution !== undefined) return 'layer';
    if (pooling !== undefined || reduction === 'mean') return 'pooling';
    if (normalisation !== undefined || arithmetic === 'divide') return 'normalisation';
    const open = node.inputs.filter((input) => !links.isFixed(input));
    const isBias = arithmetic === 'add' && open.length === 1;
    if (!PASSES.has(moves) && !isBias) return 'other';
    node = producerOf(open[0]!, links);
  }
  return 'other';
}

/** How many rows the tables have that tokens are looked up in. */
function tableRows(links: Links, types: ReadonlyMap<string, ValueType>): ReadonlySet<number> {
  const rows = links.nodes
    .filter((node) => traitsOf(node).moves === 'rows' && !links.isFixed(node.inputs[1]!))
    .map((node) => valueSizes(types, node.inputs[0]!)[0] ?? 0);
  return new Set(rows);
}

function layersBefore(name: string, links: Links): number {
  const before = links.ancestors(name);
  return links.nodes.filter((node) => {
    const { product, convolution } = traitsOf(node);
    return (product !== undefined || convolution !== undefined) && before.has(node.outputs[0]!);
  }).length;
}

function knownSizes(name: string, types: ReadonlyMap<string, ValueType>, links: Links): readonly number[] {
  const type = types.get(name) as TensorType;
  if (type.shape?.every(isKnown)) return type.shape as readonly number[];
  throw new AuspexError('PROXY_SHAPES', `output '${name}' is ${type}: its sizes are not known`, {
    where: { node: nodeLabel(producerOf(name, links) ?? links.nodes[0]!) },
    hint: 'give the sizes that are symbols',
  });
}
