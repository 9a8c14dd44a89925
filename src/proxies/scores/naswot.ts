// NASWOT: how well the pattern of active rectifiers tells samples apart.
import { pruned } from '../../analysis/dependence.js';
import type { Value } from '../../ops/build.js';
import { extend, extended } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import { logDeterminant } from '../linear-algebra/determinant.js';
import { defineProxy } from '../proxy.js';
import { findActivations } from '../subject/activations.js';
import { Compiled } from '../subject/compiled-graphs.js';
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
  needs: { weights: false, samples: 2, batches: 1, labels: false, gradients: false },
  variants: { given: "the network's own weights and the given batch, instead of N(0, 1) weights and inputs" },
  elsewhere:
    'ReLU, GELU, SiLU and similar activations are used, by the sign of their input; sigmoid, tanh ' +
    'and softmax are not; a network without such activations is an error',
  score: async (subject, variant) => {
    const { kernel, units, activations } = await agreement(
      variant === 'given' ? subject : subject.redrawn('normal'),
    );
    return { value: logDeterminant(kernel, subject.samples), details: { activations, units } };
  },
});

interface Agreement {
  readonly kernel: Float64Array;
  /** How many decisions a sample makes. */
  readonly units: number;
  readonly activations: number;
}

async function agreement(subject: Subject): Promise<Agreement> {
  const { trained: model, samples } = subject;
  const activations = findActivations(subject);
  if (activations.length === 0) {
    throw new AuspexError(
      'PROXY_NO_ACTIVATIONS',
      'the network has no activations whose patterns could be compared',
      {
        hint: 'naswot uses ReLU, GELU, SiLU and similar activations',
      },
    );
  }
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
