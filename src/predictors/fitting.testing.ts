// Fits predictors to texts of architectures, for tests.
import type { Model } from '../graph/graph.js';
import { listOf, type Networks } from '../networks/networks.js';
import { Resolver } from '../networks/resolver.js';
import type { FitRun, TrainingData } from './kind.js';
import { kindNamed, type RecipeChanges } from './kinds/index.js';
import type { Labels } from './labels.js';
import { OnnxPredictor } from './onnx-predictor.js';
import type { Predictor } from './predictor.js';
import type { TrainedMember } from './train.js';

/** Architectures with what is to be predicted of them. */
export interface TextRows {
  readonly architectures: readonly string[];
  readonly labels: Labels;
}

export interface TextFitting extends RecipeChanges, Partial<FitRun> {
  readonly space: string;
  readonly transform?: string;
  readonly validation?: TextRows;
  readonly from?: Predictor;
  /** Where architectures are files. */
  readonly open?: (path: string) => Model;
}

export function networksOf(
  texts: readonly string[],
  space: string,
  open?: (path: string) => Model,
): Networks {
  const resolver = new Resolver(open ? { open } : {});
  return listOf(texts.map((text) => resolver.network(text, { space })));
}

export async function fitTexts(
  kind: string,
  rows: TextRows,
  { space, transform = 'linear', validation, from, open, seed = 0, threads = 2, ...more }: TextFitting,
): Promise<{ predictor: OnnxPredictor; members: readonly TrainedMember[]; excluded: number }> {
  const { checkpoint, onProgress, signal, onBad, ...changes } = more;
  const of = ({ architectures, labels }: TextRows): TrainingData => ({
    networks: networksOf(architectures, space, open),
    labels: { ...labels, transforms: labels.names.map(() => transform) },
  });
  const data = {
    ...of(rows),
    ...(validation ? { validation: of(validation) } : {}),
    ...(from ? { from } : {}),
  };
  const { predictor, ...rest } = await kindNamed(kind).fit(data, changes, {
    seed,
    threads,
    ...(checkpoint ? { checkpoint } : {}),
    ...(onProgress ? { onProgress } : {}),
    ...(signal ? { signal } : {}),
    ...(onBad ? { onBad } : {}),
  });
  if (!(predictor instanceof OnnxPredictor)) throw new Error('it is no ONNX model');
  return { predictor, ...rest };
}

/** What is predicted of texts: one number for every label, row by row. */
export async function valuesOf(
  predictor: Predictor,
  texts: readonly string[],
  space: string,
  open?: (path: string) => Model,
): Promise<Float64Array> {
  return (await predictor.predict!(networksOf(texts, space, open))).values;
}
