// Networks of families that were never seen: one order, learned from orders within other families, and every label as a curve
// of it. Intervals come from leaving out one family at a time, as that is how it is used.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { Builder } from '../../ops/build.js';
import { Random } from '../../util/random.js';
import { type CurvedOrder, fitCurvedOrder } from '../curved-order.js';
import { OUTPUTS } from '../entries.js';
import { curveAt, curveValue, topOf } from '../family-curve.js';
import { rowsByFamily, scoresOf } from '../family-order.js';
import { baselineModel, INPUT, OPSETS } from '../feature-model.js';
import { fitLabels, type Prepared } from '../fit.js';
import { conformalWidth, type IntervalRule } from '../intervals.js';
import { changedOptions, type PredictorKind, registerKind } from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import { column } from '../labels.js';
import type { Json, PredictorInfo } from '../predictor.js';
import { expectGoing } from '../stopped.js';
import type { FeatureRows } from '../views/feature-rows.js';
import type { FeatureSet } from '../views/features.js';

const OPTIONS = z.strictObject({
  /** Sides of images above which nothing is predicted; 0 for no bound. */
  largestSide: z.int().min(0).max(100_000).default(0),
});

/** Rows of each family that intervals are made from. */
const INTERVAL_ROWS = 500;
const COVERAGE = 0.9;
/** Of a family, to make an interval with. */
const LEAST_ROWS = 9;

const kind: PredictorKind<z.infer<typeof OPTIONS>> = registerKind({
  name: 'family-ranking',
  title: KIND_TITLES['family-ranking'],
  paper: 'features: De & Smith 2020, Sun et al. 2022, Tan & Le 2019',
  summary: 'families never seen: order from other families',
  views: ['features'],
  learns: 'labels',
  comparesFamilies: true,
  options: OPTIONS,
  fit: async (data, changes, run) => {
    const model = changedOptions(kind, OPTIONS.parse({}), changes.model);
    const viewOptions = { features: 'flow' } as Json;
    return fitLabels({ kind, view: 'features', viewOptions }, data, run, async (prepared) => {
      const { rows } = prepared.set as FeatureSet;
      const fitted = fitRanking(rows, prepared, () => true);
      expectGoing(run.signal);
      const intervals = intervalsLeftOut(rows, prepared, run.seed);
      return {
        model: rankingModel(rows.names, fitted),
        recipe: { model } as unknown as Json,
        describe: (info) => described(info, model.largestSide, intervals),
      };
    });
  },
});

/** From the rows of some families. */
function fitRanking(rows: FeatureRows, prepared: Prepared, isUsed: (family: string) => boolean): CurvedOrder {
  const { families } = prepared;
  const used = [...families.keys()].filter((row) => isUsed(families[row]!));
  return fitCurvedOrder(rows, prepared, used);
}

/**
 * As wide as 90% of the errors of that family which the rest predicts worst: how far off a new one is cannot be told, and
 * the mean over families would be too narrow for half of them. None where there are fewer than two families.
 */
function intervalsLeftOut(
  rows: FeatureRows,
  prepared: Prepared,
  seed: number,
): readonly (IntervalRule | undefined)[] {
  const { labels, families } = prepared;
  const random = Random.seeded(seed, 23);
  return labels.names.map((_, label) => {
    const truths = column(labels, label);
    const known = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
    const groups = [...rowsByFamily(families, known)].filter(([, own]) => own.length >= LEAST_ROWS);
    if (groups.length < 2) return undefined;
    const widths = groups.map(([family, own]) => {
      const { order, curves } = fitRanking(rows, prepared, (other) => other !== family);
      const scores = scoresOf(rows, order);
      const chosen = Array.from(random.sample(own.length, INTERVAL_ROWS), (i) => own[i]!);
      const errors = chosen.map((row) => Math.abs(curveAt(curves[label]!, scores[row]!) - truths[row]!));
      return conformalWidth(Float64Array.from(errors).sort(), COVERAGE);
    });
    const top = topOf(labels, label);
    return {
      coverage: COVERAGE,
      rows: known.length,
      ...(top === undefined ? {} : { within: [0, top] as const }),
      groups: [{ halfWidth: Math.max(...widths) }],
    };
  });
}

function described(
  info: PredictorInfo,
  largestSide: number,
  intervals: readonly (IntervalRule | undefined)[],
): PredictorInfo {
  const bound = largestSide > 0 ? { largestSide } : {};
  return {
    ...info,
    entries: info.entries.map((entry) => ({ ...entry, state: { ...(entry.state as object), ...bound } })),
    labels: info.labels.map((label, i) => ({
      ...label,
      ...(intervals[i] ? { interval: intervals[i] } : {}),
    })),
  };
}

/** `features` (batch, F) → `prediction` (batch, labels). */
function rankingModel(names: readonly string[], { order, curves }: CurvedOrder): Model {
  const builder = new Builder({ opsets: OPSETS });
  const x = builder.input(INPUT, 'float32', [symbol('batch'), names.length]);
  const score = x.matmul(builder.constant(order.weights, 'float32', [names.length, 1]));
  const values = curves.map((curve) => curveValue(curve, score));
  const prediction = values.length === 1 ? values[0]! : builder.concat(values, 1);
  return baselineModel(kind.name, names, builder, { [OUTPUTS.values]: prediction });
}
