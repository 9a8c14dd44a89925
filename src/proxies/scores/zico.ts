// ZiCo: how much larger gradients are than how much they differ from batch to batch.
import { defineProxy } from '../proxy.js';
import { gradientsOfTwoBatches } from '../subject/chunks.js';

const BATCHES = 2;

export const zico = defineProxy({
  name: 'zico',
  title: 'ZiCo',
  paper: 'Li et al., ICLR 2023, arXiv:2301.11300',
  formula: 'Σ_layers ln Σ mean_b|g_b| / std_b(g_b), over entries with non-zero deviation, two batches b',
  better: 'higher',
  scale: 'raw',
  needs: { weights: true, samples: 1, batches: BATCHES, labels: true, gradients: true },
  variants: {
    accumulated:
      'the second gradient is the sum of both, as in code that does not reset it between batches (MeCo)',
  },
  elsewhere:
    'only weights of convolutions and matrix products are scored; layers whose gradients do not differ are ' +
    'left out; an operator without a gradient between them and the output is an error',
  score: async (subject, variant) => {
    // From a graph of their own, as the score is the sum of what nearly coincides: it would change by some thousandths
    // with the way that others need the first gradient to be written.
    const [first, second] = await gradientsOfTwoBatches(subject);
    const layers = subject.layers.map(({ weight }, i) => ({
      weight,
      value: ratio(first![i]!, second![i]!, variant === 'accumulated'),
    }));
    const counted = layers.filter((layer) => layer.value !== 0);
    // No layer at all: there is no score, rather than one of 0.
    const value = counted.length === 0 ? Number.NaN : counted.reduce((sum, l) => sum + Math.log(l.value), 0);
    return { value, details: { layers } };
  },
});

/** Σ mean|g| / std(g) of two batches: the deviation of two numbers is half their difference. */
function ratio(a: Float32Array, b: Float32Array, isAccumulated: boolean): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = isAccumulated ? x + b[i]! : b[i]!;
    if (x !== y) sum += (Math.abs(x) + Math.abs(y)) / Math.abs(x - y);
  }
  return sum;
}
