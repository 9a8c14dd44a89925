// NASWOT: how well the pattern of active rectifiers tells samples apart.
import { pruned } from '../../analysis/dependence.js';
import type { Value } from '../../ops/build.js';
import { extend, extended } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import { BitPattern } from '../linear-algebra/bit-pattern.js';
import { logDeterminant } from '../linear-algebra/determinant.js';
import { defineProxy } from '../proxy.js';
import { type Activation, findActivations } from '../subject/activations.js';
import { feedsOfParts, firstThatFits, isTied, onFewerSamples } from '../subject/chunks.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { isOfMemory } from '../subject/memory.js';
import type { Subject } from '../subject/subject.js';

/**
 * K (N, N) counts in how many units two samples agree. Weights of layers are drawn from N(0, 1), biases are 0 and inputs
 * Gaussian, as in the code of TF-TAS and ZiCo; Mellor et al. took the usual first weights and a batch of images, which
 * `given` is for.
 */
export const naswot = defineProxy({
  name: 'naswot',
  title: 'NASWOT',
  paper:
    'Mellor et al., ICML 2021, arXiv:2006.04647; for transformers: Zhou et al., CVPR 2022, arXiv:2203.12217',
  formula: 'ln|det K|, K = Σ_activations c·cᵀ + (1 − c)·(1 − c)ᵀ, c = [x > 0] of every sample',
  better: 'higher',
  scale: 'raw',
  needs: { weights: false, samples: 2, oneByOne: true, batches: 1, labels: false, gradients: false },
  variants: { given: "the network's own weights and the given batch, instead of N(0, 1) weights and inputs" },
  elsewhere:
    'ReLU, GELU, SiLU and similar activations are used, by the sign of their input; sigmoid, tanh ' +
    'and softmax are not; a network without such activations is an error',
  score: async (subject, variant) => {
    const drawn = variant === 'given' ? subject : subject.redrawn('normal');
    const { kernel, units, activations } = await kernelOf(drawn);
    const n = Math.sqrt(kernel.length);
    checkPatterns(kernel, units, n);
    return { value: logDeterminant(kernel, n), details: { activations, units, samples: n } };
  },
});

interface Agreement {
  readonly kernel: Float64Array;
  /** How many decisions a sample makes. */
  readonly units: number;
  readonly activations: number;
}

/** Two samples that agree in all units make two rows of K equal, and its determinant 0. */
function checkPatterns(kernel: Float64Array, units: number, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      if (kernel[i * n + j] !== units) continue;
      throw new AuspexError(
        'PROXY_NOT_FINITE',
        `samples ${j} and ${i} make the same rectifiers active, all ${units} of them, so that ln|det K| is −∞`,
        { hint: 'the network has too few rectifiers to tell so many samples apart: give a smaller --batch' },
      );
    }
  }
}

/** Of the whole batch in one run; of parts of it, or of fewer samples, where that does not fit into memory. */
function kernelOf(subject: Subject): Promise<Agreement> {
  const inParts = (): Promise<Agreement> =>
    isTied(subject) && subject.samples > 1
      ? onFewerSamples(subject, agreement)
      : firstThatFits(subject, (part) => agreementInParts(subject, part));
  if (subject.isFrugal || subject.samples === 1) return inParts();
  return agreement(subject).catch((error: unknown) => {
    if (!isOfMemory(error)) throw error;
    return inParts();
  });
}

function activationsOf(subject: Subject): readonly Activation[] {
  const activations = findActivations(subject);
  if (activations.length > 0) return activations;
  throw new AuspexError('PROXY_NO_ACTIVATIONS', 'the network has no rectifiers to compare', {
    hint: 'naswot uses ReLU, GELU, SiLU and similar activations',
  });
}

async function agreement(subject: Subject): Promise<Agreement> {
  const { trained: model, samples } = subject;
  const activations = activationsOf(subject);
  const builder = extend(model);
  const parts = activations.map(({ input }): Value => {
    const x = builder.value(input);
    // Tokens or windows of a sample may be rows of their own.
    const codes = x.greater(0).cast('float32').reshape([samples, -1]);
    const others = codes.rsub(1);
    return codes.matmul(codes.transpose()).add(others.matmul(others.transpose())).cast('float64');
  });
  const kernel = builder.sum(parts).identity();
  const session = await Compiled.create(pruned(extended(model, builder, [kernel])), subject.session);
  try {
    const found = await session.run(await subject.feeds(0));
    const data = found[kernel.name]!.data as Float64Array;
    return { kernel: data, units: data[0]!, activations: activations.length };
  } finally {
    await session.dispose();
  }
}

/** The patterns of all samples as bits, part by part of the batch, then compared. */
async function agreementInParts(subject: Subject, part: Subject): Promise<Agreement> {
  const { trained: model, samples } = part;
  const activations = activationsOf(part);
  const builder = extend(model);
  const codes = activations.map(({ input }) =>
    builder.value(input).greater(0).cast('uint8').reshape([samples, -1]).identity(),
  );
  const session = await Compiled.create(pruned(extended(model, builder, codes)), part.session);
  const patterns: BitPattern[] = [];
  try {
    for await (const feeds of feedsOfParts(subject, part)) {
      const found = await session.run(feeds);
      const data = codes.map(({ name }) => found[name]!.data as Uint8Array);
      for (let i = 0; i < samples; i++) {
        patterns.push(
          BitPattern.of(
            data.map((all) => all.subarray((i * all.length) / samples, ((i + 1) * all.length) / samples)),
          ),
        );
      }
    }
  } finally {
    await session.dispose();
  }
  const n = patterns.length;
  const kernel = Float64Array.from({ length: n * n }, (_, at) =>
    patterns[Math.floor(at / n)]!.agreement(patterns[at % n]!),
  );
  return { kernel, units: kernel[0]!, activations: activations.length };
}
