// Layers of graph neural networks on dense graphs: features (B, n, d) of n nodes, an adjacency (B, n, n) whose row i
// says from whom node i gathers. With A[i][j] = 1 for an edge i → j, A gathers from successors and Aᵀ
// (`transposeLast()`) from predecessors.
//
// Graphs smaller than n are padded: rows and columns of zeros in A, zeros in the mask (B, n). With a mask what comes
// out is zero at padded nodes, so that sums over nodes hold.
import { isKnown } from '../graph/dim.js';
import type { Value } from '../ops/build.js';
import { zeros } from './initialise.js';
import { type LinearOptions, linear } from './linear.js';
import type { Scope } from './scope.js';

/** The options of a linear layer hold for all products with weights. */
export interface GraphOptions extends LinearOptions {
  /** (B, n): which nodes exist, as booleans or as 0 and 1. */
  readonly mask?: Value;
}

/** (B, n, d) with zeros at nodes that do not exist. */
function masked(x: Value, mask: Value | undefined): Value {
  return mask === undefined ? x : x.mul(mask.cast(x.dtype).unsqueeze([-1]));
}

/** Kipf & Welling 2017: y = A·X·W + b, (B, n, d) → (B, n, out). For their Â see `normalisedAdjacency`. */
export function gcn(s: Scope, x: Value, adjacency: Value, out: number, options: GraphOptions = {}): Value {
  const { bias = true, mask } = options;
  const y = adjacency.matmul(linear(s, x, out, { ...options, bias: false }));
  return masked(bias ? y.add(s.parameter('bias', [out], options.biasInit ?? zeros)) : y, mask);
}

/**
 * The graph convolution of NN-Former (Xu et al. 2025), half of the channels for each direction:
 * [V₁ V₂] = X·W + b, y = [A·V₁, Aᵀ·V₂], (B, n, d) → (B, n, out). `out` must be even.
 */
export function bidirectionalGcn(
  s: Scope,
  x: Value,
  adjacency: Value,
  out: number,
  options: GraphOptions = {},
): Value {
  const [forward, backward] = linear(s, x, out, options).split([out / 2, out / 2], -1);
  const both = [adjacency.matmul(forward!), adjacency.transposeLast().matmul(backward!)];
  return masked(s.builder.concat(both, -1), options.mask);
}

/**
 * GIN (Xu et al. 2019): y = mlp((1 + ε)·X + A·X), ε trained from 0.
 *
 * @param mlp (B, n, d) → (B, n, out), with parameters of its own under `mlp.`
 */
export function gin(
  s: Scope,
  x: Value,
  adjacency: Value,
  mlp: (s: Scope, x: Value) => Value,
  { mask }: Pick<GraphOptions, 'mask'> = {},
): Value {
  const root = x.mul(s.parameter('eps', [], zeros).add(1));
  return masked(mlp(s.at('mlp'), root.add(adjacency.matmul(x))), mask);
}

/** k-GNN with k = 1 (Morris et al. 2019): y = X·W₁ + A·X·W₂ + b, (B, n, d) → (B, n, out). */
export function graphConv(
  s: Scope,
  x: Value,
  adjacency: Value,
  out: number,
  options: GraphOptions = {},
): Value {
  const root = linear(s.at('root'), x, out, { ...options, bias: false });
  const neighbours = linear(s.at('neighbours'), adjacency.matmul(x), out, options);
  return masked(root.add(neighbours), options.mask);
}

export interface SageOptions extends GraphOptions {
  /** Gives the features of every node a Euclidean length of 1. */
  readonly normalise?: boolean;
}

/**
 * GraphSAGE with the mean (Hamilton et al. 2017): y = X·W₁ + mean(neighbours of X)·W₂ + b, (B, n, d) → (B, n, out).
 * The mean over no neighbours is 0.
 */
export function graphSage(
  s: Scope,
  x: Value,
  adjacency: Value,
  out: number,
  options: SageOptions = {},
): Value {
  const y = graphConv(s, x, normalisedAdjacency(adjacency, 'mean'), out, options);
  return options.normalise ? unitLength(y) : y;
}

/** x/‖x‖₂ along the last dimension; zeros stay zeros. */
export function unitLength(x: Value): Value {
  return x.builder.op('LpNormalization', [x], { axis: -1, p: 2 });
}

/**
 * An adjacency divided by degrees D, the sums of its rows, (B, n, n) → (B, n, n):
 *
 * - `mean`: D⁻¹·A, rows of zeros staying zero
 * - `meanWithSelf`: the same of A + I
 * - `symmetric`: D^−½·(A + I)·D^−½ with D that of A + I (Kipf & Welling 2017)
 *
 * Layers of one depth after another share it: compute it once.
 */
export function normalisedAdjacency(adjacency: Value, kind: 'mean' | 'meanWithSelf' | 'symmetric'): Value {
  const withSelf = kind === 'mean' ? adjacency : adjacency.add(identityLike(adjacency));
  const degree = withSelf.sum([-1], true);
  if (kind === 'mean') return withSelf.div(degree.builder.where(degree.equal(0), 1, degree));
  if (kind === 'meanWithSelf') return withSelf.div(degree);
  const inverse = degree.sqrt().reciprocal();
  return withSelf.mul(inverse).mul(inverse.transposeLast());
}

/** I of the size of the last two dimensions: (B, n, n) → (n, n). */
export function identityLike(matrices: Value): Value {
  const { builder, dtype } = matrices;
  const n = matrices.size(-1);
  const like = isKnown(n) ? builder.full([n, n], 0, dtype) : matrices.slice([0], [1], [0]).squeeze([0]);
  return builder.op('EyeLike', [like]);
}

/** The mean over the nodes that exist, (B, n, d) → (B, d). */
export function nodeMean(x: Value, mask?: Value): Value {
  if (mask === undefined) return x.mean([1]);
  const weights = mask.cast(x.dtype);
  const shares = weights.div(weights.sum([-1], true));
  return shares.unsqueeze([1]).matmul(x).squeeze([1]);
}
