// Makes the bundled predictor of ImageNet accuracy from features of timm's networks (features.ts) and a table of their
// accuracies, and prints how well it does on families that were left out.
//
//   node build/verify/timm/bundle.js timm_imagenet.csv.gz features.csv imagenet-accuracy.onnx
//
// One Gaussian process learns all rows; attributes of the recipe, told by its name, are inputs besides the features of
// the network. A file has one label for each class of recipes, at which the recipe's attributes are fixed: the mean of
// those of the class. Intervals are errors on families left out, by the distance of a network from all others.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { kendallTauB, mae } from '../../src/metrics/index.js';
import { encodeModel } from '../../src/onnx/write.js';
import { withInfo } from '../../src/predictors/file.js';
import {
  fittedScales,
  type GroupDistances,
  groupDistances,
  type ProcessScales,
  processWeights,
} from '../../src/predictors/gaussian-process.js';
import { conformalInterval, coverageOf } from '../../src/predictors/intervals.js';
import { processModel, standardised, standardOf } from '../../src/predictors/kinds/gaussian-process.js';
import type { Json, LabelInfo, PredictorInfo } from '../../src/predictors/predictor.js';
import { distanceOf, reachOf } from '../../src/predictors/reach.js';
import { FeatureRows } from '../../src/predictors/views/feature-rows.js';
import { FeatureSet } from '../../src/predictors/views/features.js';
import { featureGroups } from '../../src/predictors/views/layers/layer-features.js';
import { Random } from '../../src/util/random.js';

const SEED = 1;
const FOLDS = 10;

interface Row {
  readonly key: string;
  readonly name: string;
  readonly family: string;
  readonly recipe: string;
  readonly size: number;
  readonly top1: number;
}

/** Words of a recipe's name that tell how a network was trained. */
const PATTERNS = {
  larger: /in12k|in21k|in22k/,
  web: /jft|ig1b|laion|openai|webli|yfcc|m38m|m30m|clip|swag|6m/,
  distilled: /dist|ssld|usi|swsl|ns_jft/,
  selfSupervised: /mae|mim|beit|dino|laion|openai|in1k_ft/,
};
const EPOCHS: Readonly<Record<string, number>> = {
  a1: 600,
  a2: 300,
  a3: 100,
  tv: 90,
  tv2: 600,
  gluon: 120,
  pycls: 100,
};
const TAGS =
  'a1 a2 a3 tv gluon ra ra2 ra3 ra4 a1h c2ns ch ah sw bt tf fb pycls ms sail tv2 apple aa ap d sam'.split(
    ' ',
  );
/** Places of attributes that share a length scale. */
const RECIPE_GROUPS = [[0], [1], [2], [3], [4, 5], [6, ...TAGS.map((_, i) => 7 + i)]];

/** Numbers that the name of a recipe tells. */
function attributesOf({ recipe, size }: Row): number[] {
  const words = recipe.split('_');
  const named = /(?:^|_)e(\d{3,4})(?:_|$)/.exec(recipe) ?? /(\d{3,4})ep?(?:_|$)/.exec(recipe);
  const known = words.find((word) => word in EPOCHS);
  const epochs = named ? Number(named[1]) : known ? EPOCHS[known]! : 0;
  const trained = /(?:^|_)r(\d{3})(?:_|$)/.exec(recipe);
  return [
    ...Object.values(PATTERNS).map((pattern) => Number(pattern.test(recipe))),
    epochs > 0 ? Math.log2(epochs) : 0,
    trained ? Math.log2(size / Number(trained[1])) : 0,
    Number(recipe === 'in1k'),
    ...TAGS.map((tag) => Number(words.includes(tag))),
  ];
}

/** Classes of recipes, with what their labels are called. */
const isAlone = ({ recipe }: Row): boolean =>
  !Object.values(PATTERNS).some((pattern) => pattern.test(recipe)) && !/_ft_|^ft_/.test(recipe);
const CLASSES: Readonly<Record<string, (row: Row) => boolean>> = {
  imagenet_top1: isAlone,
  imagenet_top1_distilled: ({ recipe }) =>
    PATTERNS.distilled.test(recipe) && !PATTERNS.larger.test(recipe) && !PATTERNS.web.test(recipe),
  imagenet_top1_in22k: ({ recipe }) => PATTERNS.larger.test(recipe) && !PATTERNS.web.test(recipe),
  imagenet_top1_web: ({ recipe }) => PATTERNS.web.test(recipe),
};

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
const families = [...new Set(rows.map(({ family }) => family))].sort();
console.log(`${rows.length} rows of ${families.length} families, ${names.length} features`);

