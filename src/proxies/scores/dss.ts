// DSS of TF-TAS: how many directions the weights of attention span and how much flows through those of perceptrons, all
// weights positive, for an input of ones.

import { pruned } from '../../analysis/dependence.js';
import { gradients } from '../../autodiff/gradients.js';
import type { Model } from '../../graph/graph.js';
import type { Value } from '../../ops/build.js';
import { traitsOf } from '../../ops/index.js';
import { extend, extended } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import { eigenvaluesOf } from '../../util/linear-algebra/tridiagonal.js';
import { defineProxy } from '../proxy.js';
import { onesBatch } from '../subject/batch.js';
import { findBlocks, linksIn } from '../subject/blocks.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { featuresOf } from '../subject/features.js';
import { finished } from '../subject/finished.js';
import { inFloat64 } from '../subject/float64.js';
import { withTotal } from '../subject/loss.js';
import { withoutNormalisation } from '../subject/statistics.js';
import { type Subject, toFeeds } from '../subject/subject.js';
import type { Layer } from '../subject/weights.js';
import { positive, withOnes } from './synflow.js';

/** What a linear layer is to a transformer. */
type Part = 'attention' | 'perceptron' | 'head';

interface Term {
  readonly weight: string;
  readonly part: Part;
  readonly value: number;
}

/**
 * R is the sum of the logits, ‖·‖_* the sum of singular values. The weights of queries, keys and values count as they are
 * stored: as one matrix or as three.
 */
export const dss = defineProxy({
  name: 'dss',
  title: 'DSS',
  paper: 'Zhou et al., CVPR 2022, arXiv:2203.12217 (TF-TAS)',
  formula: 'Σ_attention ‖∂R/∂W‖_*·‖W‖_* + Σ_others Σ|W·∂R/∂W|, weights |W|, an input of ones',
  better: 'higher',
  scale: 'raw',
  needs: { weights: true, samples: 0, batches: 0, labels: false, gradients: true },
  variants: { released: 'the classifier after the last block counts twice' },
  elsewhere:
    'linear layers are scored; convolutions (also the patch embedding), biases, normalisations and embeddings are not; batch ' +
    'normalisation becomes identity, other normalisations stay; token embeddings become ones; an operator without a gradient is ' +
    'an error',
  score: async (subject, variant) => {
    const { terms, precision } = await subject.once('synaptic diversity and saliency', () =>
      diversity(subject),
    );
    const times = ({ part }: Term): number => (variant === 'released' && part === 'head' ? 2 : 1);
    return {
      value: terms.reduce((sum, term) => sum + times(term) * term.value, 0),
      details: { layers: terms, precision },
    };
  },
});

interface Diversity {
  readonly terms: readonly Term[];
  readonly precision: 'float64' | 'float32';
}

async function diversity(subject: Subject): Promise<Diversity> {
  const single = subject.single();
  const { model } = withoutNormalisation(positive(single), 'batch');
  const open = withOnes(model, single);
  const parts = linearParts(single);
  if (parts.length === 0) {
    throw new AuspexError('PROXY_NO_WEIGHTS', 'dss scores linear layers, and the network has none', {
      hint: 'dss is for transformers',
    });
  }
  try {
    return { terms: await run(inFloat64(open), single, parts), precision: 'float64' };
  } catch (error) {
    // No kernel for float64, which some operators only say when they run.
    if (!(error instanceof AuspexError) || !error.code.startsWith('RUNTIME_')) throw error;
    return { terms: await run(open, single, parts), precision: 'float32' };
  }
}

type Linear = readonly [layer: Layer, part: Part];

/** Linear layers and what they are to a transformer; those that need the output of the last block are the head. */
export function linearParts(subject: Subject): Linear[] {
  const links = linksIn(subject);
  const attention = new Set(findBlocks(subject).flatMap((block) => block.weights));
  const { name } = featuresOf(subject);
  return subject.layers
    .filter(
      ({ dims, uses }) =>
        dims.length === 2 && !uses.some((use) => traitsOf(use.node).convolution !== undefined),
    )
    .map((layer) => {
      const isHead = layer.uses.some((use) => links.ancestors(use.node.outputs[0]!).has(name));
      return [layer, attention.has(layer.weight) ? 'attention' : isHead ? 'head' : 'perceptron'];
    });
}

async function run(model: Model, subject: Subject, linears: readonly Linear[]): Promise<Term[]> {
  const { heads, samples } = subject;
  const whole = withTotal(model, heads);
  const differentiated = gradients(
    whole.model,
    whole.total,
    linears.map(([layer]) => layer.weight),
  );
  const builder = extend(differentiated.model);
  const outputs = linears.map(([{ weight }, part]): Value[] => {
    const w = builder.value(weight).cast('float64');
    // All samples are the same, so that one of them has this part of the gradient.
    const g = builder
      .value(differentiated.gradients.get(weight)!)
      .cast('float64')
      .mul(1 / samples);
    return part === 'attention' ? [gram(w), gram(g)] : [w.mul(g).abs().sum().identity()];
  });
  const compiled = pruned(finished(extended(differentiated.model, builder, outputs.flat())));
  const session = await Compiled.create(compiled, subject.session);
  try {
    const found = await session.run(await toFeeds(onesBatch(model, subject)));
    const data = (value: Value): Float64Array => found[value.name]!.data as Float64Array;
    return linears.map(([{ weight }, part], i): Term => {
      const [first, second] = outputs[i]! as [Value, Value?];
      const value = second ? nuclear(data(first)) * nuclear(data(second)) : data(first)[0]!;
      return { weight, part, value };
    });
  } finally {
    await session.dispose();
  }
}

/** A·Aᵀ or Aᵀ·A, the smaller. */
function gram(a: Value): Value {
  const [rows, columns] = a.sizes as [number, number];
  return (rows <= columns ? a.matmul(a.transpose()) : a.transpose().matmul(a)).identity();
}

/** The sum of singular values, which are the roots of the eigenvalues of A·Aᵀ. */
function nuclear(product: Float64Array): number {
  if (!product.every(Number.isFinite)) return Number.NaN;
  return eigenvaluesOf(product, Math.sqrt(product.length)).reduce(
    (sum, v) => sum + Math.sqrt(Math.max(0, v)),
    0,
  );
}
