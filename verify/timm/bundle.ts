// Makes the bundled predictor of ImageNet accuracy from features of timm's networks (features.ts) and a table of their
// accuracies, and prints how well it does on families that were left out.
//
//   node build/verify/timm/bundle.js timm_imagenet.csv.gz features.csv imagenet-accuracy.onnx
//
// Two Gaussian processes. One learns the best row of every network that was trained on ImageNet-1k alone; it gives the
// default label. One learns all rows, with attributes of the recipe as inputs besides the features of the network; it gives
// a label for each of the other recipes, at which the attributes are fixed to the mean of those of its rows. Both learn the
// logarithm of the error. Intervals are errors on families left out, by the distance to the nearest network that is known.
// The file has the names of networks and what was fitted, and no accuracies of the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { kendallTauB, mae } from '../../src/metrics/index.js';
import { encodeModel } from '../../src/onnx/write.js';
import { withInfo } from '../../src/predictors/file.js';
import {
  type GroupDistances,
  groupDistances,
  type ProcessScales,
} from '../../src/predictors/gaussian-process.js';
import { conformalInterval, coverageOf, type IntervalRule } from '../../src/predictors/intervals.js';
import { processModel, standardised, standardOf } from '../../src/predictors/kinds/gaussian-process.js';
import type { Json, LabelInfo, PredictorInfo } from '../../src/predictors/predictor.js';
import { featureGroups } from '../../src/predictors/views/layers/layer-features.js';
import { distanceOf, foldsOf, learnedProcess, type Process, pick } from './process-folds.js';
import { attributesOf, RECIPE_GROUPS, RECIPES, type Row, tableRows } from './recipes.js';

/** Fewer rows of a recipe have the intervals of all rows, or one of their own where that is wider. */
const OWN_INTERVAL = 40;
/** The part of left-out networks whose distances to others errors are told of; those beyond are too few. */
const WITHIN = 0.99;

const [tableFile, featureFile, output] = process.argv.slice(2);
if (output === undefined) {
  console.error('usage: node build/verify/timm/bundle.js timm_imagenet.csv.gz features.csv OUTPUT.onnx');
  process.exit(2);
}
const [featureHead, ...featureLines] = readFileSync(featureFile!, 'utf8').trim().split('\n');
const names = featureHead!.split(',').slice(1);
const featuresOf = new Map(
  featureLines.map((line) => {
    const [name, ...values] = line.split(',');
    return [name!, values.map(Number)] as const;
  }),
);
const rows = tableRows(gunzipSync(readFileSync(tableFile!)).toString()).filter(({ key }) =>
  featuresOf.has(key),
);
const everyRow = [...rows.keys()];
const families = [...new Set(rows.map(({ family }) => family))];
console.log(`${rows.length} rows of ${families.length} families, ${names.length} features`);

const features = rows.flatMap(({ key }) => featuresOf.get(key)!);
const standard = standardOf(features, names.length);
const points = standardised(features, standard);
const attributes = rows.flatMap(attributesOf);
const width = attributes.length / rows.length;
const recipes = standardised(attributes, standardOf(attributes, width));
const groups = featureGroups(names);
const ofNetworks = groupDistances(points, names.length, groups);
const both: GroupDistances = {
  rows: rows.length,
  of: [...ofNetworks.of, ...groupDistances(recipes, width, RECIPE_GROUPS).of],
};
const top1 = Float64Array.from(rows, (row) => row.top1);
const errors = top1.map((y) => Math.log(100 - y));
const centre = errors.reduce((sum, y) => sum + y, 0) / rows.length;
const deviation = Math.sqrt(errors.reduce((sum, y) => sum + (y - centre) ** 2, 0) / rows.length);
const targets = errors.map((y) => (y - centre) / deviation);
const value = (learned: number): number => 100 - Math.exp(centre + deviation * learned);

