// A Gaussian process on features of the layers of image classifiers: the accuracy of any network, from those of others.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { Builder, type Value } from '../../ops/build.js';
import { paced } from '../../util/pauses.js';
import { Random } from '../../util/random.js';
import { shuffled } from '../batches.js';
import { OUTPUTS } from '../entries.js';
import { baselineModel, INPUT, OPSETS } from '../feature-model.js';
import { fitLabels } from '../fit.js';
import { fittedScales, groupDistances, type ProcessScales, processWeights } from '../gaussian-process.js';
import { changedOptions, type PredictorKind, registerKind } from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import { column, type LabelScale, learned, unlearned } from '../labels.js';
import { DISTANCES } from '../neighbours.js';
import type { Json } from '../predictor.js';
import { expectGoing } from '../stopped.js';
import type { FeatureSet } from '../views/features.js';
import { featureGroups } from '../views/layers/layer-features.js';

const OPTIONS = z.strictObject({
  /** Steps that length scales are fitted in. */
  steps: z.int().min(1).max(1000).default(25),
  /** More rows are drawn from: time is cubic in them. */
  rows: z.int().min(2).max(4000).default(1500),
});

/** Standardised features are within this many deviations. */
const BOUND = 4;

const kind: PredictorKind<z.infer<typeof OPTIONS>> = registerKind({
  name: 'gaussian-process',
  title: KIND_TITLES['gaussian-process'],
  paper: 'Rasmussen & Williams 2006',
  summary: 'image classifiers: Gaussian process on their layers',
  views: ['layers'],
  learns: 'labels',
  options: OPTIONS,
  fit: async (data, changes, run) => {
    const model = changedOptions(kind, OPTIONS.parse({}), changes.model);
    return fitLabels(
      { kind, view: 'layers', viewOptions: {} },
      data,
      run,
      async ({ set, labels, scales }) => {
        const { names, data: x } = (set as FeatureSet).rows;
        const standard = standardOf(x, names.length);
        const z = standardised(x, standard);
        const groups = [...featureGroups(names)];
        const parts: ProcessPart[] = [];
        for (const [label, scale] of scales.entries()) {
          const truths = column(labels, label);
          const known = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
          const rows = shuffled(known, Random.seeded(run.seed, label))
            .slice(0, model.rows)
            .sort((a, b) => a - b);
          const points = someRows(z, names.length, rows);
          const targets = Float64Array.from(rows, (row) => learned(truths[row]!, scale));
          const distances = groupDistances(points, names.length, groups);
          const fitted = await paced(
            fittedScales(distances, targets, { steps: model.steps }),
            () => expectGoing(run.signal),
            (part) => run.onProgress?.({ part: (label + part) / scales.length }),
          );
          const weights = processWeights(distances, targets, fitted);
          parts.push({ points, scales: fitted, weights: [weights], means: [0] });
        }
        const graph = processModel(names, standard, groups, parts, scales);
        return { model: graph, recipe: { model } as unknown as Json };
      },
    );
  },
});

