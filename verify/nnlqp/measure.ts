// Measures networks of the ten NNLQP families with ONNX Runtime on this machine: one thread, batch 1. Resumable: a network
// that has a line in the table is not measured again.
//
//   chrt -f 10 taskset -c 1 node --expose-gc build/verify/nnlqp/measure.js --count 200 --table networks.csv --kernels k.jsonl
//
// Real-time priority on one core keeps other processes from interrupting a run. Families take turns, so that what slows the
// machine for a while slows all of them. Each network runs in a session without profiling, until it has run for 0.4 seconds
// and at least three times after warming up; then a few times in a session with profiling, for the times of its kernels.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as ort from 'onnxruntime-node';
import type { Model } from '../../src/graph/graph.js';
import { elementCount } from '../../src/graph/tensor.js';
import { standardBlock, withCheapWeights } from '../../src/measure/calibration/cheap-weights.js';
import { median } from '../../src/measure/statistics.js';
import { encodeModel } from '../../src/onnx/write.js';
import { nnlqpFamilies } from '../../src/spaces/nnlqp/families.js';
import type { AnySpace } from '../../src/spaces/space.js';
import { Random } from '../../src/util/random.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    table: { type: 'string', default: 'networks.csv' },
    kernels: { type: 'string', default: 'kernels.jsonl' },
    /** Seconds of running a network, and the share of time in which the core is left to others. */
    seconds: { type: 'string', default: '0.4' },
    rest: { type: 'string', default: '0.2' },
  },
});

/** Of weights; larger networks are drawn again, as the runtime holds weights several times. */
const MOST_WEIGHT_BYTES = 4e8;
const PROFILED_RUNS = 3;
const HEADER = 'family,index,arch,runs,wall_ms,wall_min_ms,cpu_ms,spread';
const BLOCK = standardBlock();
const SETTINGS: ort.InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'all',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionProviders: ['cpu'],
  logSeverityLevel: 4,
};

function weightBytes(model: Model): number {
  return [...model.graph.initializers.values()].reduce((sum, tensor) => sum + 4 * elementCount(tensor), 0);
}

function drawn(space: AnySpace, stream: number): { readonly text: string; readonly model: Model } {
  const random = Random.seeded(20, stream);
  for (;;) {
    const arch = space.sample(random);
    const model = space.network(arch);
    if (weightBytes(model) > MOST_WEIGHT_BYTES) continue;
    return { text: space.format(arch), model: withCheapWeights(model) };
  }
}

interface Times {
  readonly wall: number[];
  readonly cpu: number[];
}

async function timesOf(run: () => Promise<unknown>, seconds: number): Promise<Times> {
  await run();
  await run();
  const times: Times = { wall: [], cpu: [] };
  for (let spent = 0; spent < seconds * 1000 || times.wall.length < 3; ) {
    const before = process.cpuUsage();
    const start = performance.now();
    await run();
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    times.wall.push(wall);
    times.cpu.push((user + system) / 1000);
    spent += wall;
    if (times.wall.length >= 200) break;
    // The kernel takes the core from a real-time process that never waits.
    if (wall > 100) await sleep(wall / 15);
  }
  return undisturbed(times);
}

/** Without the runs in which the process had to wait for its core, if enough others are left. */
function undisturbed({ wall, cpu }: Times): Times {
  const kept = wall.flatMap((ms, i) => (ms <= 1.03 * cpu[i]! + 0.01 ? i : []));
  if (kept.length < 3) return { wall, cpu };
  return { wall: kept.map((i) => wall[i]!), cpu: kept.map((i) => cpu[i]!) };
}

interface Event {
  readonly cat: string;
  readonly name: string;
  readonly dur: number;
  readonly args?: {
    readonly op_name?: string;
    readonly node_index?: string;
    readonly input_type_shape?: readonly Record<string, number[]>[];
    readonly output_type_shape?: readonly Record<string, number[]>[];
  };
}

/** Kernels as [operator, shapes of inputs, shapes of outputs, median of microseconds]. */
async function kernelsOf(bytes: Uint8Array, feeds: Record<string, ort.Tensor>): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'nnlqp-'));
  try {
    const session = await ort.InferenceSession.create(bytes, {
      ...SETTINGS,
      enableProfiling: true,
      profileFilePrefix: join(folder, 'profile'),
    });
    for (let i = 0; i <= PROFILED_RUNS; i++) await session.run(feeds);
    session.endProfiling();
    await session.release();
    const file = readdirSync(folder)[0]!;
    const events = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Event[];
    const found = new Map<string, { first: Event; us: number[] }>();
    for (const event of events) {
      if (event.cat !== 'Node' || !event.name.endsWith('_kernel_time')) continue;
      const key = `${event.args?.node_index} ${event.name}`;
      const entry = found.get(key) ?? { first: event, us: [] };
      entry.us.push(event.dur);
      found.set(key, entry);
    }
    const shapes = (list: readonly Record<string, number[]>[] = []) =>
      list.map((one) => Object.values(one)[0]);
    return [...found.values()].map(({ first, us }) => [
      first.args?.op_name,
      shapes(first.args?.input_type_shape),
      shapes(first.args?.output_type_shape),
      median(us.slice(1)),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const done = new Set(
  existsSync(values.table)
    ? readFileSync(values.table, 'utf8')
        .split('\n')
        .map((line) => line.split(',').slice(0, 2).join(','))
    : [],
);
if (done.size === 0) appendFileSync(values.table, `${HEADER}\n`);

for (let index = 0; index < Number(values.count); index++) {
  for (const [place, space] of nnlqpFamilies.entries()) {
    const family = space.name.replace('nnlqp-', '');
    if (done.has(`${family},${index}`)) continue;
    const begun = performance.now();
    const { text, model } = drawn(space, place * 100_000 + index);
    const bytes = encodeModel(model);
    const { resolution } = space.defaults;
    const pixels = Float32Array.from({ length: 3 * resolution ** 2 }, (_, i) => BLOCK[i % BLOCK.length]!);
    const feeds = {
      [model.graph.inputs[0]!.name]: new ort.Tensor('float32', pixels, [1, 3, resolution, resolution]),
    };
    const session = await ort.InferenceSession.create(bytes, SETTINGS);
    await sleep(20);
    const { wall, cpu } = await timesOf(() => session.run(feeds), Number(values.seconds));
    await session.release();
    const kernels = await kernelsOf(bytes, feeds);
    const [middle, least] = [median(wall), Math.min(...wall)];
    const spread = median(wall.map((ms) => Math.abs(ms - middle))) / middle;
    const numbers = [middle, least, median(cpu)].map((ms) => ms.toFixed(4));
    appendFileSync(values.kernels, `${JSON.stringify({ family, index, kernels })}\n`);
    appendFileSync(
      values.table,
      `${family},${index},"${text}",${wall.length},${numbers.join(',')},${spread.toFixed(4)}\n`,
    );
    (globalThis as { gc?: () => void }).gc?.();
    const took = performance.now() - begun;
    if (index < 2)
      console.log(family, index, `${took.toFixed(0)} ms`, `wall ${middle.toFixed(2)}`, `runs ${wall.length}`);
    await sleep(took * Number(values.rest));
  }
}