/** The best row of every network and image size, of a recipe; and the mean of their attributes. */
const classes = RECIPES.map((recipe) => {
  const found = new Map<string, number>();
  rows.forEach((row, i) => {
    const known = found.get(row.key);
    if (recipe.has(row) && (known === undefined || row.top1 > rows[known]!.top1)) found.set(row.key, i);
  });
  const best = [...found.values()];
  const at = Float64Array.from({ length: width }, (_, place) =>
    best.reduce((sum, row) => sum + recipes[row * width + place]! / best.length, 0),
  );
  return { ...recipe, best, at };
});
const alone = classes[0]!.best;

/** How much every row's recipe is like one: a factor of the kernel. */
function likeness(at: Float64Array, { lengths }: ProcessScales): Float64Array {
  return Float64Array.from(rows, (_, row) => {
    let distance = 0;
    RECIPE_GROUPS.forEach((places, g) => {
      const square = places.reduce(
        (sum, place) => sum + (recipes[row * width + place]! - at[place]!) ** 2,
        0,
      );
      distance += Math.sqrt(square / places.length) / Math.exp(lengths[groups.length + g]!);
    });
    return Math.exp(-distance);
  });
}

/** What a process says of a row; `of` is a factor for each row that it knows. */
function said(
  { rows: known, scales, weights }: Process,
  row: number,
  of?: (other: number) => number,
): number {
  const variance = Math.exp(2 * scales.signal);
  return known.reduce((sum, other, i) => {
    const kernel = variance * Math.exp(-distanceOf(both, scales, [row, other], 0, groups.length));
    return sum + kernel * weights[i]! * (of?.(other) ?? 1);
  }, 0);
}

// Families left out: scales are fitted without them, too.
const folds = foldsOf(families);
const byDefault = new Float64Array(rows.length);
const own = new Float64Array(rows.length);
const fixed = classes.map(() => new Float64Array(rows.length));
for (const [fold, left] of folds.entries()) {
  const isTraining = (row: number): boolean => !left.has(rows[row]!.family);
  const one = learnedProcess(ofNetworks, targets, alone.filter(isTraining));
  const all = learnedProcess(both, targets, everyRow.filter(isTraining));
  const like = classes.map(({ at }) => likeness(at, all.scales));
  for (const row of everyRow.filter((i) => !isTraining(i))) {
    byDefault[row] = value(said(one, row));
    own[row] = value(
      said(all, row, (other) =>
        Math.exp(-distanceOf(both, all.scales, [row, other], groups.length, both.of.length)),
      ),
    );
    fixed.forEach((found, c) => {
      found[row] = value(said(all, row, (other) => like[c]![other]!));
    });
  }
  console.log(`fold ${fold + 1} of ${folds.length}: ${left.size} families`);
}
fixed[0] = byDefault;
report('all rows, name of the recipe known', everyRow, own);
report(`${classes[0]!.name}, name of the recipe known`, alone, own);
const chosen = Float64Array.from(rows, (row, i) => {
  const c = classes.findLastIndex(({ has }) => has(row));
  return fixed[Math.max(0, c)]![i]!;
});
report('all rows, recipe chosen from those that the file has', everyRow, chosen);
classes.forEach(({ name, best }, c) => void report(`recipe ${name}`, best, fixed[c]!));

