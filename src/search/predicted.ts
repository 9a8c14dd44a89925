// Predictors in searches: as evaluators, asked once for all labels of a batch, and as scorers. Directions are those of
// the labels.
import { listOf, type Network } from '../networks/index.js';
import { embeddingOf } from '../predictors/hidden-layer.js';
import { predictionsOf } from '../predictors/predictions.js';
import type { Predictor } from '../predictors/predictor.js';
import { AuspexError } from '../util/errors.js';
import type { Embedding, Evaluator, Objective, Scorer } from './contract.js';
import { inBatches } from './evaluating.js';

/**
 * What a predictor says of networks: one number for every label, row by row. The one place where searches ask
 * predictors.
 */
async function predictedBy(
  predictor: Predictor,
  networks: readonly Network[],
  signal?: AbortSignal,
): Promise<Float64Array> {
  return (await predictionsOf(predictor, listOf(networks), signal ? { signal } : {})).values;
}

/** What a predictor predicts, with directions. */
function predictedObjectives(predictor: Predictor): Objective[] {
  return predictor.info.labels.map(({ name, unit, better }) => ({
    name,
    better,
    ...(unit === '' ? {} : { unit }),
  }));
}

/** Takes what a predictor says of labels for the truth. */
export function predictorEvaluator(predictor: Predictor, labels: readonly string[]): Evaluator {
  const places = labels.map((label) => placeOf(predictor, label));
  const all = predictedObjectives(predictor);
  return inBatches(
    { name: `predicted ${labels.join(',')}`, objectives: places.map((place) => all[place]!) },
    async (networks, signal) => {
      const values = await predictedBy(predictor, networks, signal);
      return networks.map((_, row) => ({ values: places.map((place) => values[row * all.length + place]!) }));
    },
  );
}

/** A label of a predictor as a score. */
export function predictorScorer(predictor: Predictor, label: string): Scorer {
  const place = placeOf(predictor, label);
  const all = predictedObjectives(predictor);
  return {
    name: `predicted ${label}`,
    better: all[place]!.better,
    async score(networks, signal) {
      const values = await predictedBy(predictor, networks, signal);
      return Float64Array.from(networks, (_, row) => values[row * all.length + place]!);
    },
  };
}

/**
 * What a predictor embeds networks with, by itself or by its last hidden layer. Who has the predictor ends it; `dispose` ends
 * what was made of it.
 *
 * @throws AuspexError CANNOT_EMBED
 */
export function predictorEmbedding(
  predictor: Predictor,
  name: string,
): Embedding & { dispose(): Promise<void> } {
  const embeds = embeddingOf(predictor);
  if (embeds === undefined) {
    throw new AuspexError('CANNOT_EMBED', `a predictor of the kind ${predictor.info.kind} has no embedding`, {
      hint: 'give one of arch2vec, accuracy-model, io-model, contrastive, or a neural predictor',
    });
  }
  return {
    name,
    embed: (networks, signal) =>
      embeds.embed!(listOf(networks), { onBad: () => undefined, ...(signal ? { signal } : {}) }),
    dispose: async () => {
      if (embeds !== predictor) await embeds.dispose();
    },
  };
}

function placeOf({ info }: Predictor, label: string): number {
  const place = info.labels.findIndex(({ name }) => name === label);
  if (place >= 0) return place;
  throw new AuspexError('LABEL_UNKNOWN', `the predictor does not predict '${label}'`, {
    hint: `it predicts ${info.labels.map(({ name }) => name).join(', ')}`,
  });
}
