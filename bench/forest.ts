// How fast random forests are fitted and asked, beside scikit-learn with one thread on the same rows: each measured in
// turn, in one run; medians and their ratio. Both must be as good on rows that are new to them.
// Options: --rows 1000, --columns 20, --trees 20,100, --repeats 9.
import { parseArgs } from 'node:util';
import { r2 } from '../src/metrics/index.js';
import { RandomForest } from '../src/predictors/trees/random-forest.js';
import { FeatureRows } from '../src/predictors/views/feature-rows.js';
import { inTurn, Peer } from './peer.js';

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rows: { type: 'string', default: '1000' },
    columns: { type: 'string', default: '20' },
    trees: { type: 'string', default: '20,100' },
    repeats: { type: 'string', default: '9' },
  },
});
const [rows, columns] = [Number(options.rows), Number(options.columns)];
const counts = { repeats: Number(options.repeats), warmUp: 2 };

/** Like Friedman's first problem, by a generator that the peer has, too. */
function problem(seed: number): { rows: FeatureRows; targets: Float64Array } {
  let state = seed;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  const data = new Float32Array(rows * columns);
  const targets = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let f = 0; f < columns; f++) data[i * columns + f] = draw();
    const [a, b, c, d] = data.subarray(i * columns, i * columns + 4) as unknown as number[];
    targets[i] = 10 * a! * b! + 20 * (c! - 0.5) * (c! - 0.5) + 10 * d! + 2 * draw();
  }
  const names = Array.from({ length: columns }, (_, f) => `x${f}`);
  return { rows: new FeatureRows(names, data), targets };
}

async function timed(work: () => void): Promise<number> {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const train = problem(1);
const test = problem(2);
const peer = new Peer(['bench/peers/forest.py', options.rows, options.columns], 'scikit-learn');
console.log(
  `${rows} rows of ${columns} features, scikit-learn ${await peer.line()}, medians of ${counts.repeats} in turn after ${counts.warmUp}`,
);
console.log('                  auspex  scikit-learn  ratio  first run');
for (const trees of options.trees.split(',').map(Number)) {
  let { forest } = RandomForest.fit(train.rows, train.targets, { trees: 1 });
  const tasks: Readonly<Record<string, () => void>> = {
    fit: () => {
      forest = RandomForest.fit(train.rows, train.targets, { trees }).forest;
    },
    predict: () => void forest.predict(test.rows),
  };
  for (const [name, task] of Object.entries(tasks)) {
    const first = await timed(task);
    await peer.measure(`${name} ${trees}`);
    const measured = await inTurn(
      () => timed(task),
      () => peer.measure(`${name} ${trees}`),
      counts,
    );
    const cells = [
      `${measured.ours.toFixed(1)} ms`.padStart(10),
      `${measured.theirs.toFixed(1)} ms`.padStart(14),
      `${measured.ratio.toFixed(2)}x`.padStart(7),
      `${first.toFixed(0)} ms`.padStart(11),
    ];
    console.log(`${name.padEnd(8)}${String(trees).padStart(4)} trees${cells.join('')}`);
  }
  const ours = r2(forest.predict(test.rows).means, test.targets);
  const theirs = await peer.measure(`r2 ${trees}`);
  console.log(`R² on new rows: ${ours.toFixed(3)}, scikit-learn ${theirs.toFixed(3)}`);
  if (!(ours > theirs - 0.02)) throw new Error('the forest is worse than scikit-learn');
}
peer.close();
