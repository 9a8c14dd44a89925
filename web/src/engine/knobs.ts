// Sizes of a network that can be changed: those that the file leaves open, and batch, resolution and length of inputs
// that it fixes.
import { isKnown, namesIn } from '../../../src/graph/dim.js';
import { isTensor, type Shape } from '../../../src/graph/types.js';
import type { Network, Sizes } from '../../../src/networks/index.js';
import { withOpenBatch } from './open-batch.js';
import type { ChosenKnobs, Knob } from './protocol.js';

/** Inputs of a network with their shapes, as the file has them. */
function inputShapes(network: Network): [name: string, shape: Shape, dtype: string][] {
  const { graph } = network.inference();
  return graph.inputNames.flatMap((name): [string, Shape, string][] => {
    const type = graph.types.get(name);
    if (graph.initializers.has(name) || !isTensor(type) || type.shape === undefined) return [];
    return [[name, type.shape, type.dtype ?? '']];
  });
}

/** What an axis of an input is; undefined for channels and others that weights decide. */
function kindOfAxis(shape: Shape, axis: number, dtype: string): Knob['kind'] | undefined {
  if (axis === 0) return shape.length > 1 ? 'batch' : undefined;
  if (shape.length === 4) {
    const isChannelsFirst = !isKnown(shape[3]) || !isKnown(shape[1]) || shape[1] <= shape[3];
    return (isChannelsFirst ? axis >= 2 : axis < 3) ? 'resolution' : undefined;
  }
  if (shape.length === 2 && axis === 1 && /int/.test(dtype)) return 'sequence';
  return undefined;
}

const MOST_KNOBS = 12;

export function knobsOf(network: Network): Knob[] {
  const knobs = new Map<string, Knob>();
  const chosen = network.chosenSizes()?.sizes ?? {};
  for (const [name, shape, dtype] of inputShapes(network)) {
    shape.forEach((dim, axis) => {
      const kind = kindOfAxis(shape, axis, dtype);
      for (const symbol of isKnown(dim) ? [] : namesIn(dim)) {
        const value = chosen[symbol];
        if (value === undefined || knobs.has(symbol)) continue;
        knobs.set(symbol, { name: symbol, kind: kind ?? 'other', value, isOpen: true });
      }
      if (!isKnown(dim) || kind === undefined || dim === 0) return;
      const knob = kind === 'batch' ? 'batch' : kind === 'resolution' ? 'resolution' : `${name}[${axis}]`;
      if (!knobs.has(knob)) knobs.set(knob, { name: knob, kind, value: dim, isOpen: false });
    });
  }
  return [...knobs.values()].slice(0, MOST_KNOBS);
}

/**
 * The network at chosen sizes. What a file leaves open and nobody chose is settled. Another batch than the file's is that of
 * a transformed network, which may have other nodes: see `rowsIn`.
 *
 * @throws AuspexError if shapes do not fit, or the batch cannot be another
 */
export function networkAt(network: Network, knobs: readonly Knob[], chosen: ChosenKnobs): Network {
  const changed = knobs.filter(({ name, value }) => chosen[name] !== undefined && chosen[name] !== value);
  const dims: Record<string, number> = {};
  for (const { name, isOpen } of changed) if (isOpen) dims[name] = chosen[name]!;
  const fixed = changed.filter(({ isOpen }) => !isOpen);
  if (fixed.length > 0 && network.arch !== undefined && network.file === undefined) {
    // A space's resolution is also the number of tokens.
    const sizes: Sizes = Object.fromEntries(
      fixed.map(({ name, kind }) => [kind === 'batch' ? 'batch' : 'resolution', chosen[name]!]),
    );
    return network.at(sizes);
  }
  const batch = fixed.find(({ kind }) => kind === 'batch');
  const open = batch && withOpenBatch(network);
  const from = open?.network ?? network;
  if (open) dims[open.name] = chosen[batch.name]!;
  const shapes: Record<string, (number | string)[]> = {};
  for (const { name, kind, value } of fixed) {
    if (kind === 'batch') continue;
    for (const [input, shape, dtype] of inputShapes(from)) {
      shape.forEach((dim, axis) => {
        if (kindOfAxis(shape, axis, dtype) !== kind || dim !== value) return;
        if (kind === 'sequence' && name !== `${input}[${axis}]`) return;
        shapes[input] ??= shape.map((each) => (isKnown(each) ? each : String(each)));
        shapes[input][axis] = chosen[name]!;
      });
    }
  }
  const sizes = {
    ...(Object.keys(dims).length > 0 ? { dims } : {}),
    ...(Object.keys(shapes).length > 0 ? { shapes } : {}),
  };
  return (Object.keys(sizes).length === 0 ? network : from.at(sizes)).settled();
}

/**
 * Where the nodes of a network are in the same network at other sizes: rows of its cost report, −1 for nodes that it does not
 * have. Undefined if all are where they were.
 */
export function rowsIn(resized: Network, network: Network): Int32Array | undefined {
  const [own, now] = [network.settled().cost().nodes, resized.cost().nodes];
  if (own.length === now.length && own.every(({ name }, row) => name === now[row]!.name)) return undefined;
  const rowOf = new Map(now.map(({ name }, row) => [name, row]));
  return Int32Array.from(own, ({ name }) => rowOf.get(name) ?? -1);
}

/** A column of a resized network, in the rows of the network as it was opened. */
export function inRows(values: Float64Array, rows: Int32Array | undefined): Float64Array {
  return rows === undefined ? values : Float64Array.from(rows, (row) => (row < 0 ? 0 : values[row]!));
}