// The predictor: all rows, scales of all rows.
const one = learnedProcess(ofNetworks, targets, alone, alone.length);
const all = learnedProcess(both, targets, everyRow, rows.length);
/** Of every row, the distance to the nearest known network of another family. */
const away = Float64Array.from(rows, ({ family }, row) =>
  alone.reduce(
    (least, other) =>
      rows[other]!.family === family
        ? least
        : Math.min(least, distanceOf(ofNetworks, one.scales, [row, other])),
    Number.POSITIVE_INFINITY,
  ),
);
const farthest = pick(away, alone).sort()[Math.floor(WITHIN * alone.length)]!;
const distances = away.map((distance) => distance / farthest);
console.log(`distances of families left out: up to ${farthest.toFixed(2)}`);
const labels = classes.map(({ name, about, best }, c): LabelInfo => {
  const isOwn = best.length >= OWN_INTERVAL;
  const rule = ruleOf(best, fixed[c]!);
  const interval = isOwn ? rule : atLeast(ruleOf(everyRow, chosen), rule.groups.at(-1)!.halfWidth);
  const widths = interval.groups.map(
    ({ upTo, halfWidth }) => `${halfWidth.toFixed(2)} up to ${upTo?.toFixed(2) ?? 'all'}`,
  );
  console.log(`${name}: half widths ${widths.join(', ')}`);
  const label = c === 0 ? 'imagenet_top1' : `imagenet_top1_${name}`;
  const kept = { unit: '%', better: 'higher', transform: 'linear' } as const;
  return { name: label, ...kept, interval, recipe: { name, about } };
});
crossCoverage(alone, byDefault);
crossCoverage(everyRow, chosen);
const model = processModel(
  names,
  standard,
  groups,
  [
    { points: pointsOf(alone), scales: one.scales, weights: [one.weights], means: [0] },
    {
      points,
      scales: all.scales,
      weights: classes.slice(1).map(({ at }) => {
        const like = likeness(at, all.scales);
        return all.weights.map((weight, row) => weight * like[row]!);
      }),
      means: classes.slice(1).map(() => 0),
    },
  ],
  classes.map(() => ({ scale: 'log', offset: centre, factor: deviation })),
  { ceiling: 100, farthest },
);
const info: PredictorInfo = {
  version: 2,
  kind: 'gaussian-process',
  entries: [{ view: 'layers', state: { names }, gives: 'values' }],
  labels,
  seen: { spaces: ['onnx'], rows: rows.length, seed: 1 },
  recipe: { model: { steps: 25, rows: rows.length } } as Json,
  known: alone.map((row) => `${rows[row]!.name} ${rows[row]!.size}`),
};
const bytes = encodeModel(withInfo(model, info));
writeFileSync(output, bytes);
console.log(`${output}: ${bytes.length} bytes`);

function pointsOf(some: readonly number[]): Float64Array {
  const found = new Float64Array(some.length * names.length);
  some.forEach((row, i) => {
    found.set(points.subarray(row * names.length, (row + 1) * names.length), i * names.length);
  });
  return found;
}

/** Intervals that do not become narrower with distance. */
function ruleOf(some: readonly number[], found: Float64Array): IntervalRule {
  const rule = conformalInterval(pick(found, some), pick(top1, some), { distances: pick(distances, some) });
  let widest = 0;
  const widening = rule.groups.map((group) => {
    widest = Math.max(widest, group.halfWidth);
    return { ...group, halfWidth: widest };
  });
  return { ...rule, groups: widening };
}

function atLeast(rule: IntervalRule, least: number): IntervalRule {
  const widened = rule.groups.map((group) => ({ ...group, halfWidth: Math.max(least, group.halfWidth) }));
  return { ...rule, groups: widened };
}

function report(what: string, some: readonly number[], found: Float64Array): void {
  const [predictions, truths] = [pick(found, some), pick(top1, some)];
  const figures = `tau-b ${kendallTauB(predictions, truths).toFixed(3)} MAE ${mae(predictions, truths).toFixed(3)}`;
  console.log(`${what}: ${some.length} rows, ${figures}`);
}

/** Coverage of intervals on families that the widths were not made from, five times. */
function crossCoverage(some: readonly number[], found: Float64Array): void {
  let [inside, wide] = [0, 0];
  for (const left of foldsOf(families, 5)) {
    const isLeft = (row: number): boolean => left.has((rows[row] as Row).family);
    const test = some.filter(isLeft);
    const rule = ruleOf(
      some.filter((row) => !isLeft(row)),
      found,
    );
    const keys = pick(distances, test);
    inside += coverageOf(pick(found, test), pick(top1, test), rule, 'linear', keys) * test.length;
    wide += test.length;
  }
  console.log(
    `90% intervals hold ${((100 * inside) / wide).toFixed(1)}% of ${wide} rows of families left out`,
  );
}
