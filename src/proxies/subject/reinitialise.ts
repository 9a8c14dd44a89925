// A network with fresh weights: which ones is decided by what each constant is to the network, so that any file can be
// scored as it was before training.
import type { Model } from '../../graph/graph.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import { type Initialiser, normal, ones, uniform, zeros } from '../../nn/initialise.js';
import { streamFor } from '../../nn/stream.js';
import type { Role } from './weights.js';

/**
 * How weights begin. `default` is PyTorch's own: Conv and Linear uniform within ±1/√fan_in, and so their biases;
 * embeddings N(0, 1); scales 1 and shifts 0; other tables N(0, 0.02²). `normal` is that of NASWOT's code: weights of
 * layers N(0, 1), their biases 0, the rest as `default`.
 */
export type Initialisation = 'default' | 'normal';

/** Draws are by the order of constants as nodes use them, not by name, so that renaming changes nothing. */
export function reinitialise(
  model: Model,
  roles: ReadonlyMap<string, Role>,
  { seed, how }: { readonly seed: number; readonly how: Initialisation },
): Model {
  const { graph } = model;
  const initializers = new Map(graph.initializers);
  inOrder(model).forEach((name, position) => {
    const tensor = initializers.get(name)!;
    const initialise = initialiserOf(roles.get(name)!, how);
    if (initialise) initializers.set(name, fresh(tensor, initialise, seed, position));
  });
  return { ...model, graph: { ...graph, initializers } };
}

function inOrder({ graph }: Model): string[] {
  const used = graph.nodes.flatMap((node) => node.inputs);
  return [...new Set(used)].filter((name) => graph.initializers.has(name));
}

function fresh(tensor: Tensor, initialise: Initialiser, seed: number, position: number): Tensor {
  const { name, dtype, dims, metadata } = tensor;
  const values = initialise(streamFor(seed, 'weights', position), dims);
  return { ...fromNumbers(name, dtype, dims, values), ...(metadata && { metadata }) };
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