const features = rows.flatMap(({ key }) => featuresOf.get(key)!);
const standard = standardOf(features, names.length);
const points = standardised(features, standard);
const attributes = rows.flatMap(attributesOf);
const width = attributes.length / rows.length;
const recipeStandard = standardOf(attributes, width);
const recipes = standardised(attributes, recipeStandard);
const groups = featureGroups(names);
const both: GroupDistances = {
  rows: rows.length,
  of: [
    ...groupDistances(points, names.length, groups).of,
    ...groupDistances(recipes, width, RECIPE_GROUPS).of,
  ],
};
const top1 = Float64Array.from(rows, (row) => row.top1);
const centre = top1.reduce((sum, y) => sum + y, 0) / rows.length;
const deviation = Math.sqrt(top1.reduce((sum, y) => sum + (y - centre) ** 2, 0) / rows.length);
const targets = top1.map((y) => (y - centre) / deviation);

/** The best row of every network and image size, of a class. */
function bestOf(isClass: (row: Row) => boolean): number[] {
  const best = new Map<string, number>();
  rows.forEach((row, i) => {
    const known = best.get(row.key);
    if (isClass(row) && (known === undefined || row.top1 > rows[known]!.top1)) best.set(row.key, i);
  });
  return [...best.values()];
}
const classes = Object.entries(CLASSES).map(([name, isClass]) => {
  const best = bestOf(isClass);
  const at = Float64Array.from({ length: width }, (_, place) =>
    best.reduce((sum, row) => sum + recipes[row * width + place]! / best.length, 0),
  );
  return { name, best, at };
});

/** How much every row's recipe is like one: a factor of the kernel. */
function likeness(at: Float64Array, { lengths }: ProcessScales): Float64Array {
  return Float64Array.from(rows, (_, row) => {
    let exponent = 0;
    RECIPE_GROUPS.forEach((places, g) => {
      const square = places.reduce(
        (sum, place) => sum + (recipes[row * width + place]! - at[place]!) ** 2,
        0,
      );
      exponent -= (0.5 * square) / places.length / Math.exp(2 * lengths[groups.length + g]!);
    });
    return Math.exp(exponent);
  });
}

// Families left out: scales are fitted without them, too.
const random = Random.seeded(SEED);
const order = families.map((family) => ({ family, at: random.float() })).sort((a, b) => a.at - b.at);
const own = new Float64Array(rows.length);
const fixed = classes.map(() => new Float64Array(rows.length));
for (let fold = 0; fold < FOLDS; fold++) {
  const left = new Set(order.filter((_, i) => i % FOLDS === fold).map(({ family }) => family));
  const train = rowsWhere((row) => !left.has(row.family));
  const test = rowsWhere((row) => left.has(row.family));
  const some = part(both, train);
  const scales = run(fittedScales(some, pick(targets, train), { steps: 22 }));
  const weights = processWeights(some, pick(targets, train), scales);
  const like = classes.map(({ at }) => likeness(at, scales));
  for (const row of test) {
    train.forEach((other, i) => {
      const [network, recipe] = exponents(row, other, scales);
      const kernel = Math.exp(2 * scales.signal + network);
      own[row]! += kernel * Math.exp(recipe) * weights[i]!;
      fixed.forEach((found, c) => {
        found[row]! += kernel * like[c]![other]! * weights[i]!;
      });
    });
  }
  console.log(`fold ${fold + 1} of ${FOLDS}: ${left.size} families, ${test.length} rows`);
}
const value = (learned: number): number => centre + deviation * learned;
report('all rows, recipe known', [...rows.keys()], own);
classes.forEach(({ name, best }, c) => {
  report(`${name}, recipe known`, best, own);
  report(`${name}, recipe of its class`, best, fixed[c]!);
});

