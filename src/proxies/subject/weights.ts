// What the constants of a network are to it: which are weights of layers, which biases, scales, shifts, tables. Found
// from the nodes that use them; the only names that matter are those of operators.
import { valuesRead } from '../../analysis/dependence.js';
import type { ConstantKind } from '../../analysis/parameters.js';
import { isKnown } from '../../graph/dim.js';
import { isFloat } from '../../graph/dtype.js';
import type { Model, Node } from '../../graph/graph.js';
import { elementCount, type Tensor } from '../../graph/tensor.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { type InputRole, inputsOf, traitsOf } from '../../ops/index.js';
import type { Arithmetic, Movement } from '../../ops/traits.js';
import { type Links, linksOf } from './value-links.js';

/** Where a layer is applied. */
interface LayerUse {
  readonly node: Node;
  /** What comes out, a bias added. */
  readonly output: string;
  /** The axis of the output that runs over channels: 1 behind a convolution, the last behind a product. */
  readonly channelAxis: number;
}

/** A convolution or a product with a weight; several where the weight is shared. */
export interface Layer {
  /** The name of the weight. */
  readonly weight: string;
  readonly dims: readonly number[];
  /** How many numbers meet in one output. */
  readonly fanIn: number;
  readonly uses: readonly LayerUse[];
}

/** What a constant is. `fanIn` is that of the layer it belongs to. */
export type Role =
  | { readonly kind: 'bias'; readonly fanIn: number }
  /** `isOutFirst`: a matrix that is stored as (out, in), and turned before it is multiplied with. */
  | { readonly kind: 'weight'; readonly fanIn: number; readonly isOutFirst: boolean }
  /** A parameter of an operator that is no layer here, such as a recurrent one. */
  | { readonly kind: 'other'; readonly fanIn: number }
  /** A table that is looked up: an embedding. */
  | { readonly kind: 'embedding' }
  /** What is multiplied with, per channel, or added: of normalisations and others. */
  | { readonly kind: 'scale' | 'shift' }
  /** A table that is added or put beside: positions, tokens. */
  | { readonly kind: 'table' }
  /** Running statistics. */
  | { readonly kind: 'mean' | 'variance' }
  /** A second copy of a parameter, in another layout. */
  | { readonly kind: 'copy' }
  /** Not learned. */
  | { readonly kind: 'setting' };

interface Weights {
  readonly layers: readonly Layer[];
  readonly roles: ReadonlyMap<string, Role>;
}

/** What only changes how a weight is stored; rows of a table, or what is padded or quantised, are no weights of layers. */
const REARRANGES: ReadonlySet<Movement | undefined> = new Set([
  ...(['same', 'type', 'shape', 'axes', 'broadcast', 'repeat', 'part', 'join'] as const),
]);

const LOOKS_UP: ReadonlySet<Movement | undefined> = new Set(['rows', 'lookup']);
/** What a table of tokens or positions is put beside others with. */
const PUT_BESIDE: ReadonlySet<Movement | undefined> = new Set(['join', 'broadcast', 'repeat']);
const SCALES: ReadonlySet<Arithmetic | undefined> = new Set(['multiply', 'divide']);
const SHIFTS: ReadonlySet<Arithmetic | undefined> = new Set(['add', 'subtract']);

interface Use {
  readonly node: Node;
  readonly slot: number;
}

/**
 * Judges the constants of a model without functions.
 *
 * @param kinds what is known of them as constants; those that are missing are settings.
 */
export function findWeights(
  model: Model,
  types: ReadonlyMap<string, ValueType>,
  kinds: ReadonlyMap<string, ConstantKind>,
): Weights {
  const { graph } = model;
  const links = linksOf(model);
  const isFixed = (name: string): boolean => name === '' || links.isFixed(name);
  const sources = new Map<string, readonly string[]>();
  for (const name of graph.initializers.keys()) sources.set(name, [name]);
  const uses = new Map<string, Use[]>();
  for (const node of graph.nodes) {
    const { moves } = traitsOf(node);
    if (REARRANGES.has(moves) && valuesRead(node).every(isFixed)) {
      const from = moves === 'join' ? node.inputs : node.inputs.slice(0, 1);
      const found = [...new Set(from.flatMap((name) => sources.get(name) ?? []))];
      for (const output of node.outputs) sources.set(output, found);
      continue;
    }
    node.inputs.forEach((name, slot) => {
      for (const source of sources.get(name) ?? []) {
        const list = uses.get(source);
        if (list) list.push({ node, slot });
        else uses.set(source, [{ node, slot }]);
      }
    });
  }

  const learned = valuesOfData(model, types);
  const roles = new Map<string, Role>();
  const layers: Layer[] = [];
  for (const [name, tensor] of graph.initializers) {
    const found = (uses.get(name) ?? []).filter(({ node }) => node.outputs.some((out) => learned.has(out)));
    const role = roleOf(tensor, kinds.get(name), found, types, links);
    roles.set(name, role);
    if (role.kind !== 'weight') continue;
    const applied = found.filter(isProduct).map(({ node }) => layerUse(node, links, sources, types));
    layers.push({ weight: name, dims: tensor.dims, fanIn: role.fanIn, uses: applied });
  }
  // Biases once the layers are known, as their fan is that of the weight.
  for (const [name, found] of uses) {
    const role = roles.get(name)!;
    if (role.kind !== 'shift' && role.kind !== 'table') continue;
    const fanIn = biasFan(found, layers);
    if (fanIn !== undefined) roles.set(name, { kind: 'bias', fanIn });
  }
  return { layers: inOrderOfUse(layers, graph.nodes), roles };
}

