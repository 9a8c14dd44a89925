// Predictions for networks, by the bundled predictors or by others.

import * as z from 'zod';
import type { Family } from '../app/known-networks.js';
import {
  type Cost,
  eachNamed,
  expectLabels,
  expectRecipe,
  type Foundation,
  labelNames,
  type NamedPredictor,
  type PredictedNetwork,
  predictNetworks,
  type Refusal,
  recipeNames,
} from '../app/predict.js';
import { type Rank, ranksOf } from '../app/predict-ranks.js';
import type { Network } from '../networks/index.js';
import { decodePredictor } from '../predictors/load.js';
import type { Neighbour, Prediction } from '../predictors/predictions.js';
import type { LabelInfo, Predictor, TrainingRecipe } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import type { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { type NetworksLike, namedNetworks } from './networks.js';
import { callback, checkedOptions, count, given, having, signal, texts } from './options.js';

export interface PredictorsOptions {
  /** Predictors, or paths of their files; the bundled ones by default. */
  readonly predictors?: readonly (Predictor | string)[];
  /** Only these labels. */
  readonly labels?: readonly string[];
  /** How networks will be trained, for predictors that know several ways: `in1k`, `distilled`, …, or `all`. */
  readonly recipe?: string;
  /** Whether parameters, MACs and FLOPs are counted. Default true. */
  readonly cost?: boolean;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Networks that cannot be predicted are left out and given here; without it, the first one is thrown. */
  readonly onError?: (ref: string, error: AuspexError) => void;
}

/** What is predicted of one label. */
export interface LabelPrediction extends Prediction, Pick<LabelInfo, 'unit' | 'better'> {
  /** The predictor's name. */
  readonly predictor: string;
  /** How the network is assumed to be trained. */
  readonly recipe?: TrainingRecipe;
  /** What else is assumed of it, in sentences. */
  readonly assumed: readonly string[];
  /** Networks of the predictor's training that are nearest, nearest first, with their distances. */
  readonly neighbours?: readonly Neighbour[];
  /** How wrong predictions were for networks of families left out, as far from known ones. */
  readonly errors?: Foundation['errors'];
}

export interface NetworkPrediction {
  readonly ref: string;
  readonly network: Network;
  /** Its place among all, by the label that most of them have: 1 is the best. */
  readonly rank: Rank | undefined;
  /** By label. If several predictors have a label, the first one's. */
  readonly labels: Readonly<Record<string, LabelPrediction>>;
  readonly cost: Cost | undefined;
  /** What the network is known as: its space, or a published network. */
  readonly family: Family | undefined;
  /** Predictors that do not cover the network, and why. */
  readonly refused: readonly Refusal[];
  /** What is needed, if no predictor covers the network. */
  readonly needed: string | undefined;
}

/**
 * Predicts networks: architectures of a search space or ONNX files. Every predictor that covers a network is asked. In
 * pages there are no bundled predictors: pass your own.
 *
 * @throws AuspexError LABEL_UNKNOWN, BAD_OPTION, and what is wrong with a network
 * @example
 * const cell = '|nor_conv_3x3~0|+|nor_conv_3x3~0|avg_pool_3x3~1|+|skip_connect~0|nor_conv_3x3~1|skip_connect~2|';
 * const [found] = await predict(cell, { labels: ['cifar10_test', 'pixel2'] });
 * found.labels.cifar10_test; // { value: 93.62, low: 93.29, high: 93.94, unit: '%', … }
 * found.labels.pixel2?.value; // 20.94
 * const [net] = await predict('resnet8.onnx');
 * net.cost?.macs; // 12501632
 */
export async function predict(
  networks: NetworksLike,
  options?: PredictorsOptions,
): Promise<NetworkPrediction[]> {
  const checked = checkedOptions<PredictorsOptions>('predict', PREDICT, options);
  const { predictors = [], labels, recipe, cost = true, threads, onError } = checked;
  const list = namedNetworks(networks);
  const own: Predictor[] = [];
  const bundled = here().bundled(given({ threads }));
  try {
    const named: NamedPredictor[] = [];
    for (const [i, one] of predictors.entries()) {
      if (typeof one === 'string') own.push(await loadPredictor(one, given({ threads })));
      const predictor = typeof one === 'string' ? own.at(-1)! : one;
      named.push({ name: typeof one === 'string' ? one : `${predictor.info.kind} #${i + 1}`, predictor });
    }
    expectLabels(labels, named.length > 0 ? labelNames(named) : bundled.labels());
    expectRecipe(recipe, named.length > 0 ? recipeNames(named) : bundled.recipes());
    const found: (PredictedNetwork & { network: Network })[] = [];
    const settings = { bundled, familyOf: here().familyOf, withCost: cost };
    const more = given({ labels, recipe, signal: checked.signal });
    for await (const one of predictNetworks(eachNamed(list), { ...settings, ...more, predictors: named })) {
      if (one.network !== undefined) found.push(one);
      else if (onError === undefined) throw one.error;
      else onError(one.ref, one.error);
    }
    const ranks = ranksOf(found);
    return found.map((one, i) => predictionOf(one, ranks[i]));
  } finally {
    await bundled.dispose();
    for (const predictor of own) await predictor.dispose();
  }
}

const PREDICT = {
  predictors: z.array(z.union([z.string(), having<Predictor>('a predictor', 'info', 'covers')])).optional(),
  labels: texts.optional(),
  recipe: z.string().optional(),
  cost: z.boolean().optional(),
  threads: count.optional(),
  signal: signal.optional(),
  onError: callback.optional(),
};

function predictionOf(
  found: PredictedNetwork & { network: Network },
  rank: Rank | undefined,
): NetworkPrediction {
  const { ref, network, answers, cost, family, refused, needed } = found;
  const labels: Record<string, LabelPrediction> = {};
  for (const { label, prediction, predictor, assumed, rests } of answers) {
    const { name, unit, better, recipe } = label;
    const more = given({ recipe, neighbours: rests?.neighbours, errors: rests?.errors });
    labels[name] ??= { ...prediction, unit, better, predictor, assumed, ...more };
  }
  return { ref, network, rank, labels, cost, family, refused, needed };
}

/**
 * Loads a predictor from the file that `auspex train` or `predictor.toOnnx()` wrote. Call `dispose` when it is no longer
 * needed.
 *
 * @param source a path or, in pages too, bytes
 * @throws AuspexError FILE_UNREADABLE, NOT_A_PREDICTOR, PREDICTOR_TOO_NEW
 * @example
 * const predictor = await loadPredictor('accuracy.onnx');
 * predictor.info.labels.map(({ name }) => name); // ['cifar10_test', 'cifar100_test', 'imagenet16_test']
 * const cells = sample('nasbench201', { count: 20 });
 * const found = await predict(cells, { predictors: [predictor] });
 * found.length; // 20
 * await predictor.dispose();
 */
export async function loadPredictor(
  source: string | Uint8Array,
  options?: SessionOptions,
): Promise<Predictor> {
  return typeof source === 'string'
    ? here().loadPredictor(source, options)
    : decodePredictor(source, options);
}
