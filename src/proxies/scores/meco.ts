// MeCo: how far the channels of a network's feature maps are from being copies of each other.
import { pruned } from '../../analysis/dependence.js';
import { isDefaultDomain, type Node } from '../../graph/graph.js';
import type { Value } from '../../ops/build.js';
import { traitsOf } from '../../ops/index.js';
import type { Activation } from '../../ops/traits.js';
import { extend, extended } from '../../transform/rewrite.js';
import { eigenvaluesOf } from '../../util/linear-algebra/tridiagonal.js';
import { defineProxy, type Score } from '../proxy.js';
import { findActivations } from '../subject/activations.js';
import { linksIn } from '../subject/blocks.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { normalisationsIn } from '../subject/normalisations.js';
import type { Subject } from '../subject/subject.js';
import { product, valueSizes } from '../subject/value-links.js';

/** Activations that frameworks have as a layer of its own, besides rectifiers. */
const SATURATING: ReadonlySet<Activation | undefined> = new Set(['sigmoid', 'tanh', 'softplus', 'softsign']);

/** What frameworks have as a layer of its own, besides those with weights, normalisations and rectifiers. */
function isOtherLayer(node: Node): boolean {
  const { pooling, activation } = traitsOf(node);
  return isDefaultDomain(node.domain) && (pooling !== undefined || SATURATING.has(activation));
}

/**
 * P (c, c) holds the correlations between the channels of a layer's output for one sample, over its positions; undefined
 * ones are 0, so that a dead channel, or more channels than positions, has a term of 0.
 */
export const meco = defineProxy({
  name: 'meco',
  title: 'MeCo',
  paper: 'Jiang et al., NeurIPS 2023 (MeCo: zero-shot NAS with one data and single forward pass)',
  formula: 'Σ_layers λ_min(P), P the Pearson correlations of the channels of an output',
  better: 'higher',
  scale: 'raw',
  needs: { weights: true, samples: 1, batches: 1, labels: false, gradients: false },
  variants: {
    tokens:
      'sequences (tokens, channels) are used as they are, as in the released code: tokens are correlated, not channels',
  },
  elsewhere:
    'layers are single operators: convolutions and products with their bias, normalisations, activations, poolings; ' +
    'the released code also scores container modules, by the output of their last module, which a graph does not show',
  score: async (subject, variant) => {
    const outputs = layerOutputs(subject);
    const maps = await correlated(subject, outputs, variant === 'tokens');
    const layers = outputs.map(({ output }) => ({ output, value: maps.get(output) ?? 0 }));
    return total(layers);
  },
});

function total(layers: readonly { readonly output: string; readonly value: number }[]): Score {
  return { value: layers.reduce((sum, layer) => sum + layer.value, 0), details: { layers } };
}

interface LayerOutput {
  readonly output: string;
  readonly channelAxis: number;
}

/** In the order they run. */
function layerOutputs(subject: Subject): LayerOutput[] {
  const { types, layers } = subject;
  const links = linksIn(subject);
  const found = new Map<string, LayerOutput>();
  const axisOf = (name: string): number => {
    const { length } = valueSizes(types, name);
    return length >= 4 ? 1 : length - 1;
  };
  for (const use of layers.flatMap((layer) => layer.uses)) found.set(use.output, use);
  for (const { output } of [...normalisationsIn(subject), ...findActivations(subject)]) {
    found.set(output, { output, channelAxis: axisOf(output) });
  }
  const isLayer = (node: Node): boolean => isOtherLayer(node) && !node.inputs.every(links.isFixed);
  for (const node of links.nodes.filter(isLayer)) {
    const [output] = node.outputs as [string];
    // Inside an activation that a file has in parts.
    const isPart = findActivations(subject).some((activation) => activation.parts.includes(node));
    if (!isPart) found.set(output, { output, channelAxis: axisOf(output) });
  }
  const position = (output: string): number => links.producers.get(output)!;
  return [...found.values()].sort((a, b) => position(a.output) - position(b.output));
}

/** The smallest eigenvalue of P for every output that it is not 0 for anyway. */
async function correlated(
  subject: Subject,
  outputs: readonly LayerOutput[],
  keepsTokens: boolean,
): Promise<ReadonlyMap<string, number>> {
  const { trained: model } = subject;
  const builder = extend(model);
  const grams = new Map<string, Value>();
  for (const { output, channelAxis } of outputs) {
    const value = builder.value(output);
    const sizes = value.sizes;
    if (sizes.length < 3) continue;
    const sample = value.slice([0], [1], [0]).reshape(sizes.slice(1));
    const axis = keepsTokens ? 0 : channelAxis - 1;
    const others = [...sample.sizes.keys()].filter((i) => i !== axis);
    const channels = sample.length(axis);
    const rows = sample
      .transpose([axis, ...others])
      .reshape([channels, -1])
      .cast('float64');
    // P has a rank below the number of positions.
    if (channels >= product(rows.sizes) / channels) continue;
    const centred = rows.sub(rows.mean([1], true));
    grams.set(output, centred.matmul(centred.transpose()).identity());
  }
  if (grams.size === 0) return new Map();
  const session = await Compiled.create(
    pruned(extended(model, builder, [...grams.values()])),
    subject.session,
  );
  try {
    const found = await session.run(await subject.feeds(0));
    return new Map(
      [...grams].map(([output, gram]) => [
        output,
        smallest(found[gram.name]!.data as Float64Array, gram.length(0), subject),
      ]),
    );
  } finally {
    await session.dispose();
  }
}

function smallest(gram: Float64Array, n: number, subject: Subject): number {
  const deviation = Float64Array.from({ length: n }, (_, i) => Math.sqrt(gram[i * n + i]!));
  if (deviation.some(Number.isNaN)) {
    subject.checkWeights();
    return Number.NaN;
  }
  // Numerical noise of a constant channel is no variation.
  const largest = deviation.reduce((most, d) => Math.max(most, d), 0);
  if (deviation.some((d) => d <= 1e-12 * largest)) return 0;
  const correlations = gram.map((x, at) => x / (deviation[Math.floor(at / n)]! * deviation[at % n]!));
  return eigenvaluesOf(correlations, n).reduce((least, v) => Math.min(least, v), Number.POSITIVE_INFINITY);
}
