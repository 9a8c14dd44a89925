// Proxies made of the gradient of one batch's loss: sums over the weights of convolutions and matrix products. With w a
// weight, g = ∂L/∂w, L the mean cross-entropy of the logits and labels.
import { elementCount } from '../../graph/tensor.js';
import { byLayer, defineProxy, type ZeroCostProxy } from '../proxy.js';
import { type Measured, measured } from '../subject/gradient-pass.js';
import type { Quantity, Subject } from '../subject/subject.js';

const ZERO_COST = 'Abdelfattah et al., ICLR 2021, arXiv:2101.08134';
const ELSEWHERE =
  'weights of convolutions and matrix products are scored; biases, normalisations and embeddings are not; ' +
  'an operator without a gradient between them and the output is an error';

interface GradientScore<Q extends Quantity>
  extends Pick<ZeroCostProxy, 'name' | 'title' | 'paper' | 'formula'> {
  readonly quantity: Q;
  readonly better?: 'higher' | 'lower';
  readonly variants?: Readonly<Record<string, string>>;
  terms(found: Measured[Q], subject: Subject, variant: string | undefined): readonly number[];
}

function gradientProxy<Q extends Quantity>(definition: GradientScore<Q>): ZeroCostProxy {
  const { quantity, terms, better = 'higher', variants = {}, ...rest } = definition;
  return defineProxy({
    ...rest,
    better,
    variants,
    scale: 'raw',
    needs: { weights: true, samples: 1, batches: 1, labels: true, gradients: true },
    elsewhere: ELSEWHERE,
    shares: [quantity],
    score: async (subject, variant) =>
      byLayer(subject, terms(await measured(subject, quantity), subject, variant)),
  });
}

export const snip = gradientProxy({
  name: 'snip',
  title: 'SNIP',
  paper: `Lee et al., ICLR 2019, arXiv:1810.02340; as a proxy: ${ZERO_COST}`,
  formula: 'Σ |w·g|',
  quantity: 'saliency',
  terms: ({ snip }) => snip,
});

export const plain = gradientProxy({
  name: 'plain',
  title: 'plain',
  paper: ZERO_COST,
  formula: 'Σ w·g',
  quantity: 'saliency',
  terms: ({ plain }) => plain,
});

export const gradNorm = gradientProxy({
  name: 'grad_norm',
  title: 'Gradient norm',
  paper: ZERO_COST,
  formula: 'Σ_layers ‖g‖₂',
  quantity: 'saliency',
  terms: ({ norm }) => norm,
});

/** H g is the gradient of ½‖g‖², so the Hessian is never written down. */
export const grasp = gradientProxy({
  name: 'grasp',
  title: 'GraSP',
  paper: `Wang et al., ICLR 2020, arXiv:2002.07376; as a proxy: ${ZERO_COST}`,
  formula: 'Σ −w·(H g), H the Hessian of L',
  quantity: 'curvature',
  terms: (found) => found.map((term) => -term),
});

/** Activations a are outputs of layers, their bias added; positions are pixels or tokens. */
export const fisher = gradientProxy({
  name: 'fisher',
  title: 'Fisher',
  paper: `Turner et al., ICLR 2020, arXiv:1906.04113; as a proxy: ${ZERO_COST}`,
  formula: 'Σ_layers Σ_channels ½·mean_samples (Σ_positions a·∂L/∂a)²',
  quantity: 'fisher',
  variants: { released: "every channel's term counts once for each weight of the channel" },
  terms: (found, { layers, types }, variant) => {
    if (variant !== 'released') return found;
    return layers.map(({ dims, uses }, i) => {
      if (uses.length === 0) return found[i]!;
      const { output, channelAxis } = uses[0]!;
      const type = types.get(output) as { shape?: readonly number[] };
      return (found[i]! * elementCount({ dims })) / type.shape![channelAxis]!;
    });
  },
});
