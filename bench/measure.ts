// What `auspex measure` says of a network, against a loop over the same session that is written by hand: as many processes of
// each, in turn, one thread. Wall and processor time; on a busy machine only the latter can be compared.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { diskResolver } from '../src/app/resolve.js';
import { prepareNetwork } from '../src/measure/prepare.js';
import { measureInProcess } from '../src/measure/process.js';
import { median, ratioOf } from '../src/measure/statistics.js';
import { STOPPING } from '../src/measure/stopping.js';

const RUNS = 200;
const WARM_UP = 50;
const PAIRS = 10;

/** As anybody would write it. */
const BY_HAND = `
const ort = require('onnxruntime-node');
const [file, name, dims] = process.argv.slice(1);
(async () => {
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1, logSeverityLevel: 4 });
  const shape = dims.split('x').map(Number);
  const feeds = { [name]: new ort.Tensor('float32', new Float32Array(shape.reduce((n, d) => n * d, 1)).fill(0.5), shape) };
  for (let i = 0; i < ${WARM_UP}; i++) await session.run(feeds);
  const [wall, cpu] = [[], []];
  for (let i = 0; i < ${RUNS}; i++) {
    const before = process.cpuUsage();
    const start = performance.now();
    await session.run(feeds);
    wall.push(performance.now() - start);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  console.log(JSON.stringify({ wall, cpu }));
})();`;

interface Times {
  readonly wall: readonly number[];
  readonly cpu: readonly number[];
}

const files = process.argv.slice(3);
if (files.length === 0) files.push('examples/resnet8.onnx');
for (const file of files) {
  const prepared = prepareNetwork(diskResolver().network(file), { sizes: {}, seed: 0 });
  const [[name, { dims }]] = Object.entries(prepared.inputs) as [[string, (typeof prepared.inputs)[string]]];
  const path = resolve(prepared.file);
  const ours: Record<keyof Times, number[]> = { wall: [], cpu: [] };
  const hand: Record<keyof Times, number[]> = { wall: [], cpu: [] };
  const note = (side: Record<keyof Times, number[]>, { wall, cpu }: Times): void => {
    side.wall.push(median(wall));
    side.cpu.push(median(cpu));
  };
  const rule = { ...STOPPING, leastRuns: RUNS, mostRuns: RUNS, seconds: 600 };
  const data = new Float32Array(dims.reduce((n, d) => n * d, 1)).fill(0.5);
  const inputs = { [name]: { type: 'float32' as const, dims, data } };
  const settings = { threads: 1, provider: 'cpu', optimization: 'all' as const };
  for (let i = 0; i < PAIRS; i++) {
    const { wallMs, cpuMs } = await measureInProcess(
      { file: path, inputs, settings, rule },
      { seconds: 600 },
    );
    note(ours, { wall: wallMs, cpu: cpuMs });
    const printed = execFileSync(process.execPath, ['-e', BY_HAND, path, name, dims.join('x')], {
      encoding: 'utf8',
    });
    note(hand, JSON.parse(printed) as Times);
  }
  for (const clock of ['wall', 'cpu'] as const) {
    const { ratio, interval } = ratioOf(ours[clock], hand[clock]);
    const [low, high] = interval.map((x) => `${((x - 1) * 100).toFixed(2)}%`);
    console.log(
      `${file} ${clock}: measure ${median(ours[clock]).toFixed(4)} ms, by hand ${median(hand[clock]).toFixed(4)} ms, ` +
        `ratio ${((ratio - 1) * 100).toFixed(2)}% (95% interval ${low} to ${high}, ${PAIRS} processes of each)`,
    );
  }
  prepared.dispose();
}
