// Sizes of a network that can be changed: those that the file leaves open, and batch, resolution and length of inputs
// that it fixes.
import { isKnown, namesIn } from '../../../src/graph/dim.js';
import { isTensor, type Shape } from '../../../src/graph/types.js';
import type { Network, Sizes } from '../../../src/networks/index.js';
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
 * The network at chosen sizes. What a file leaves open and nobody chose is settled.
 *
 * @throws AuspexError if shapes do not fit
 */
export function networkAt(network: Network, knobs: readonly Knob[], chosen: ChosenKnobs): Network {
  const changed = knobs.filter(({ name, value }) => chosen[name] !== undefined && chosen[name] !== value);
  const dims: Record<string, number> = {};
  for (const { name, isOpen } of changed) if (isOpen) dims[name] = chosen[name]!;
  const fixed = changed.filter(({ isOpen }) => !isOpen);
  if (fixed.length > 0 && network.arch !== undefined && network.file === undefined) {
    const sizes: Sizes = Object.fromEntries(fixed.map(({ name }) => [name, chosen[name]!]));
    return network.at(sizes);
  }
  const shapes: Record<string, (number | string)[]> = {};
  for (const { name, kind, value } of fixed) {
    for (const [input, shape, dtype] of inputShapes(network)) {
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
  return (Object.keys(sizes).length === 0 ? network : network.at(sizes)).settled();
}
