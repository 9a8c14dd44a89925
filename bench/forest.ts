// How fast random forests are fitted and asked, beside scikit-learn with one thread on the same rows. Both must be as good on
// rows that are new to them.
import { r2 } from '../src/metrics/index.js';
import { RandomForest } from '../src/predictors/trees/random-forest.js';
import { FeatureRows } from '../src/predictors/views/feature-rows.js';
import { Answerer, python } from './answerer.js';
import { type Bench, generator, type Options, timed } from './bench.js';

/** Like Friedman's first problem, by a generator that the peer has, too. */
function problem(seed: number, { values }: Options): { rows: FeatureRows; targets: Float64Array } {
  const [rows, columns] = [Number(values.rows), Number(values.columns)];
  const draw = generator(seed);
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

export const bench: Bench = {
  options: {
    rows: { type: 'string', default: '1000' },
    columns: { type: 'string', default: '20' },
    trees: { type: 'string', default: '20,100' },
  },

  async rows(options, side) {
    const { rows, columns, trees } = options.values;
    const sklearn = python(['bench/peers/forest.py', rows!, columns!], 'scikit-learn');
    const counts = trees!.split(',');
    await expectAsGood(options, Number(counts[0]), await Answerer.start(sklearn));
    return counts.flatMap((count) =>
      ['fit', 'predict'].map((what) => ({
        name: `${what}, ${count} trees`,
        ours: { side, line: `${what} ${count}` },
        peers: [{ side: sklearn, line: `${what} ${count}` }] as const,
      })),
    );
  },

  async side(options) {
    const [train, test] = [problem(1, options), problem(2, options)];
    let fitted: { readonly trees: number; readonly forest: RandomForest } | undefined;
    const fit = (trees: number): RandomForest => {
      const { forest } = RandomForest.fit(train.rows, train.targets, { trees });
      fitted = { trees, forest };
      return forest;
    };
    return async (line) => {
      const [what, count] = line.split(' ');
      const trees = Number(count);
      if (what === 'fit') return timed(() => fit(trees));
      const forest = fitted?.trees === trees ? fitted.forest : fit(trees);
      return timed(() => forest.predict(test.rows));
    };
  },
};

async function expectAsGood(
  options: Options,
  trees: number,
  { answerer }: { answerer: Answerer },
): Promise<void> {
  const [train, test] = [problem(1, options), problem(2, options)];
  const { forest } = RandomForest.fit(train.rows, train.targets, { trees });
  const ours = r2(forest.predict(test.rows).means, test.targets);
  const theirs = Number(await answerer.ask(`r2 ${trees}`));
  await answerer.close();
  console.log(`R² on new rows, ${trees} trees: ${ours.toFixed(3)}, scikit-learn ${theirs.toFixed(3)}`);
  if (!(ours > theirs - 0.02)) throw new Error('the forest is worse than scikit-learn');
}
