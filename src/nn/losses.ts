// Losses: scalars, means over all that they compare. Predictions p and targets y have one shape, which is checked:
// (B, 1) against (B) would broadcast to (B, B) and still train, badly.
import type { Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';

function difference(p: Value, y: Value): Value {
  expectSameShape(p, y);
  return p.sub(y);
}

function expectSameShape(p: Value, y: Value): void {
  if (p.hasShape(y.shape)) return;
  throw new AuspexError('LOSS_SHAPE', `predictions [${p.shape}] and targets [${y.shape}] differ in shape`, {
    hint: 'reshape one of them',
  });
}

/** mean((p − y)²) */
export function mse(p: Value, y: Value): Value {
  return difference(p, y).square().mean();
}

/** mean((p/y − 1)²): the squared error relative to the target, as NNLP and NAR-Former V2 train. */
export function relativeSquaredError(p: Value, y: Value): Value {
  return difference(p, y).div(y).square().mean();
}

/** mean(|p − y|) */
export function l1(p: Value, y: Value): Value {
  return difference(p, y).abs().mean();
}

/** Huber 1964: with a = |p − y| the mean of ½a² up to δ, of δ·(a − ½δ) beyond. */
export function huber(p: Value, y: Value, delta = 1): Value {
  const a = difference(p, y).abs();
  const bounded = a.min(delta);
  // Of c = min(a, δ) both cases are c·(a − ½c).
  return bounded.mul(a.sub(bounded.mul(0.5))).mean();
}

/**
 * mean(w·(−y·log σ(x) − (1 − y)·log(1 − σ(x)))), for logits x and targets y from 0 to 1.
 *
 * @param weights w, of a shape that broadcasts; elements that are 0 still count in the mean.
 */
export function binaryCrossEntropy(logits: Value, y: Value, weights?: Value): Value {
  expectSameShape(logits, y);
  const loss = logits.softplus().sub(logits.mul(y));
  return (weights === undefined ? loss : loss.mul(weights)).mean();
}

/**
 * Cross-entropy of logits (B, C) and classes (B), int64. With label smoothing ε (Szegedy et al. 2016) the target of
 * the right class is 1 − ε + ε/C and that of the others ε/C.
 */
export function crossEntropy(logits: Value, classes: Value, { labelSmoothing = 0 } = {}): Value {
  const { builder } = logits;
  const count = logits.length(1);
  const other = labelSmoothing / count;
  const targets = builder.constant([other, 1 - labelSmoothing + other], logits.dtype);
  return softCrossEntropy(
    logits.logSoftmax(),
    builder.op('OneHot', [classes, builder.constant(count, 'int64'), targets]),
  );
}

/** −mean over rows of Σ targets·log p, both (B, C). */
function softCrossEntropy(logProbabilities: Value, targets: Value): Value {
  return logProbabilities.mul(targets).sum([-1]).mean().neg();
}

/**
 * The rank loss of NAR-Former and NN-Former: mean |(p − p_π) − (y − y_π)|, how far differences between random pairs
 * are from the true ones.
 *
 * @param permutation π, (B) of int64: with which sample each is compared.
 */
export function pairwiseDifference(p: Value, y: Value, permutation: Value): Value {
  const error = difference(p, y);
  return error.sub(error.gather(permutation)).abs().mean();
}

/**
 * The contrastive loss of GENNAPE (Mills et al. 2023), InfoNCE (van den Oord et al. 2018) with more than one positive:
 *
 *     −mean_i Σ_{l≠i} α_il · log( exp(z_i·z_l/τ) / Σ_{r≠i} exp(z_i·z_r/τ) )
 *
 * @param z (N, d), rows of unit length
 * @param targets α, (N, N): rows sum to 1, the diagonal is 0. See `contrastiveTargets`.
 */
export function contrastive(z: Value, targets: Value, temperature: number): Value {
  const similarity = z.matmul(z.transpose()).mul(1 / temperature);
  return softCrossEntropy(withoutSelf(similarity).logSoftmax(), targets);
}

/**
 * Targets of `contrastive` from distances between samples, (N, N) → (N, N): α_i = softmax over l ≠ i of −distance/τ, so
 * that near ones weigh most.
 */
export function contrastiveTargets(distances: Value, temperature = 1): Value {
  return withoutSelf(distances.mul(-1 / temperature)).softmax();
}

/** Scores (N, N) that a softmax gives nothing to on the diagonal; finite, so that 0 times its logarithm is 0. */
function withoutSelf(scores: Value): Value {
  const { builder } = scores;
  const diagonal = builder.op('EyeLike', [scores.zerosLike()]);
  return scores.add(diagonal.mul(-1e30));
}

/**
 * The divergence of N(μ, σ²) from N(0, 1) (Kingma & Welling 2014), both (…, d): −½·Σ(1 + 2·log σ − μ² − σ²) over the
 * last dimension, the mean over the others.
 */
export function klNormal(mean: Value, logDeviation: Value): Value {
  expectSameShape(mean, logDeviation);
  const variance = logDeviation.mul(2).exp();
  const terms = mean.square().add(variance).sub(logDeviation.mul(2)).sub(1);
  return terms.sum([-1]).mean().mul(0.5);
}
