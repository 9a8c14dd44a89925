// How well the NNLQP families are predicted with families or networks left out: by sums of kernels, and by boosted trees and
// lines on what whole networks compute. Writes the table as Markdown.
//
//   node build/verify/nnlqp/kernel-sums.js verify/nnlqp
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { profiledKernels } from '../../src/measure/calibration/profiled-kernels.js';
import { kernelNumbers } from '../../src/predictors/devices/kernels/class.js';
import { corrected, fitCorrection, sumOfKernels } from '../../src/predictors/devices/kernels/network-time.js';
import { fitTimes, type TimedKernel } from '../../src/predictors/devices/kernels/times.js';
import { BOOSTING, boostedValue, fitBoosted } from '../../src/predictors/trees/boosted-trees.js';
import { Random } from '../../src/util/random.js';

const BLOCK = 16;
/** Of a thousand classes. */
const OUTPUT_BYTES = 4000;
const FOLDER = process.argv[2] ?? 'verify/nnlqp';

interface Measured {
  readonly family: string;
  readonly ms: number;
  readonly timed: readonly TimedKernel[];
}

function textOf(file: string): string {
  return gunzipSync(readFileSync(join(FOLDER, file))).toString();
}

const sizes = (text: string): number[][] =>
  text === '' ? [] : text.split(',').map((one) => (one === '' ? [] : one.split('x').map(Number)));

function networks(): Measured[] {
  const [configurations, lines] = textOf('kernels.txt.gz').split('\n\n') as [string, string];
  const known = configurations.split('\n').map((line) => {
    const [operator, inputs, outputs] = line.split(' ') as [string, string, string];
    return {
      name: '',
      operator,
      provider: '',
      timeMs: 0,
      calls: 1,
      bytes: 0,
      inputs: sizes(inputs),
      outputs: sizes(outputs),
    };
  });
  const latencies = new Map<string, number[]>();
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [family, index, ...kernels] = line.split(' ') as [string, string, ...string[]];
      let own = latencies.get(family);
      if (own === undefined) {
        const rows = textOf(`nnlqp_${family}.csv.gz`).trim().split('\n').slice(2);
        own = rows.map((row) => Number(row.split(',').at(-3)));
        latencies.set(family, own);
      }
      const timed = kernels.flatMap((text) => {
        const [kernel, us] = text.split(':').map(Number) as [number, number];
        return profiledKernels([{ ...known[kernel]!, quickMs: us / 1000 }], BLOCK);
      });
      return { family, ms: own[Number(index)]!, timed };
    });
}

/** Fitted to some networks: predicts others. */
type Method = (train: readonly Measured[]) => (network: Measured) => number;

const kernelSums: Method = (train) => {
  const times = fitTimes(
    train.flatMap(({ timed }) => timed),
    100,
  );
  const sum = ({ timed }: Measured) =>
    sumOfKernels(
      times,
      timed.map(({ kernel }) => kernel),
      OUTPUT_BYTES,
    );
  const correction = fitCorrection(
    train.map(sum),
    train.map(({ ms }) => ms),
  );
  return (network) => corrected(sum(network), correction);
};

/** FLOPs, bytes and number of kernels, in all and of each class. */
function rowOf({ timed }: Measured, classes: readonly string[]): number[] {
  const sums = new Map(['', ...classes].map((name) => [name, [0, 0, 0]]));
  for (const { kernel } of timed) {
    const { class: name, work } = kernelNumbers(kernel);
    for (const own of [sums.get(''), sums.get(name)]) {
      if (own === undefined) continue;
      own[0]! += work[0]!;
      own[1]! += work[1]! + work[2]! + work[3]!;
      own[2]! += 1;
    }
  }
  return [...sums.values()].flat().map(Math.log1p);
}

const trees: Method = (train) => {
  const classes = [
    ...new Set(train.flatMap(({ timed }) => timed.map(({ kernel }) => kernelNumbers(kernel).class))),
  ];
  const rows = train.map((network) => rowOf(network, classes));
  const model = fitBoosted(
    rows,
    Float64Array.from(train, ({ ms }) => Math.log(ms)),
    { ...BOOSTING, leaves: 15 },
  );
  return (network) => Math.exp(boostedValue(model, rowOf(network, classes)));
};

