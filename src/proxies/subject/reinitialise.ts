// A network with fresh weights: which ones is decided by what each constant is to the network, so that any file can be
// scored as it was before training.
import type { Model } from '../../graph/graph.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import { type Initialiser, normal, ones, uniform, zeros } from '../../nn/initialise.js';
import { streamFor } from '../../nn/stream.js';
import { floatData } from '../../transform/tensor-data.js';
import type { Random } from '../../util/random.js';
import type { Role } from './weights.js';

/**
 * How weights begin. `default` is PyTorch's own: Conv and Linear uniform within ±1/√fan_in, and so their biases;
 * embeddings N(0, 1); scales 1 and shifts 0; other tables N(0, 0.02²). `normal` is that of NASWOT's code: weights of
 * layers N(0, 1), their biases 0, the rest as `default`.
 */
export type Initialisation = 'default' | 'normal';

/**
 * Draws are by the order of constants as nodes use them, not by name, so that renaming changes nothing. Only what is drawn
 * counts: shapes and axes, which exporters write in different numbers, do not.
 */
export function reinitialise(
  model: Model,
  roles: ReadonlyMap<string, Role>,
  { seed, how }: { readonly seed: number; readonly how: Initialisation },
): Model {
  const { graph } = model;
  const initializers = new Map(graph.initializers);
  const drawn = { weights: 0, embeddings: 0, tables: 0 };
  for (const name of inOrder(model)) {
    const role = roles.get(name)!;
    const initialise = initialiserOf(role, how);
    if (initialise === undefined) continue;
    const list = listOf(role);
    initializers.set(
      name,
      fresh(initializers.get(name)!, role, initialise, streamFor(seed, list, drawn[list]++)),
    );
  }
  return { ...model, graph: { ...graph, initializers } };
}

/** Tables are numbered apart: exporters read tokens and positions in either order. */
function listOf({ kind }: Role): 'weights' | 'embeddings' | 'tables' {
  return kind === 'embedding' ? 'embeddings' : kind === 'table' ? 'tables' : 'weights';
}

function inOrder({ graph }: Model): string[] {
  const used = graph.nodes.flatMap((node) => node.inputs);
  return [...new Set(used)].filter((name) => graph.initializers.has(name));
}

/** Matrices are drawn as (in, out), however the file stores them. */
function fresh(tensor: Tensor, role: Role, initialise: Initialiser, random: Random): Tensor {
  const { name, dtype, dims, metadata } = tensor;
  const times = role.kind === 'table' ? repeats(tensor) : 1;
  if (times > 1) {
    const [, ...rest] = dims;
    const once = Array.from(initialise(random, [1, ...rest]));
    const values = Float64Array.from({ length: times * once.length }, (_, i) => once[i % once.length]!);
    return { ...fromNumbers(name, dtype, dims, values), ...(metadata && { metadata }) };
  }
  const isTurned = role.kind === 'weight' && role.isOutFirst;
  const drawn = initialise(random, isTurned ? [...dims].reverse() : dims);
  const values = isTurned ? turned(drawn, dims as [number, number]) : drawn;
  return { ...fromNumbers(name, dtype, dims, values), ...(metadata && { metadata }) };
}

/** How often a table (n, 1, d) holds the same rows: exporters write a token once, or once for every sample. */
function repeats(tensor: Tensor): number {
  const { dims } = tensor;
  const [first = 1] = dims;
  if (dims.length < 3 || first === 1) return 1;
  const data = floatData(tensor);
  const size = data.length / first;
  return data.every((value, i) => value === data[i % size]) ? first : 1;
}

/** The elements of a matrix of some sizes, given its transpose. */
function turned(values: ArrayLike<number>, [rows, columns]: readonly [number, number]): Float64Array {
  return Float64Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    return values[column * rows + row]!;
  });
}

function initialiserOf(role: Role, how: Initialisation): Initialiser | undefined {
  const bounded = (fanIn: number): Initialiser => uniform(-1 / Math.sqrt(fanIn), 1 / Math.sqrt(fanIn));
  switch (role.kind) {
    case 'weight':
      return how === 'normal' ? normal(0, 1) : bounded(role.fanIn);
    case 'other':
      return bounded(role.fanIn);
    case 'bias':
      return how === 'normal' ? zeros : bounded(role.fanIn);
    case 'embedding':
    case 'copy':
      return normal(0, 1);
    case 'table':
      return normal(0, 0.02);
    case 'scale':
    case 'variance':
      return ones;
    case 'shift':
    case 'mean':
      return zeros;
    case 'setting':
      return undefined;
  }
}
