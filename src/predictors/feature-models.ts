// The models that predict labels from a row of numbers, by name.

import type { Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import type { FeatureRows } from './baselines/feature-rows.js';
import { LinearRegression } from './baselines/linear.js';
import { FOREST, RandomForest } from './baselines/random-forest.js';
import { treeValues } from './baselines/random-forest-onnx.js';
import { costFeatures, type FeatureSet, structureFeatures } from './features.js';
import type { ReadNetwork } from './network-source.js';

/** Options of a model that users may change. */
export type FeatureModelOptions = Readonly<Record<string, number | boolean>>;

/** Writes what was fitted into a graph: (batch, F) → (batch, 1), the label as it was learned. */
export type FittedFeatures = (x: Value) => Value;

export interface FeatureModel {
  readonly title: string;
  readonly options: FeatureModelOptions;
  features(space: string, read?: ReadNetwork): FeatureSet;
  fit(rows: FeatureRows, targets: Float64Array, options: FeatureModelOptions, seed: number): FittedFeatures;
}

/**
 * A straight line through the logarithm of one number: what is predicted grows or falls with it everywhere and has no
 * ties, so ranks are those of the number itself. (Isotonic regression would follow curves, but its steps are ties.)
 */
function alone(title: string, name: 'parameters' | 'flops'): FeatureModel {
  return {
    title,
    options: {},
    features: (space, read) => costFeatures([name], space, read),
    fit: (rows, targets) => {
      const line = LinearRegression.fit(rows, targets, { log: true });
      return (x) => line.apply(x);
    },
  };
}

export const FEATURE_MODELS = {
  params: alone('Parameters alone', 'parameters'),
  flops: alone('FLOPs alone', 'flops'),
  linear: {
    title: 'Linear regression',
    options: { ridge: 0 },
    features: (space, read) => costFeatures(['parameters', 'flops'], space, read),
    fit: (rows, targets, options) => {
      const plane = LinearRegression.fit(rows, targets, { log: true, ridge: Number(options.ridge) });
      return (x) => plane.apply(x);
    },
  },
  forest: {
    title: 'Random forest',
    options: {
      trees: FOREST.trees,
      maxFeatures: FOREST.maxFeatures,
      minSamplesLeaf: FOREST.minSamplesLeaf,
      bootstrap: FOREST.bootstrap,
    },
    features: structureFeatures,
    fit: (rows, targets, options, seed) => {
      const { forest } = RandomForest.fit(rows, targets, { ...options, seed });
      return (x) => treeValues(x, forest.trees).mean([1], true);
    },
  },
} as const satisfies Readonly<Record<string, FeatureModel>>;

export type FeatureModelName = keyof typeof FEATURE_MODELS;

/** The features that a predictor was fitted to, for other architectures. */
export function featuresFor(kind: FeatureModelName, space: string, read?: ReadNetwork): FeatureSet {
  const model: FeatureModel = FEATURE_MODELS[kind];
  return model.features(space, read);
}

/** Throws where a predictor's file was fitted to features that are now others. */
export function expectFeatures(found: readonly string[], now: readonly string[]): void {
  if (found.length === now.length && found.every((name, i) => name === now[i])) return;
  throw new AuspexError(
    'FEATURES_OTHER',
    'the predictor was fitted to features that its space no longer has',
    {
      hint: 'train it again',
    },
  );
}
