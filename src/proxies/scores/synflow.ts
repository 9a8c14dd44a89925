// SynFlow and LogSynFlow: how much flows through every weight when all are positive, no data is seen and nothing is
// normalised. Flows multiply from layer to layer and leave the range of float32, so all is computed in float64; in
// float32 only where an operator (ConvTranspose, Resize) has no kernel for it, which `details.precision` says.

import { gradients } from '../../autodiff/gradients.js';
import type { Model } from '../../graph/graph.js';
import { fromNumbers } from '../../graph/tensor.js';
import type { Value } from '../../ops/build.js';
import { traitsOf } from '../../ops/index.js';
import { extend, extended, rewriteNodes } from '../../transform/rewrite.js';
import { floatData } from '../../transform/tensor-data.js';
import { AuspexError } from '../../util/errors.js';
import { defineProxy, type ProxyDefinition } from '../proxy.js';
import { onesBatch } from '../subject/batch.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { inFloat64 } from '../subject/float64.js';
import { finished } from '../subject/gradient-pass.js';
import { withoutNormalisation } from '../subject/statistics.js';
import { type Subject, toFeeds } from '../subject/subject.js';

interface Flow {
  /** Σ |w·∂R/∂w|, by layer. */
  readonly linear: readonly number[];
  /** Σ |w|·ln(1 + |∂R/∂w|), by layer. */
  readonly logarithmic: readonly number[];
  readonly normalisations: number;
  readonly precision: 'float64' | 'float32';
}

/** R is the sum of the outputs of one sample of ones. */
function flowOf(subject: Subject, which: 'all' | 'batch'): Promise<Flow> {
  return subject.once(`flow without ${which} normalisations`, async (): Promise<Flow> => {
    const single = subject.single();
    const { model, count } = withoutNormalisation(positive(single), which);
    const open = withOnes(model, single);
    try {
      return { ...(await run(inFloat64(open), single)), normalisations: count, precision: 'float64' };
    } catch (error) {
      // No kernel for float64, which some operators only say when they run.
      if (!(error instanceof AuspexError) || !error.code.startsWith('RUNTIME_')) throw error;
      return { ...(await run(open, single)), normalisations: count, precision: 'float32' };
    }
  });
}

/** The model with the magnitudes of all that was learned or measured. */
export function positive({ model, roles }: Subject): Model {
  const { graph } = model;
  const initializers = new Map(
    [...graph.initializers].map(([name, tensor]) => {
      if (roles.get(name)?.kind === 'setting') return [name, tensor];
      return [name, fromNumbers(name, tensor.dtype, tensor.dims, floatData(tensor).map(Math.abs))];
    }),
  );
  return { ...model, graph: { ...graph, initializers } };
}

/** Ones in the place of what tokens look up, and logits in that of their logarithmic softmax. */
export function withOnes(model: Model, { lookups }: Subject): Model {
  const looked = new Set(lookups.map((lookup) => lookup.output));
  return rewriteNodes(model, (e) => {
    const { node } = e.call;
    if (traitsOf(node).softmax === 'logarithm') return [e.input(0)];
    if (!looked.has(node.outputs[0]!)) return undefined;
    const value = e.builder.value(node.outputs[0]!);
    return [e.builder.full(value.sizes, 1, value.dtype)];
  });
}

async function run(model: Model, subject: Subject): Promise<Pick<Flow, 'linear' | 'logarithmic'>> {
  const { layers, samples, logits } = subject;
  const names = layers.map((layer) => layer.weight);
  const differentiated = gradients(model, logits.name, names);
  const builder = extend(differentiated.model);
  const total = (value: Value): Value => value.cast('float64').sum().reshape([1]);
  // All samples are the same, so that one of them has this part of the gradient.
  const pairs = names.map((name): [Value, Value] => [
    builder.value(name),
    builder
      .value(differentiated.gradients.get(name)!)
      .mul(1 / samples)
      .abs(),
  ]);
  const linear = builder
    .concat(
      pairs.map(([w, g]) => total(w.mul(g))),
      0,
    )
    .identity();
  const logarithmic = builder
    .concat(
      pairs.map(([w, g]) => total(w.mul(g.add(1).log()))),
      0,
    )
    .identity();
  const compiled = finished(extended(differentiated.model, builder, [linear, logarithmic]));
  const session = await Compiled.create(compiled, subject.session);
  try {
    const found = await session.run(await toFeeds(onesBatch(model, subject)));
    const numbers = (value: Value): number[] => Array.from(found[value.name]!.data as Float64Array);
    return { linear: numbers(linear), logarithmic: numbers(logarithmic) };
  } finally {
    await session.dispose();
  }
}

const COMMON = {
  better: 'higher',
  needs: { weights: true, samples: 0, batches: 0, labels: false, gradients: true },
  variants: {
    'batch-norm': 'only batch normalisation is removed, as in the released code; other normalisations stay',
  },
  elsewhere:
    'weights of convolutions and matrix products are scored; normalisations become identity; ' +
    'token embeddings become ones; an operator without a gradient is an error',
} satisfies Partial<ProxyDefinition>;

const normalisations = (variant: string | undefined) => (variant === 'batch-norm' ? 'batch' : 'all');

export const synflow = defineProxy({
  ...COMMON,
  name: 'synflow',
  title: 'SynFlow',
  paper:
    'Tanaka et al., NeurIPS 2020, arXiv:2006.05467; as a proxy: Abdelfattah et al., ICLR 2021, arXiv:2101.08134',
  formula: 'Σ |w·∂R/∂w|, R the sum of outputs for an input of ones and weights |w|',
  scale: 'logarithm',
  score: async (subject, variant) => {
    const { linear, ...details } = await flowOf(subject, normalisations(variant));
    const sum = linear.reduce((a, b) => a + b, 0);
    return { value: Math.log(sum), details: { sum, ...detailsOf(subject, linear, details) } };
  },
});

export const logSynflow = defineProxy({
  ...COMMON,
  name: 'logsynflow',
  title: 'LogSynFlow',
  paper: 'Cavagnero et al., WACV 2023, arXiv:2207.05135',
  formula: 'Σ |w|·ln(1 + |∂R/∂w|), R as in SynFlow',
  scale: 'raw',
  score: async (subject, variant) => {
    const { logarithmic, ...details } = await flowOf(subject, normalisations(variant));
    const value = logarithmic.reduce((a, b) => a + b, 0);
    return { value, details: detailsOf(subject, logarithmic, details) };
  },
});

function detailsOf(
  { layers }: Subject,
  terms: readonly number[],
  { normalisations, precision }: Pick<Flow, 'normalisations' | 'precision'>,
): Record<string, unknown> {
  return { layers: layers.map(({ weight }, i) => ({ weight, value: terms[i]! })), normalisations, precision };
}
