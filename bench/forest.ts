// How fast random forests are fitted and asked, beside scikit-learn with one thread on the same rows. Both must be as good on
// rows that are new to them.
import { r2 } from '../src/metrics/index.js';
import { RandomForest } from '../src/predictors/trees/random-forest.js';
import { FeatureRows } from '../src/predictors/views/feature-rows.js';
import { Answerer, python } from './answerer.js';
import { type Bench, generator, timed } from './bench.js';

interface Problem {
  readonly rows: number;
  readonly columns: number;
}

/** Like Friedman's first problem, by a generator that the peer has, too. */
function samples(seed: number, { rows, columns }: Problem): { rows: FeatureRows; targets: Float64Array } {
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
    /** rows x columns x trees */
    problems: { type: 'string', default: '1000x20x20,1000x20x100,12334x160x4' },
  },

  async rows({ values: { problems } }, side) {
    const sklearn = python(['bench/peers/forest.py'], 'scikit-learn');
    const given = problems!.split(',').map((text) => text.split('x').map(Number) as [number, number, number]);
    const [[rows, columns, trees]] = given as [[number, number, number]];
    await expectAsGood({ rows, columns }, trees, await Answerer.start(sklearn));
    return given.flatMap((problem) =>
      ['fit', 'predict'].map((what) => {
        const line = [what, ...problem].join(' ');
        const [of, wide, count] = problem;
        return {
          name: `${what}, ${count} trees, ${of.toLocaleString('en')} × ${wide}`,
          ours: { side, line },
          peers: [{ side: sklearn, line }] as const,
          // Large fits take seconds.
          ...(of * wide > 1e6 && what === 'fit' ? { repeats: 3 } : {}),
        };
      }),
    );
  },

  async side() {
    let known: { readonly line: string; predict(): unknown; fit(): unknown } | undefined;
    return async (line) => {
      const [what, ...numbers] = line.split(' ');
      const [rows, columns, trees] = numbers.map(Number) as [number, number, number];
      if (known?.line !== line) {
        const [train, test] = [1, 2].map((seed) => samples(seed, { rows, columns })) as [Samples, Samples];
        const fit = () => RandomForest.fit(train.rows, train.targets, { trees });
        const forest = what === 'fit' ? undefined : fit().forest;
        known = { line, fit, predict: () => forest!.predict(test.rows) };
      }
      const { fit, predict } = known;
      return timed(what === 'fit' ? fit : predict);
    };
  },
};

type Samples = ReturnType<typeof samples>;

async function expectAsGood(
  problem: Problem,
  trees: number,
  { answerer }: { answerer: Answerer },
): Promise<void> {
  const [train, test] = [samples(1, problem), samples(2, problem)];
  const { forest } = RandomForest.fit(train.rows, train.targets, { trees });
  const ours = r2(forest.predict(test.rows).means, test.targets);
  const theirs = Number(await answerer.ask(`r2 ${problem.rows} ${problem.columns} ${trees}`));
  await answerer.close();
  console.log(`R² on new rows, ${trees} trees: ${ours.toFixed(3)}, scikit-learn ${theirs.toFixed(3)}`);
  if (!(ours > theirs - 0.02)) throw new Error('the forest is worse than scikit-learn');
}