/** log ms as a line in the first columns of a row. */
const line =
  (columns: number): Method =>
  (train) => {
    const rows = train.map((network) => [...rowOf(network, []).slice(0, columns), 1]);
    const weights = leastSquares(
      rows,
      train.map(({ ms }) => Math.log(ms)),
    );
    return (network) => Math.exp(dot([...rowOf(network, []).slice(0, columns), 1], weights));
  };

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0);

function leastSquares(rows: readonly number[][], targets: readonly number[]): number[] {
  const n = rows[0]!.length;
  const m = Array.from({ length: n }, (_, i) => [
    ...Array.from({ length: n }, (_, j) =>
      rows.reduce((sum, row) => sum + row[i]! * row[j]!, i === j ? 1e-9 : 0),
    ),
    rows.reduce((sum, row, k) => sum + row[i]! * targets[k]!, 0),
  ]);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      const factor = m[j]![i]! / m[i]![i]!;
      m[j] = m[j]!.map((x, k) => x - factor * m[i]![k]!);
    }
  }
  return m.map((row, i) => row[n]! / row[i]!);
}

const METHODS: Readonly<Record<string, Method>> = {
  'sum of kernels': kernelSums,
  trees,
  'FLOPs + memory': line(2),
  FLOPs: line(1),
};

interface Score {
  readonly mape: number;
  readonly within10: number;
  readonly within5: number;
}

function scoreOf(errors: readonly number[]): Score {
  const share = (most: number) => (100 * errors.filter((error) => error <= most).length) / errors.length;
  return {
    mape: (100 * errors.reduce((a, b) => a + b, 0)) / errors.length,
    within10: share(0.1),
    within5: share(0.05),
  };
}

const text = ({ mape, within10, within5 }: Score): string =>
  `${mape.toFixed(2)} / ${within10.toFixed(0)} / ${within5.toFixed(0)}`;

const all = networks();
const families = [...new Set(all.map(({ family }) => family))].sort();
const names = Object.keys(METHODS);
console.log(
  `| left out | ${names.join(' | ')} | sum of kernels + 3 networks |\n|---|${'---|'.repeat(names.length + 1)}`,
);
const totals = new Map<string, number[]>();
const relative = (predict: (network: Measured) => number, test: readonly Measured[]): number[] =>
  test.map((network) => Math.abs(predict(network) / network.ms - 1));

for (const family of families) {
  const train = all.filter((network) => network.family !== family);
  const test = all.filter((network) => network.family === family);
  const scores = names.map((name) => {
    const score = scoreOf(relative(METHODS[name]!(train), test));
    totals.set(name, [...(totals.get(name) ?? []), score.mape]);
    return text(score);
  });
  // Three networks of the family tell a factor, and their kernels.
  const few = Array.from(Random.seeded(3).sample(test.length, 3), (i) => test[i]!);
  const known = METHODS['sum of kernels']!([...train, ...few]);
  const factor = Math.exp(few.reduce((sum, network) => sum + Math.log(network.ms / known(network)), 0) / 6);
  const rest = test.filter((network) => !few.includes(network));
  const withFew = scoreOf(relative((network) => factor * known(network), rest));
  totals.set('few', [...(totals.get('few') ?? []), withFew.mape]);
  console.log(`| ${family} | ${scores.join(' | ')} | ${text(withFew)} |`);
}
const means = [...names, 'few'].map((name) => totals.get(name)!);
const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
console.log(`| **mean MAPE** | ${means.map((list) => mean(list).toFixed(2)).join(' | ')} |`);
console.log(
  `| **median MAPE** | ${means.map((list) => list.toSorted((a, b) => a - b)[list.length >> 1]!.toFixed(2)).join(' | ')} |`,
);

// Lines of the file take turns by family: blocks of ten lines have one network of each.
const fold = all.map((_, i) => Math.floor(i / families.length) % 5);
const inDomain = names.map((name) => {
  const errors: number[] = [];
  for (let k = 0; k < 5; k++) {
    const predict = METHODS[name]!(all.filter((_, i) => fold[i] !== k));
    errors.push(
      ...relative(
        predict,
        all.filter((_, i) => fold[i] === k),
      ),
    );
  }
  return text(scoreOf(errors));
});
console.log(`| 5 folds, all families | ${inDomain.join(' | ')} | – |`);
