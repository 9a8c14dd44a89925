// How fast architectures become networks and numbers: in one process, and by the command with its start.
// Options: --count 2000.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { cost } from '../src/analysis/cost.js';
import { inferShapes } from '../src/analysis/infer.js';
import { describeArchitecture, spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { median } from './blocks.js';

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { count: { type: 'string', default: '2000' } },
});

/** Milliseconds for each of many runs. */
function times(count: number, work: () => void): number[] {
  return Array.from({ length: count }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
}

const WARM_UP = 200;
console.log('one thread, seed 1; median and 95th percentile of one call, after a warm-up\n');
for (const name of [
  'nasbench201',
  'nasbench101',
  'darts',
  'ofa-mobilenetv3',
  'ofa-resnet',
  'autoformer-tiny',
]) {
  const space = spaceNamed(name);
  const random = Random.seeded(1);
  const describe = (): void => void describeArchitecture(space, space.sample(random));
  times(WARM_UP, describe);
  const start = performance.now();
  const each = times(Number(flags.count), describe).sort((a, b) => a - b);
  const perSecond = (1000 * each.length) / (performance.now() - start);
  const costs = times(100, () => void cost(inferShapes(space.network(space.sample(random)))));
  console.log(
    `${name.padEnd(18)} describe ${perSecond.toFixed(0).padStart(6)}/s` +
      `  ${median(each).toFixed(2)} ms, 95%: ${each[Math.floor(each.length * 0.95)]!.toFixed(2)} ms` +
      `   build and cost ${median(costs).toFixed(2)} ms`,
  );
}

const arch = spaceNamed('nasbench201').example;
const input = `${arch}\n`.repeat(2000);
const start = performance.now();
const child = spawnSync(
  process.execPath,
  ['dist/cli/main.js', 'space', 'describe', 'nasbench201', '--input', '-', '--json'],
  { input, maxBuffer: 2 ** 28 },
);
if (child.status !== 0) throw new Error(String(child.stderr));
const seconds = (performance.now() - start) / 1000;
console.log(
  `\n\`auspex space describe\` of 2000 NAS-Bench-201 networks: ${seconds.toFixed(2)} s, ` +
    `${(2000 / seconds).toFixed(0)}/s with the start of the process`,
);
