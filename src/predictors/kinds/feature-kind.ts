// What kinds that fit a row of numbers have in common: one fit for every label, without steps. What every other predictor
// must beat.
import type { ZodType } from 'zod';
import { symbol } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { Builder, type Value } from '../../ops/build.js';
import { OUTPUTS } from '../entries.js';
import { baselineModel, INPUT, OPSETS } from '../feature-model.js';
import { fitLabels } from '../fit.js';
import { changedOptions, type PredictorKind, registerKind } from '../kind.js';
import { column, type LabelScale, type Labels, learned, unlearned } from '../labels.js';
import type { Json } from '../predictor.js';
import type { FeatureRows } from '../views/feature-rows.js';
import { type FeatureOptions, FeatureSet } from '../views/features.js';
import { fittedByLabel } from './each-label.js';

/** Writes what was fitted into a graph: (batch, F) → (batch, 1), the label as it was learned. */
type FittedFeatures = (x: Value) => Value;

interface FeatureKind<O> extends FeatureOptions {
  readonly name: string;
  readonly title: string;
  readonly paper: string;
  readonly summary: string;
  readonly options: ZodType<O>;
  /** Held-out rows are learned too, once intervals are made: for kinds that have few rows. */
  readonly learnsHeldOut?: true;
  /** Yields the part that is done, often enough for others to have their turn. */
  fit(rows: FeatureRows, targets: Float64Array, options: O, seed: number): Generator<number, FittedFeatures>;
}

/**
 * Makes and registers a kind of predictor that fits rows of numbers.
 *
 * @example
 * import { z } from 'zod';
 * featureKind({
 *   name: 'mean',
 *   title: 'Mean of the labels',
 *   paper: 'none',
 *   summary: 'the mean of all labels',
 *   features: ['parameters'],
 *   options: z.strictObject({}),
 *   *fit(_, targets) {
 *     const mean = targets.reduce((sum, y) => sum + y, 0) / targets.length;
 *     return (x) => x.mul(0).add(mean);
 *   },
 * });
 * const table = await readTable('cells.csv');
 * const { predictor } = await train('mean', table, { labels: ['accuracy'], validation: 0 });
 * const mean = table.column('accuracy').reduce((sum, y) => sum + y, 0) / table.rows;
 * const [found] = await predict(table.arch(0), { predictors: [predictor] });
 * Math.abs((found.labels.accuracy?.value ?? 0) - mean) < 1e-4; // true
 */
export function featureKind<O extends object>(kind: FeatureKind<O>): PredictorKind<O> {
  const { name, title, paper, summary, options, features } = kind;
  return registerKind({
    name,
    title,
    paper,
    summary,
    views: ['features'],
    learns: 'labels',
    options,
    fit: async (data, changes, run) => {
      const model = changedOptions(kind, options.parse({}), changes.model);
      const viewOptions = { features } as Json;
      return fitLabels(
        { kind, view: 'features', viewOptions },
        data,
        run,
        async ({ set, labels, scales, validation }) => {
          const all = set as FeatureSet;
          const { names } = all.rows;
          const fitted = async (rows: FeatureRows, truths: Labels, from: number): Promise<Model> => {
            const given = new FeatureSet(rows);
            const each = await fittedByLabel(
              { labels: truths, scales },
              run,
              (known, targets) => kind.fit(given.some(known), targets, model, run.seed),
              from,
            );
            return featureModel(name, names, each, scales);
          };
          const recipe = { model } as unknown as Json;
          const own = await fitted(all.rows, labels, 0);
          if (!validation || !kind.learnsHeldOut) return { model: own, recipe };
          const held = (validation.set as FeatureSet).rows;
          const both = await fitted(all.rows.concat(held), joinedLabels(labels, validation.labels), 0.5);
          return { model: both, withoutHeldOut: own, recipe };
        },
      );
    },
  });
}

/** Rows that have a label, and what is learned of them. */
export function knownRows(
  rows: FeatureRows,
  labels: Labels,
  label: number,
  scale: LabelScale,
): [FeatureRows, Float64Array] {
  const truths = column(labels, label);
  const known = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
  return [new FeatureSet(rows).some(known), Float64Array.from(known, (row) => learned(truths[row]!, scale))];
}

/** Labels of rows, then those of others. */
export function joinedLabels(labels: Labels, others: Labels): Labels {
  return { ...labels, values: Float64Array.from([...labels.values, ...others.values]) };
}

/** `features` (batch, F) → `prediction` (batch, labels), in the labels' units. */
function featureModel(
  name: string,
  features: readonly string[],
  fitted: readonly FittedFeatures[],
  scales: readonly LabelScale[],
): Model {
  const builder = new Builder({ opsets: OPSETS });
  const x = builder.input(INPUT, 'float32', [symbol('batch'), features.length]);
  const each = fitted.map((apply) => apply(x));
  const prediction = unlearned(each.length === 1 ? each[0]! : builder.concat(each, 1), scales);
  return baselineModel(name, features, builder, { [OUTPUTS.values]: prediction });
}