/** What features are taken off and divided by. */
interface FeatureStandard {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

/** @param x (rows, width), row by row */
export function standardOf(x: ArrayLike<number>, width: number): FeatureStandard {
  const rows = x.length / width;
  const [mean, deviation] = [new Float64Array(width), new Float64Array(width)];
  for (let i = 0; i < x.length; i++) mean[i % width]! += x[i]! / rows;
  for (let i = 0; i < x.length; i++) deviation[i % width]! += (x[i]! - mean[i % width]!) ** 2 / rows;
  // What is the same in all rows says nothing: any other value is as far as the bound.
  return { mean, deviation: deviation.map((variance) => Math.max(Math.sqrt(variance), 1e-6)) };
}

export function standardised(x: ArrayLike<number>, { mean, deviation }: FeatureStandard): Float64Array {
  const width = mean.length;
  return Float64Array.from(x, (value, i) => {
    const z = (value - mean[i % width]!) / deviation[i % width]!;
    return Math.max(-BOUND, Math.min(BOUND, z));
  });
}

function someRows(x: Float64Array, width: number, rows: readonly number[]): Float64Array {
  const some = new Float64Array(rows.length * width);
  rows.forEach((row, i) => void some.set(x.subarray(row * width, (row + 1) * width), i * width));
  return some;
}

/** Known rows and what their kernels are multiplied with, for one or more outputs. */
interface ProcessPart {
  /** (rows, width), standardised. */
  readonly points: Float64Array;
  readonly scales: ProcessScales;
  /** Of each output, (rows). */
  readonly weights: readonly Float64Array[];
  /** Added to each output. */
  readonly means: readonly number[];
}

export interface ProcessModelOptions {
  /** Labels were learned as what they lack of this: accuracies are 100 minus an error. */
  readonly ceiling?: number;
  /** The unit of distances to the rows of the first part, which are put out too; see `PredictorInfo.known`. */
  readonly farthest?: number;
}

/** `features` (batch, F) → `prediction` (batch, outputs of all parts), and perhaps `distance` (batch, rows). */
export function processModel(
  names: readonly string[],
  standard: FeatureStandard,
  groups: readonly (readonly number[])[],
  parts: readonly ProcessPart[],
  labelScales: readonly LabelScale[],
  { ceiling, farthest }: ProcessModelOptions = {},
): Model {
  const builder = new Builder({ opsets: OPSETS });
  const x = builder.input(INPUT, 'float32', [symbol('batch'), names.length]);
  const { outputs, distances } = processValues(x, standard, groups, parts);
  const found = outputs.length === 1 ? outputs[0]! : builder.concat(outputs, 1);
  const values = unlearned(found, labelScales);
  return baselineModel(kind.name, names, builder, {
    [OUTPUTS.values]: ceiling === undefined ? values : values.neg().add(ceiling),
    ...(farthest === undefined ? {} : { [DISTANCES]: distances[0]!.div(farthest) }),
  });
}

/** (batch, F) → what each part puts out (batch, outputs), and distances to its rows (batch, rows). */
export function processValues(
  x: Value,
  { mean, deviation }: FeatureStandard,
  groups: readonly (readonly number[])[],
  parts: readonly ProcessPart[],
): { readonly outputs: readonly Value[]; readonly distances: readonly Value[] } {
  const width = mean.length;
  const constant = (values: ArrayLike<number>, dims: readonly number[]): Value =>
    x.builder.constant(values, 'float32', dims);
  const z = x
    .sub(constant(mean, [width]))
    .div(constant(deviation, [width]))
    .max(-BOUND)
    .min(BOUND);
  const distances: Value[] = [];
  const outputs = parts.map(({ points, scales, weights, means }) => {
    const rows = points.length / width;
    // (batch, rows, width) → (batch, rows, groups): means of squares; their roots, divided by length scales, are added up.
    const off = z.reshape([-1, 1, width]).sub(constant(points, [1, rows, width]));
    const meanOf = new Float64Array(width * groups.length);
    groups.forEach((places, g) => {
      for (const place of places) meanOf[place * groups.length + g] = 1 / places.length;
    });
    const byGroup = off
      .mul(off)
      .matmul(constant(meanOf, [width, groups.length]))
      .sqrt();
    const inverse = scales.lengths.slice(0, groups.length).map((length) => Math.exp(-length));
    const distance = byGroup.matmul(constant(inverse, [groups.length, 1])).squeeze([2]);
    distances.push(distance);
    const kernel = distance.neg().exp();
    const variance = Math.exp(2 * scales.signal);
    const by = Float64Array.from({ length: rows * weights.length }, (_, i) => {
      const [row, output] = [Math.floor(i / weights.length), i % weights.length];
      return variance * weights[output]![row]!;
    });
    return kernel.matmul(constant(by, [rows, weights.length])).add(constant(means, [means.length]));
  });
  return { outputs, distances };
}
