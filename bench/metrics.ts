// How fast rank correlations are at the size of NAS-Bench-101 (423,624 rows, with ties), beside SciPy on the same rows:
// each measured in turn, in one run; medians and their ratio. Both must find the same number.
// Options: --rows 423624, --repeats 9.
import { parseArgs } from 'node:util';
import { metricNamed } from '../src/metrics/index.js';
import { inTurn, Peer } from './peer.js';

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rows: { type: 'string', default: '423624' },
    repeats: { type: 'string', default: '9' },
  },
});
const rows = Number(options.rows);
const counts = { repeats: Number(options.repeats), warmUp: 3 };

/** Accuracies of four decimals and noisy predictions of five, by a generator that the peer has, too. */
function generate(): { predictions: Float64Array; truths: Float64Array } {
  let state = 1;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  const [predictions, truths] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++) {
    const level = draw() % 2003;
    truths[i] = (7500 + level) / 10_000;
    predictions[i] = (75_000 + 10 * level + (draw() % 9001)) / 100_000;
  }
  return { predictions, truths };
}

const { predictions, truths } = generate();
const peer = new Peer(['bench/peers/metrics.py', String(rows)], 'scipy');
console.log(
  `${rows} rows, SciPy ${await peer.line()}, medians of ${counts.repeats} in turn after ${counts.warmUp}`,
);
console.log('               auspex     SciPy  ratio  first run');
for (const name of ['tau-b', 'spearman', 'pearson']) {
  const { compute } = metricNamed(name);
  let value = 0;
  const run = async (): Promise<number> => {
    const start = performance.now();
    value = compute(predictions, truths);
    return performance.now() - start;
  };
  const first = await run();
  const expected = await peer.measure(`value ${name}`);
  if (!(Math.abs(value - expected) < 1e-12)) throw new Error(`${name}: ${value}, but SciPy has ${expected}`);
  const { ours, theirs, ratio } = await inTurn(run, () => peer.measure(`time ${name}`), counts);
  const cells = [
    `${ours.toFixed(1)} ms`.padStart(10),
    `${theirs.toFixed(1)} ms`.padStart(10),
    `${ratio.toFixed(2)}x`.padStart(7),
    `${first.toFixed(0)} ms`.padStart(11),
  ];
  console.log(`${name.padEnd(11)}${cells.join('')}`);
}
peer.close();