// The predictor: all rows, scales of all rows.
const scales = run(fittedScales(both, targets, { steps: 25 }));
const weights = processWeights(both, targets, scales);
const set = new FeatureSet(new FeatureRows(names, features));
const reach = reachOf(set)!;
const distances = Float64Array.from(rows, (_, row) => distanceOf(set.outline(row), reach));
const labels = classes.map(({ name, best }, c): LabelInfo => {
  const found = Float64Array.from(best, (row) => value(fixed[c]![row]!));
  const truths = pick(top1, best);
  const interval = conformalInterval(found, truths, { distances: pick(distances, best) });
  console.log(
    `${name}: half widths ${interval.groups.map(({ halfWidth }) => halfWidth.toFixed(2)).join(', ')}`,
  );
  return { name, unit: '%', better: 'higher', transform: 'linear', interval };
});
crossCoverage(classes[0]!.best, fixed[0]!);
const model = processModel(
  names,
  standard,
  groups,
  [
    {
      points,
      scales,
      weights: classes.map(({ at }) => {
        const like = likeness(at, scales);
        return weights.map((weight, row) => weight * like[row]!);
      }),
      means: classes.map(() => 0),
    },
  ],
  classes.map(() => ({ scale: 'linear', offset: centre, factor: deviation })),
);
const known = classes[0]!.best.map((row) => rows[row]!);
const info: PredictorInfo = {
  version: 2,
  kind: 'gaussian-process',
  entries: [{ view: 'layers', state: { names }, gives: 'values', reach }],
  labels,
  seen: { spaces: ['onnx'], rows: rows.length, seed: SEED },
  recipe: {
    model: { steps: 25, rows: rows.length },
    known: {
      names: known.map(({ name, size }) => `${name} ${size}`),
      values: known.map((row) => row.top1),
      // Standardised and scaled as the kernel sees them, in hundredths.
      points: known.map(({ key }) => scaledPoint(featuresOf.get(key)!)),
    },
  } as Json,
};
const bytes = encodeModel(withInfo(model, info));
writeFileSync(output, bytes);
console.log(`${output}: ${bytes.length} bytes`);

function scaledPoint(of: readonly number[]): number[] {
  const z = standardised(of, standard);
  return Array.from(z, (x, place) => {
    const g = groups.findIndex((places) => places.includes(place));
    return Math.round((100 * x) / Math.exp(scales.lengths[g]!) / Math.sqrt(groups[g]!.length));
  });
}

function tableRows(text: string): Row[] {
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','));
  const at = (name: string): number => head!.indexOf(name);
  return lines.map((cells) => {
    const [name, size] = [cells[at('architecture')]!, Number(cells[at('img_size')])];
    return {
      ...{ name, size, key: `${name}-${size}`, family: cells[at('family')]!, recipe: cells[at('recipe')]! },
      top1: Number(cells[at('top1')]),
    };
  });
}

function rowsWhere(is: (row: Row) => boolean): number[] {
  return rows.flatMap((row, i) => (is(row) ? [i] : []));
}

function pick(values: Float64Array, chosen: readonly number[]): Float64Array {
  return Float64Array.from(chosen, (row) => values[row]!);
}

function part({ rows: n, of }: GroupDistances, chosen: readonly number[]): GroupDistances {
  return {
    rows: chosen.length,
    of: of.map((all) => {
      const some = new Float64Array(chosen.length ** 2);
      chosen.forEach((a, i) => {
        chosen.forEach((b, j) => {
          some[i * chosen.length + j] = all[a * n + b]!;
        });
      });
      return some;
    }),
  };
}

/** Of the kernel of two rows: of their networks, and of their recipes. */
function exponents(a: number, b: number, { lengths }: ProcessScales): [network: number, recipe: number] {
  const sums: [number, number] = [0, 0];
  both.of.forEach((all, g) => {
    sums[g < groups.length ? 0 : 1] -= (0.5 * all[a * rows.length + b]!) / Math.exp(2 * lengths[g]!);
  });
  return sums;
}

function run<T>(steps: Generator<number, T>): T {
  for (;;) {
    const { done, value: result } = steps.next();
    if (done) return result;
  }
}

function report(what: string, chosen: readonly number[], found: Float64Array): void {
  const predictions = Float64Array.from(chosen, (row) => value(found[row]!));
  const truths = pick(top1, chosen);
  const figures = `tau-b ${kendallTauB(predictions, truths).toFixed(3)} MAE ${mae(predictions, truths).toFixed(3)}`;
  console.log(`${what}: ${chosen.length} rows, ${figures}`);
}

/** Coverage of intervals on families that the widths were not made from, five times. */
function crossCoverage(chosen: readonly number[], found: Float64Array): void {
  let [inside, all] = [0, 0];
  for (let fold = 0; fold < 5; fold++) {
    const left = new Set(order.filter((_, i) => i % 5 === fold).map(({ family }) => family));
    const [fit, test] = [
      chosen.filter((row) => !left.has(rows[row]!.family)),
      chosen.filter((row) => left.has(rows[row]!.family)),
    ];
    const predictionsOf = (some: readonly number[]): Float64Array =>
      Float64Array.from(some, (row) => value(found[row]!));
    const rule = conformalInterval(predictionsOf(fit), pick(top1, fit), { distances: pick(distances, fit) });
    inside +=
      coverageOf(predictionsOf(test), pick(top1, test), rule, 'linear', pick(distances, test)) * test.length;
    all += test.length;
  }
  console.log(`90% intervals hold ${((100 * inside) / all).toFixed(1)}% of networks of families left out`);
}