/**
 * Values whose elements reach an end of the graph as floats. Others are settings: numbers that shapes, axes and bounds are made of,
 * which must not be drawn anew.
 */
function valuesOfData({ graph }: Model, types: ReadonlyMap<string, ValueType>): ReadonlySet<string> {
  const isFloatValue = (name: string): boolean => {
    const type = types.get(name);
    return isTensor(type) && type.dtype !== undefined && isFloat(type.dtype);
  };
  const read = new Set(graph.nodes.flatMap((node) => node.inputs));
  // What nobody reads is no setting of anything.
  const ends = graph.nodes.flatMap((node) => node.outputs).filter((name) => !read.has(name));
  const found = new Set([...graph.outputs.map(({ name }) => name), ...ends]);
  for (const node of [...graph.nodes].reverse()) {
    if (!node.outputs.some((name) => found.has(name) && isFloatValue(name))) continue;
    const inputs = inputsOf(node);
    node.inputs.forEach((name, slot) => {
      if (name !== '' && inputs.role(slot) !== 'setting' && isFloatValue(name)) found.add(name);
    });
  }
  return found;
}

/** Whether an input holds a layer's weight, where it is constant: either factor of a product, the kernel of a convolution. */
function isProduct(use: Use): boolean {
  const { product, convolution } = traitsOf(use.node);
  const role = inputRole(use);
  if (product !== undefined) return role === 'data' || role === 'weight';
  return (convolution === 'plain' || convolution === 'transposed') && role === 'weight';
}

function inputRole({ node, slot }: Use): InputRole {
  return inputsOf(node).role(slot);
}

function isConvolution(node: Node): boolean {
  return traitsOf(node).convolution !== undefined;
}

function roleOf(
  tensor: Tensor,
  kind: ConstantKind | undefined,
  uses: readonly Use[],
  types: ReadonlyMap<string, ValueType>,
  links: Links,
): Role {
  if (!isFloat(tensor.dtype) || uses.length === 0) return { kind: 'setting' };
  if (kind === 'statistic')
    return { kind: uses.some((use) => inputRole(use) === 'variance') ? 'variance' : 'mean' };
  if (kind === 'tied') return { kind: 'copy' };
  if (kind !== 'parameter') return { kind: 'setting' };
  // One number of several places, such as the 1 of 1 − x, is shared by an exporter that writes equal constants once.
  if (elementCount(tensor) === 1 && uses.length > 1) return { kind: 'setting' };
  const lookups = uses.filter(({ node, slot }) => slot === 0 && LOOKS_UP.has(traitsOf(node).moves));
  // Rows that are the same for all inputs are positions: some exporters read them, others write what was read.
  const isTable = lookups.every(({ node }) => node.inputs.slice(1).every(links.isFixed));
  if (lookups.length > 0) return { kind: isTable ? 'table' : 'embedding' };
  const recurrent = uses.find(({ node }) => traitsOf(node).recurrent)?.node.attributes.get('hidden_size');
  // PyTorch's bound is the same for all that such a layer has.
  if (recurrent?.type === 'int') return { kind: 'other', fanIn: Number(recurrent.value) };
  const product = uses.find(isProduct);
  if (product && tensor.dims.length >= 2) {
    const fanIn = fanInOf(tensor, product, types);
    return { kind: 'weight', fanIn, isOutFirst: isOutFirst(tensor, product, links) };
  }
  const isVector = tensor.dims.filter((d) => d !== 1).length <= 1;
  for (const use of uses) {
    const { normalisation, arithmetic } = traitsOf(use.node);
    const role = inputRole(use);
    if (normalisation !== undefined) return { kind: role === 'scale' ? 'scale' : 'shift' };
    if ((SCALES.has(arithmetic) || role === 'scale') && isVector) return { kind: 'scale' };
    if ((SHIFTS.has(arithmetic) || role === 'bias') && isVector) return { kind: 'shift' };
  }
  const isAdded = uses.some(({ node }) => {
    const { arithmetic, moves } = traitsOf(node);
    return SHIFTS.has(arithmetic) || arithmetic === 'select' || PUT_BESIDE.has(moves);
  });
  return isAdded ? { kind: 'table' } : { kind: 'other', fanIn: tensor.dims.at(-1) ?? 1 };
}

