// What the engine's benchmark times: training steps and inference of an objective, on batches made here.
import { cost } from '../../src/analysis/cost.js';
import { inferShapes } from '../../src/analysis/infer.js';
import type { Model } from '../../src/graph/graph.js';
import { freeze } from '../../src/nn/freeze.js';
import { initialValues } from '../../src/nn/initialise.js';
import { NoiseSource } from '../../src/nn/noise.js';
import type { Optimiser } from '../../src/nn/optimiser.js';
import { type BatchShapes, type Objective, trace, trainingStep } from '../../src/nn/step.js';
import { State, Stepper } from '../../src/nn/stepper.js';
import { channelBlock } from '../../src/runtime/channel-block.js';
import { type Feeds, type HostTensor, hostTensor, Session } from '../../src/runtime/session.js';
import { Random } from '../../src/util/random.js';
import * as former from './nn-former.js';

/** Something that is timed: one run gives milliseconds. */
export interface Runner {
  readonly macs: number;
  readonly buildMs: number;
  run(): Promise<number>;
  dispose(): Promise<void>;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function macsOf(model: Model): number {
  return Number(cost(inferShapes(model)).totals.macs);
}

/** Steps of an optimiser on one batch. */
export async function training(
  objective: Objective,
  shapes: BatchShapes,
  batch: Feeds,
  optimiser: Optimiser,
  threads: number,
): Promise<Runner> {
  const start = performance.now();
  const step = trainingStep(objective, shapes, {
    optimiser,
    gradientNorm: false,
    channelBlock: await channelBlock(),
  });
  const values = step.state.map(({ name, dims, role, parameter }) => {
    const data = role === 'parameter' ? initialValues(parameter, 0) : new Float32Array(size(dims));
    return [name, { dims, data }] as const;
  });
  const stepper = await Stepper.create(step, await State.of(new Map(values)), { threads });
  const buildMs = performance.now() - start;
  const noise = new NoiseSource(step.noise, 0);
  let count = 0;
  const run = async (): Promise<void> => {
    count++;
    const scalars: Record<string, HostTensor> = {};
    for (const [name, value] of Object.entries(optimiser.scalars(count, 1e-4))) {
      scalars[step.scalars[name]!] = await hostTensor('float32', Float32Array.of(value), []);
    }
    await stepper.run({ ...batch, ...scalars, ...(await noise.feeds(count)) });
  };
  return { macs: macsOf(step.model), buildMs, run: () => timed(run), dispose: () => stepper.dispose() };
}

/** The trained model alone; its weights are constants. */
export async function inference(
  objective: Objective,
  shapes: BatchShapes,
  batch: Feeds,
  threads: number,
): Promise<Runner> {
  const start = performance.now();
  const { model, trace: traced } = trace(shapes, false, objective.predict, 'prediction');
  const weights = [...traced.parameters.values()].map((p) => [p.name, initialValues(p, 0)] as const);
  const frozen = freeze(model, new Map(weights));
  const session = await Session.create(frozen, { threads });
  const feeds = Object.fromEntries(session.inputs.map((name) => [name, batch[name]!]));
  return {
    macs: macsOf(frozen),
    buildMs: performance.now() - start,
    run: () => timed(() => session.run(feeds)),
    dispose: () => session.dispose(),
  };
}

function size(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}

/** A batch of random numbers: whole ones up to a limit where the input holds integers. */
export async function randomBatch(shapes: BatchShapes, limit = 10): Promise<Feeds> {
  const random = Random.seeded(1);
  const feeds: Record<string, HostTensor> = {};
  for (const [name, { type, dims }] of Object.entries(shapes)) {
    const data =
      type === 'int64'
        ? BigInt64Array.from({ length: size(dims) }, () => BigInt(random.below(limit)))
        : Float32Array.from({ length: size(dims) }, () => random.float());
    feeds[name] = await hostTensor(type, data, dims);
  }
  return feeds;
}

/** Graphs as NN-Former gets them: one operation a node, edges only forward. */
export async function graphBatch(size: number): Promise<Feeds> {
  const random = Random.seeded(1);
  const feeds: Record<string, HostTensor> = {};
  for (const [name, { dims }] of Object.entries(former.shapes(size))) {
    const [, rows, columns] = dims as [number, number, number];
    const data = new Float32Array(dims.reduce((n, d) => n * d, 1));
    for (let i = 0; i < data.length; i++) {
      if (name === 'target') data[i] = random.float();
      else if (name === 'adjacency') {
        const [row, column] = [Math.floor(i / columns) % rows, i % columns];
        data[i] = Number(column > row && random.chance(0.4));
      } else if (i % columns === 0) data[i + (name === 'size' ? 7 : random.below(7))] = 1;
    }
    feeds[name] = await hostTensor('float32', data, dims);
  }
  return feeds;
}
