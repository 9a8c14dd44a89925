// Zen-score: how far the features of a network move when its input moves a little.

import { pruned } from '../../analysis/dependence.js';
import { streamFor } from '../../nn/stream.js';
import type { Value } from '../../ops/build.js';
import { traitsOf } from '../../ops/index.js';
import { type HostTensor, hostTensor } from '../../runtime/session.js';
import { extend, extended } from '../../transform/rewrite.js';
import { defineProxy, type Score } from '../proxy.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { featuresOf } from '../subject/features.js';
import { withOpenInputs } from '../subject/open-inputs.js';
import type { Subject } from '../subject/subject.js';
import { product } from '../subject/value-links.js';

/** How far inputs move: α. */
const ALPHA = 0.01;
/** Of running statistics in PyTorch. */
const MOMENTUM = 0.1;

/**
 * f are the features before pooling, σ̄² the mean over channels of the variance of what a batch normalisation gets.
 * Weights of layers are drawn from N(0, 1), biases are 0, x and ε from N(0, 1), ‖·‖ is Frobenius' norm of a sample, the
 * expectation is a mean over the batch. One draw of weights: released code has means over 32, which are means over seeds
 * here.
 */
export const zen = defineProxy({
  name: 'zen',
  title: 'Zen-score',
  paper: 'Lin et al., ICCV 2021, arXiv:2102.01063',
  formula: 'ln E‖f(x) − f(x + αε)‖ + Σ_batchnorms ln σ̄, α = 0.01',
  better: 'higher',
  scale: 'raw',
  needs: { weights: true, samples: 1, batches: 1, labels: false, gradients: false },
  variants: {
    released:
      'sums of magnitudes instead of norms; σ̄² from running statistics that start at 1 and move by a tenth with x ' +
      'and with x + αε',
    given: "the network's own weights; the first batch is x, the second ε",
  },
  elsewhere:
    'only batch normalisation is undone; token embeddings become Gaussian numbers; features end where ' +
    'pooling, the last normalisation or the classifier begins',
  score: (subject, variant) =>
    zenScore(variant === 'given' ? subject : subject.redrawn('normal'), variant === 'released'),
});

/** Of a network with the weights that it has. */
export async function zenScore(subject: Subject, isReleased: boolean): Promise<Score> {
  const { first, second, deviations } = await moved(subject);
  const delta = meanDistance(first, second, subject.samples, isReleased ? 1 : 2);
  const sigmas = deviations.map(([v1, v2, unbiased]) =>
    isReleased
      ? Math.sqrt((1 - MOMENTUM) ** 2 + MOMENTUM * unbiased * ((1 - MOMENTUM) * v1 + v2))
      : Math.sqrt(v1),
  );
  const value = Math.log(delta) + sigmas.reduce((sum, sigma) => sum + Math.log(sigma), 0);
  return { value, details: { delta, deviations: sigmas } };
}

/** The mean over samples of the distance of two batches, of order 1 or 2. */
function meanDistance(a: Float32Array, b: Float32Array, samples: number, order: 1 | 2): number {
  const size = a.length / samples;
  let total = 0;
  for (let n = 0; n < samples; n++) {
    let sum = 0;
    for (let i = n * size; i < (n + 1) * size; i++) {
      const difference = Math.abs(a[i]! - b[i]!);
      sum += order === 1 ? difference : difference * difference;
    }
    total += order === 1 ? sum : Math.sqrt(sum);
  }
  return total / samples;
}

interface Moved {
  readonly first: Float32Array;
  readonly second: Float32Array;
  /** Mean variance for x and for x + αε of every batch normalisation, and what makes it an unbiased one. */
  readonly deviations: readonly (readonly [v1: number, v2: number, unbiased: number])[];
}

async function moved(subject: Subject): Promise<Moved> {
  const features = featuresOf(subject);
  const { model, names, dims } = withOpenInputs(subject.trained, subject);
  const builder = extend(model);
  const z = builder.value(features.name).identity();
  const normalised = model.graph.nodes.filter((node) => traitsOf(node).normalisation === 'batch');
  const inputs = normalised.map((node) => builder.value(node.inputs[0]!));
  const variances = inputs.map((x): Value => {
    const axes = x.sizes.map((_, i) => i).filter((i) => i !== 1);
    const centred = x.sub(x.mean(axes, true));
    return centred.square().mean(axes).cast('float64').mean().reshape([1]);
  });
  const listed = variances.length > 0 ? [builder.concat(variances, 0).identity()] : [];
  const session = await Compiled.create(pruned(extended(model, builder, [z, ...listed])), subject.session);
  try {
    const given = await subject.feeds(0);
    const noise = await subject.feeds(1);
    const run = async (alpha: number): Promise<Record<string, HostTensor>> => {
      const entries = names.map(async (name, i) => {
        const draw = (index: number): ArrayLike<number> => gaussian(subject, i, index, product(dims[i]!));
        const x = (given[name]?.data as Float32Array | undefined) ?? draw(0);
        const e = (noise[name]?.data as Float32Array | undefined) ?? draw(1);
        const data = Float32Array.from(x, (value, k) => value + alpha * e[k]!);
        return [name, await hostTensor('float32', data, dims[i]!)] as const;
      });
      return session.run({ ...given, ...Object.fromEntries(await Promise.all(entries)) });
    };
    const [x, shifted] = [await run(0), await run(ALPHA)];
    const list = (found: Record<string, HostTensor>): ArrayLike<number> =>
      listed.length > 0 ? (found[listed[0]!.name]!.data as Float64Array) : [];
    return {
      first: x[z.name]!.data as Float32Array,
      second: shifted[z.name]!.data as Float32Array,
      deviations: inputs.map((value, i) => {
        const count = product(value.sizes) / value.length(1);
        return [list(x)[i]!, list(shifted)[i]!, count / (count - 1)];
      }),
    };
  } finally {
    await session.dispose();
  }
}

function gaussian({ seed }: Subject, position: number, index: number, length: number): Float32Array {
  const random = streamFor(seed, `looked up ${position}`, index);
  return Float32Array.from({ length }, () => random.normal());
}