/** How many numbers meet in one output of a layer. The weight may come to it turned, or in another shape. */
function fanInOf(tensor: Tensor, { node, slot }: Use, types: ReadonlyMap<string, ValueType>): number {
  const type = types.get(node.inputs[slot]!);
  const shape = isTensor(type) ? type.shape : undefined;
  const dims = shape && shape.length >= 2 && shape.every(isKnown) ? shape : tensor.dims;
  // (out, in/g, …kernel), and (in, out/g, …kernel) of a transposed one, where PyTorch takes the same for its fan.
  if (isConvolution(node)) return elementCount({ dims }) / dims[0]!;
  const equation = node.attributes.get('equation');
  if (typeof equation?.value === 'string') return summedOver(equation.value, slot, dims);
  const flag = node.attributes.get(slot === 0 ? 'transA' : 'transB');
  const isTransposed = flag?.type === 'int' && Number(flag.value) !== 0;
  // x·W: W is (in, out), unless it is transposed; W·x: (out, in).
  return dims.at((slot === 1) === isTransposed ? -1 : -2)!;
}

/** Whether a matrix is turned on its way into x·W, by its product or before. */
function isOutFirst({ name, dims }: Tensor, { node, slot }: Use, { producers, nodes }: Links): boolean {
  if (dims.length !== 2 || slot !== 1 || isConvolution(node)) return false;
  const flag = node.attributes.get('transB');
  let isTurned = flag?.type === 'int' && Number(flag.value) !== 0;
  for (let value = node.inputs[slot]!; value !== name; ) {
    const from = nodes[producers.get(value) ?? -1];
    if (from === undefined) return isTurned;
    if (traitsOf(from).moves === 'axes') isTurned = !isTurned;
    value = from.inputs[0]!;
  }
  return isTurned;
}

/** How many elements of an operand one number of Einsum's result is a sum over. */
function summedOver(equation: string, slot: number, dims: readonly number[]): number {
  const [left = '', right] = equation.replaceAll(' ', '').split('->');
  // Without an arrow the result has the letters that occur once. Dimensions under an ellipsis are never summed over.
  const isKept = (letter: string): boolean =>
    right === undefined ? left.split(letter).length === 2 : right.includes(letter);
  const [before = '', after = ''] = (left.split(',')[slot] ?? '').split('...');
  const sizes = [
    ...[...before].map((letter, i) => [letter, dims[i]!] as const),
    ...[...after].map((letter, i) => [letter, dims.at(i - after.length)!] as const),
  ];
  return sizes.reduce((n, [letter, size]) => (isKept(letter) ? n : n * size), 1);
}

/** Where a layer's output is: behind the addition of its bias. */
function layerUse(
  node: Node,
  { readersOf }: Links,
  sources: ReadonlyMap<string, unknown>,
  types: ReadonlyMap<string, ValueType>,
): LayerUse {
  const own = node.outputs[0]!;
  const readers = readersOf(own);
  const [add] = readers;
  const type = types.get(own);
  const rank = isTensor(type) ? (type.rank ?? 2) : 2;
  const isBiased =
    readers.length === 1 &&
    traitsOf(add!).arithmetic === 'add' &&
    add!.inputs.some((name) => name !== own && sources.has(name));
  return {
    node,
    output: isBiased ? add!.outputs[0]! : own,
    channelAxis: isConvolution(node) ? 1 : rank - 1,
  };
}

/** The fan of the layer that a vector is the bias of. */
function biasFan(uses: readonly Use[], layers: readonly Layer[]): number | undefined {
  for (const use of uses) {
    const { node } = use;
    const isOwn = inputRole(use) === 'bias';
    if (!isOwn && traitsOf(node).arithmetic !== 'add') continue;
    const layer = layers.find((l) =>
      l.uses.some((own) => own.node === node || (!isOwn && own.output === node.outputs[0])),
    );
    if (layer) return layer.fanIn;
  }
  return undefined;
}

/** As they are first used, whatever they are called and however the file lists them. */
function inOrderOfUse(layers: readonly Layer[], nodes: readonly Node[]): Layer[] {
  const position = new Map(nodes.map((node, i) => [node, i]));
  const first = (layer: Layer): number => position.get(layer.uses[0]!.node)!;
  return [...layers].sort((a, b) => first(a) - first(b));
}
