// Proxies made of how the output changes with the input, sample by sample: J (N, features) holds the gradient of the sum
// of all outputs with respect to every input. Rows that are alike mean that a network cannot tell samples apart.
import { AuspexError } from '../../util/errors.js';
import { symmetricEigenvalues } from '../../util/linear-algebra/eigenvalues.js';
import { defineProxy } from '../proxy.js';
import { measured } from '../subject/gradient-pass.js';
import type { Subject } from '../subject/subject.js';

/** Keeps logarithms and reciprocals finite. */
const K = 1e-5;

const ELSEWHERE =
  'an operator without a gradient between input and output is an error; for tokens, their embeddings take the place ' +
  'of the input';

/** Pearson's correlations between the rows of J, (N, N) row by row. */
function correlations(subject: Subject): Promise<Float64Array> {
  return subject.once('correlations of input gradients', async () =>
    normalised(await measured(subject, 'jacobian'), subject),
  );
}

/** Samples whose input changes nothing, all units on their way being dead, are left out; two must be left. */
function normalised(gram: Float64Array, subject: Subject): Float64Array {
  const n = Math.sqrt(gram.length);
  const deviation = Array.from({ length: n }, (_, i) => Math.sqrt(gram[i * n + i]!));
  const alive = deviation.flatMap((d, i) => (d > 0 ? [i] : []));
  if (alive.length < Math.min(2, n)) {
    subject.checkWeights();
    const dead = deviation.findIndex((d) => !(d > 0));
    throw new AuspexError('PROXY_NOT_FINITE', `the output does not change with the input of sample ${dead}`, {
      hint: 'the network is dead for this sample; check its weights, or try --init seeded',
    });
  }
  return Float64Array.from(
    alive.flatMap((i) => alive.map((j) => gram[i * n + j]! / (deviation[i]! * deviation[j]!))),
  );
}

export const jacov = defineProxy({
  name: 'jacov',
  title: 'Jacobian covariance',
  paper:
    'Mellor et al. 2020, arXiv:2006.04647v1; as a proxy: Abdelfattah et al., ICLR 2021, arXiv:2101.08134',
  formula: '−Σ_i (ln(v_i + k) + 1/(v_i + k)), v the eigenvalues of corrcoef(J), k = 1e-5',
  better: 'higher',
  scale: 'raw',
  needs: { weights: false, samples: 2, oneByOne: true, batches: 1, labels: false, gradients: true },
  variants: {},
  elsewhere: ELSEWHERE,
  shares: ['jacobian'],
  score: async (subject) => {
    const matrix = await correlations(subject);
    const eigenvalues = symmetricEigenvalues(matrix, Math.sqrt(matrix.length));
    const value = -eigenvalues.reduce((sum, v) => sum + Math.log(v + K) + 1 / (v + K), 0);
    return { value, details: { eigenvalues: [...eigenvalues].sort((a, b) => a - b) } };
  },
});

/** More classes than this are compared with each other, fewer are summed. */
const MANY_CLASSES = 100;

/**
 * With s_c = Σ ln(|corrcoef(J of class c)| + k): the sum of |s_c| for up to 100 classes; for more, every s_c divided by
 * the number of samples of its class, the sum of |s_c − s_d| over all pairs divided by the number of classes seen. For
 * language models, whose labels are tokens, all samples are one class.
 */
export const epeNas = defineProxy({
  name: 'epe_nas',
  title: 'EPE-NAS',
  paper: 'Lopes et al., ICANN 2021, arXiv:2102.08099',
  formula: 'Σ_classes |Σ ln(|corrcoef(J_c)| + k)|, k = 1e-5',
  better: 'higher',
  scale: 'raw',
  needs: { weights: false, samples: 2, batches: 1, labels: true, classes: true, gradients: true },
  variants: {},
  elsewhere: ELSEWHERE,
  shares: ['jacobian'],
  score: async (subject) => {
    const { samples, logits } = subject;
    const matrix = await correlations(subject);
    const n = Math.sqrt(matrix.length);
    const perSample = logits.rows === samples;
    const labels = perSample
      ? Array.from(subject.labels(0), Number).slice(0, n)
      : new Array<number>(n).fill(0);
    const isMany = perSample && logits.classes > MANY_CLASSES;
    const byClass = new Map<number, number[]>();
    for (const [i, label] of labels.entries()) byClass.set(label, [...(byClass.get(label) ?? []), i]);
    const scores = new Map<number, number>();
    for (const [label, members] of byClass) {
      // One sample has no matrix: released code gets 1 for it, and fails to divide by its length.
      if (isMany && members.length < 2) continue;
      const logs = members.flatMap((i) => members.map((j) => Math.log(Math.abs(matrix[i * n + j]!) + K)));
      const sum = logs.reduce((a, b) => a + b, 0);
      scores.set(label, isMany ? sum / members.length : sum);
    }
    const terms = [...scores.values()];
    const spread = terms.flatMap((a) => terms.map((b) => Math.abs(a - b))).reduce((a, b) => a + b, 0);
    const sum = terms.reduce((total, term) => total + Math.abs(term), 0);
    const value = !isMany ? sum : terms.length === 0 ? 0 : spread / terms.length;
    return { value, details: { classes: Object.fromEntries(scores) } };
  },
});
