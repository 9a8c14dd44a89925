// How fast rank correlations are at the size of NAS-Bench-101 (423,624 rows, with ties), beside SciPy on the same rows. Both
// must find the same number.
import { metricNamed } from '../src/metrics/index.js';
import { Answerer, python } from './answerer.js';
import { type Bench, generator, timed } from './bench.js';

const NAMES = ['tau-b', 'spearman', 'pearson'];

/** Accuracies of four decimals and noisy predictions of five, by a generator that the peer has, too. */
function generate(rows: number): { predictions: Float64Array; truths: Float64Array } {
  const draw = generator(1);
  const whole = (): number => draw() * 2 ** 24;
  const [predictions, truths] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++) {
    const level = whole() % 2003;
    truths[i] = (7500 + level) / 10_000;
    predictions[i] = (75_000 + 10 * level + (whole() % 9001)) / 100_000;
  }
  return { predictions, truths };
}

export const bench: Bench = {
  options: { rows: { type: 'string', default: '423624' } },

  async rows({ values: { rows } }, side) {
    const scipy = python(['bench/peers/metrics.py', rows!], 'scipy');
    const { predictions, truths } = generate(Number(rows));
    const { answerer } = await Answerer.start(scipy);
    for (const name of NAMES) {
      const ours = metricNamed(name).compute(predictions, truths);
      const theirs = Number(await answerer.ask(`value ${name}`));
      if (!(Math.abs(ours - theirs) < 1e-12)) throw new Error(`${name}: ${ours}, but SciPy has ${theirs}`);
    }
    await answerer.close();
    return NAMES.map((name) => ({
      name,
      ours: { side, line: name },
      peers: [{ side: scipy, line: `time ${name}` }],
    }));
  },

  async side({ values: { rows } }) {
    const { predictions, truths } = generate(Number(rows));
    return (name) => timed(() => metricNamed(name).compute(predictions, truths));
  },
};
