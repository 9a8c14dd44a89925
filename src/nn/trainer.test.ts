import { describe, expect, it } from 'vitest';
import { makeGraph, makeModel } from '../graph/graph.js';
import { encodeModel } from '../onnx/write.js';
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import { type CheckpointStore, decodeCheckpoint } from './checkpoint.js';
import { dropout } from './dropout.js';
import type { FitOptions, Progress } from './fit.js';
import { constant, ones, zeros } from './initialise.js';
import { linear } from './linear.js';
import { mse } from './losses.js';
import { batchNorm } from './normalise.js';
import { adam, adamW, sgd } from './optimiser.js';
import { constantRate, warmupCosine } from './schedules.js';
import type { Objective } from './step.js';
import { type Batch, Trainer, type TrainerOptions, type Weights } from './trainer.js';

const ONE_THREAD = { session: { threads: 1 } } as const;

function floats(dims: readonly number[], data: Iterable<number>): Batch[string] {
  return { type: 'float32', dims, data: Float32Array.from(data) };
}

/** y = w·x, with one number w that begins at 0. */
const SLOPE: Objective = {
  predict: (s, { x }) => x!.mul(s.parameter('w', [], zeros)),
  loss: (s, batch) => mse(SLOPE.predict(s, batch), batch.y!),
};

function slopeBatch(x: readonly number[], slope = 3): Batch {
  return {
    x: floats([x.length], x),
    y: floats(
      [x.length],
      x.map((v) => slope * v),
    ),
  };
}

/** All that has state or draws numbers: dropout, running statistics, biases. */
const NET: Objective = {
  predict(s, { x }) {
    const hidden = batchNorm(s.at('norm'), linear(s.at('hidden'), x!, 8)).relu();
    return linear(s.at('out'), dropout(s, hidden, 0.25), 1);
  },
  loss(s, batch) {
    return mse(this.predict(s, batch), batch.y!);
  },
};

const NET_OPTIONS: TrainerOptions = {
  optimiser: adamW(),
  schedule: warmupCosine({ rate: 0.02, steps: 30, final: 0.1 }),
  clipNorm: 1,
  emaDecay: 0.9,
  seed: 5,
  ...ONE_THREAD,
};

/** Seven batches of two sizes, drawn anew in every epoch. */
function* netBatches(_: number, random: Random): Generator<Batch> {
  for (let i = 0; i < 7; i++) {
    const count = i % 3 === 2 ? 3 : 5;
    const x = Array.from({ length: 3 * count }, () => random.float() - 0.5);
    const y = Array.from({ length: count }, (_, k) => x[3 * k]! * x[3 * k + 1]! + x[3 * k + 2]!);
    yield { x: floats([count, 3], x), y: floats([count, 1], y) };
  }
}

const HELD_OUT: Batch = {
  x: floats(
    [4, 3],
    Array.from({ length: 12 }, (_, i) => Math.sin(i)),
  ),
  y: floats([4, 1], [0.1, -0.2, 0.3, 0]),
};

class MemoryStore implements CheckpointStore {
  bytes: Uint8Array | undefined;
  saves = 0;

  async load(): Promise<Uint8Array | undefined> {
    return this.bytes;
  }

  async save(bytes: Uint8Array): Promise<void> {
    this.bytes = bytes;
    this.saves++;
  }
}

function plain(weights: Weights): Record<string, number[]> {
  return Object.fromEntries([...weights].map(([name, values]) => [name, [...values]]));
}

async function failure(promise: Promise<unknown>): Promise<AuspexError> {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(AuspexError);
  return error as AuspexError;
}

describe('steps', () => {
  it('descend along the gradient, for batches of several shapes, on one state', async () => {
    const trainer = new Trainer(SLOPE, { optimiser: sgd(), schedule: constantRate(0.1), ...ONE_THREAD });
    let w = 0;
    for (let step = 0; step < 12; step++) {
      const x = Array.from({ length: 1 + (step % 3) }, (_, i) => 1 - 0.3 * i + 0.05 * step);
      const { loss, gradientNorm } = await trainer.step(slopeBatch(x));
      const mean = (f: (v: number) => number): number => x.reduce((sum, v) => sum + f(v), 0) / x.length;
      const gradient = mean((v) => 2 * (w - 3) * v * v);
      expect(loss).toBeCloseTo(
        mean((v) => ((w - 3) * v) ** 2),
        5,
      );
      expect(gradientNorm).toBeCloseTo(Math.abs(gradient), 5);
      w -= 0.1 * gradient;
      expect(trainer.weights().get('w')![0]).toBeCloseTo(w, 5);
    }
    const { curves } = trainer.record;
    expect([curves.loss, curves.learningRate, curves.gradientNorm].map((c) => c.length)).toEqual([
      12, 12, 12,
    ]);
    await trainer.dispose();
  });

  it('average the weights from their first values on', async () => {
    const trainer = new Trainer(SLOPE, {
      optimiser: sgd(),
      schedule: constantRate(0.1),
      emaDecay: 0.8,
      weights: new Map([['w', Float32Array.of(1)]]),
      ...ONE_THREAD,
    });
    const batch = slopeBatch([1, 2]);
    let average = 1;
    for (let step = 0; step < 5; step++) {
      await trainer.step(batch);
      average = 0.8 * average + 0.2 * trainer.weights('current').get('w')![0]!;
      expect(trainer.weights('averaged').get('w')![0]).toBeCloseTo(average, 6);
    }
    expect([...((await trainer.predict({ x: batch.x! })).data as Float32Array)]).toEqual([
      expect.closeTo(average, 5),
      expect.closeTo(2 * average, 5),
    ]);
    const current = trainer.weights('current').get('w')![0]!;
    expect(await trainer.evaluate(batch, 'current')).toBeCloseTo(2.5 * (current - 3) ** 2, 5);
    await trainer.dispose();
  });

  it('predict before the first step, with the weights that it will begin with', async () => {
    const trainer = new Trainer(NET, NET_OPTIONS);
    const before = await trainer.predict({ x: HELD_OUT.x! });
    const other = new Trainer(NET, { ...NET_OPTIONS, schedule: constantRate(0), emaDecay: 0.99 });
    for (const batch of netBatches(0, { float: () => 0.5 } as Random)) await other.step(batch);
    // Nothing was learnt at a rate of 0, but running statistics have moved.
    const { 'norm.running_mean': mean, 'norm.running_var': variance, ...same } = plain(other.weights());
    expect(mean).not.toEqual(new Array(8).fill(0));
    expect(variance).not.toEqual(new Array(8).fill(1));
    const again = new Trainer(NET, {
      ...NET_OPTIONS,
      weights: new Map(Object.entries(same).map(([name, values]) => [name, Float32Array.from(values)])),
    });
    expect((await again.predict({ x: HELD_OUT.x! })).data).toEqual(before.data);
    await Promise.all([trainer, other, again].map((t) => t.dispose()));
  });

  it('repeat themselves for a seed', async () => {
    const run = async (seed: number): Promise<number[]> => {
      const trainer = new Trainer(NET, { ...NET_OPTIONS, seed });
      const { curves } = await trainer.fit({ epochs: 1, batches: netBatches });
      await trainer.dispose();
      return curves.loss;
    };
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });
});

describe('what cannot be trained', () => {
  const diverge = (objective: Objective) =>
    new Trainer(objective, { optimiser: sgd(), schedule: constantRate(0.1), ...ONE_THREAD });

  it('stops where the loss is NaN, and says where', async () => {
    const trainer = diverge(SLOPE);
    const good = slopeBatch([1, 2]);
    const bad = { ...good, x: floats([2], [1, Number.NaN]) };
    const batches = (epoch: number): Batch[] => [good, good, epoch === 2 ? bad : good];
    const error = await failure(trainer.fit({ epochs: 5, batches }));
    expect(error.code).toBe('TRAINING_DIVERGED');
    expect(error.message).toBe('the loss is NaN in step 9, epoch 2');
    expect(trainer.record.step).toBe(8);
    expect(trainer.weights().get('w')![0]).toBeCloseTo(3, 1);
    await trainer.dispose();
  });

  it('stops where only the gradient is infinite', async () => {
    const root: Objective = {
      predict: (s) => s.parameter('w', [], zeros).sqrt(),
      loss: (s, batch) => batch.x!.mean().mul(0).add(root.predict(s, batch)),
    };
    const trainer = diverge(root);
    const error = await failure(trainer.step({ x: floats([1], [1]) }));
    expect(error.code).toBe('TRAINING_DIVERGED');
    expect(error.message).toBe('the gradient norm is Infinity in step 1, epoch 0');
    expect(plain(trainer.weights())).toEqual({ w: [0] });
    await trainer.dispose();
  });

  it('refuses batches and objectives that make no sense', async () => {
    const code = async (objective: Objective, ...batches: Batch[]): Promise<string> => {
      const trainer = diverge(objective);
      const error = await failure(trainer.fit({ steps: 9, batches: () => batches }));
      await trainer.dispose();
      return error.code;
    };
    const grows: Objective = {
      predict: (s, { x }) => x!.mul(s.parameter('w', x!.sizes, ones)),
      loss: (s, batch) => grows.predict(s, batch).mean(),
    };
    expect(await code(grows, { x: floats([1], [1]) }, { x: floats([2], [1, 2]) })).toBe('STATE_MISMATCH');
    expect(await code(SLOPE, { x: floats([3], [1]), y: floats([3], [1]) })).toBe('BATCH_SHAPE');
    expect(await code({ ...SLOPE, loss: SLOPE.predict }, slopeBatch([1, 2]))).toBe('LOSS_SHAPE');
    expect(await code({ ...SLOPE, loss: (_, { x }) => x!.mean() }, slopeBatch([1]))).toBe('NOTHING_TO_TRAIN');
    expect(await code(SLOPE)).toBe('NO_BATCHES');
  });

  it('refuses weights that do not fit or do not exist', async () => {
    const options = { optimiser: sgd(), schedule: constantRate(0.1), ...ONE_THREAD };
    const wrong = new Trainer(SLOPE, { ...options, weights: new Map([['w', new Float32Array(2)]]) });
    expect((await failure(wrong.step(slopeBatch([1])))).code).toBe('WEIGHTS_SHAPE');
    const unknown = new Trainer(SLOPE, { ...options, weights: new Map([['v', new Float32Array(1)]]) });
    expect((await failure(unknown.step(slopeBatch([1])))).code).toBe('WEIGHTS_UNKNOWN');
    const other: Objective = { ...SLOPE, predict: (s, { x }) => x!.mul(s.parameter('v', [], zeros)) };
    const trainer = new Trainer(other, options);
    await trainer.step(slopeBatch([1]));
    expect((await failure(trainer.predict(slopeBatch([1])))).code).toBe('PARAMETER_UNTRAINED');
    expect((await failure(trainer.evaluate(slopeBatch([1]), 'best'))).code).toBe('NO_BEST_WEIGHTS');
    await Promise.all([wrong, trainer].map((t) => t.dispose()));
  });
});

describe('fit', () => {
  const options: TrainerOptions = { optimiser: sgd(), schedule: constantRate(0.05), ...ONE_THREAD };
  const batches = (): Batch[] => [slopeBatch([1, 2]), slopeBatch([2]), slopeBatch([1, 1])];

  it('keeps the best weights and stops when none better come', async () => {
    const scores = [5, 3, 4, Number.NaN, 3, 1];
    const seen: number[] = [];
    const trainer = new Trainer(SLOPE, options);
    const result = await trainer.fit({
      epochs: 100,
      batches,
      patience: 3,
      validate: async (t) => {
        seen.push(t.weights().get('w')![0]!);
        return scores[seen.length - 1]!;
      },
    });
    expect(result.ended).toBe('early');
    expect(result.best).toEqual({ step: 6, epoch: 2, score: 3 });
    expect(result.curves.validation.map((v) => v.score)).toEqual(scores.slice(0, 5));
    expect([result.steps, result.epochs]).toEqual([15, 5]);
    expect(result.weights.get('w')![0]).toBe(seen[1]);
    expect(trainer.weights('current').get('w')![0]).toBe(seen[4]);
    expect((await trainer.predict({ x: floats([1], [1]) }, 'best')).data[0]).toBe(seen[1]);
    await trainer.dispose();
  });

  it('takes higher scores for better where told, and validates the average where there is one', async () => {
    const trainer = new Trainer(SLOPE, { ...options, emaDecay: 0.5 });
    const averages: number[] = [];
    const { best, weights, ended } = await trainer.fit({
      steps: 10,
      batches,
      every: { steps: 4 },
      better: 'higher',
      validate: async (t) => {
        averages.push((await t.predict({ x: floats([1], [1]) })).data[0] as number);
        return -Math.abs(averages.length - 2);
      },
    });
    expect(ended).toBe('completed');
    // After steps 4 and 8, and at the end.
    expect(averages.length).toBe(3);
    expect(best).toEqual({ step: 8, epoch: 2, score: -0 });
    expect(weights.get('w')![0]).toBe(averages[1]);
    await trainer.dispose();
  });

  it('lowers the learning rate on a plateau', async () => {
    const trainer = new Trainer(SLOPE, options);
    const { curves } = await trainer.fit({
      epochs: 6,
      batches: () => [slopeBatch([1])],
      plateau: { factor: 0.5, patience: 1 },
      validate: async () => 1,
    });
    expect(curves.learningRate).toEqual([0.05, 0.05, 0.05, 0.025, 0.025, 0.0125]);
    await trainer.dispose();
  });

  it('reports progress', async () => {
    const trainer = new Trainer(SLOPE, options);
    const seen: Progress[] = [];
    await trainer.fit({ epochs: 3, batches, validate: async () => 1, onProgress: (p) => seen.push(p) });
    expect(seen.map((p) => p.step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(seen.map((p) => p.epoch)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
    expect(seen.map((p) => p.steps)).toEqual([...Array(3).fill(undefined), ...Array(6).fill(9)]);
    expect(seen[1]!.etaSeconds).toBeUndefined();
    expect(seen[4]!.etaSeconds).toBeGreaterThan(0);
    expect(seen[8]!.etaSeconds).toBe(0);
    expect(seen[4]!.validation).toEqual({ step: 3, epoch: 1, score: 1 });
    for (const { examplesPerSecond, learningRate, loss, gradientNorm } of seen) {
      expect(examplesPerSecond).toBeGreaterThan(0);
      expect(learningRate).toBe(0.05);
      expect([loss, gradientNorm].every(Number.isFinite)).toBe(true);
    }
    await trainer.dispose();
  });

  it('stops after the step in which it is aborted, and goes on from there', async () => {
    const store = new MemoryStore();
    const controller = new AbortController();
    const trainer = new Trainer(SLOPE, options);
    const aborted = await trainer.fit({
      epochs: 4,
      batches,
      validate: (t) => t.evaluate(slopeBatch([1])),
      signal: controller.signal,
      checkpoint: store,
      onProgress: ({ step }) => step === 5 && controller.abort(),
    });
    expect([aborted.ended, aborted.steps, aborted.epochs]).toEqual(['aborted', 5, 1]);
    expect(store.saves).toBe(2);
    const rest: FitOptions = { epochs: 4, batches, validate: (t) => t.evaluate(slopeBatch([1])) };
    const resumed = await new Trainer(SLOPE, options).fit({ ...rest, checkpoint: store });
    const whole = await new Trainer(SLOPE, options).fit(rest);
    expect(resumed).toEqual(whole);
    // Aborted before it begins, it does nothing.
    const idle = await new Trainer(SLOPE, options).fit({ ...rest, signal: controller.signal });
    expect([idle.ended, idle.steps, idle.weights.size]).toEqual(['aborted', 0, 0]);
    await trainer.dispose();
  });

  it('wants to know how long to train', async () => {
    await expect(new Trainer(SLOPE, options).fit({ batches })).rejects.toThrow('epochs or steps');
  });
});

describe('checkpoints', () => {
  const fitOptions: FitOptions = {
    epochs: 3,
    batches: netBatches,
    validate: (trainer) => trainer.evaluate(HELD_OUT),
    every: { steps: 4 },
    plateau: { factor: 0.5, patience: 0 },
    checkpointEvery: { steps: 1 },
  };

  it('lets a training go on from any step to the same bits', async () => {
    const saved: Uint8Array[] = [];
    const whole = new Trainer(NET, NET_OPTIONS);
    const expected = await whole.fit({
      ...fitOptions,
      checkpoint: { load: async () => undefined, save: async (bytes) => void saved.push(bytes) },
    });
    expect(saved.length).toBe(22);
    for (const [step, bytes] of [...saved.entries()].filter(([i]) => i % 4 === 1 || i > 19)) {
      const store = new MemoryStore();
      store.bytes = bytes;
      const trainer = new Trainer(NET, NET_OPTIONS);
      const result = await trainer.fit({ ...fitOptions, checkpoint: store });
      expect(result, `from step ${step + 1}`).toEqual(expected);
      expect(Buffer.from(store.bytes).equals(saved.at(-1)!), `from step ${step + 1}`).toBe(true);
      await trainer.dispose();
    }
    await whole.dispose();
  });

  it('are ONNX files with all state in them', async () => {
    const trainer = new Trainer(NET, NET_OPTIONS);
    await trainer.fit({ ...fitOptions, steps: 5 });
    const { record, state, best } = decodeCheckpoint(trainer.checkpoint()!);
    const parameters = [...trainer.weights().keys()];
    expect([...best.keys()]).toEqual(parameters);
    const trained = parameters.filter((name) => !name.includes('running'));
    expect([...state.keys()].sort()).toEqual(
      [...parameters, ...trained.flatMap((n) => [`${n}#first`, `${n}#second`, `${n}#average`])].sort(),
    );
    expect(state.get('hidden.weight')!.dims).toEqual([3, 8]);
    expect(record).toEqual(trainer.record);
    await trainer.dispose();
  });

  it('are refused where something else is trained', async () => {
    const store = new MemoryStore();
    const first = new Trainer(NET, NET_OPTIONS);
    await first.fit({ ...fitOptions, epochs: 1, checkpoint: store });
    await first.dispose();
    const refusal = async (objective: Objective, options: Partial<TrainerOptions>): Promise<string> => {
      const trainer = new Trainer(objective, { ...NET_OPTIONS, ...options });
      const error = await failure(trainer.fit({ ...fitOptions, checkpoint: store }));
      expect(error.code).toBe('CHECKPOINT_MISMATCH');
      expect(trainer.record.step).toBe(0);
      return error.message;
    };
    const wider: Objective = {
      predict: (s, { x }) => linear(s.at('out'), linear(s.at('hidden'), x!, 9), 1),
      loss: NET.loss,
    };
    const sameShapes: Objective = { ...NET, loss: (s, batch) => NET.loss(s, batch).mul(2) };
    const otherInputs: Objective = { ...NET, loss: (s, { z }) => linear(s, z!, 1).mean() };
    expect(await refusal(NET, { seed: 6 })).toBe('the checkpoint was made with seed 5; here it is 6');
    expect(await refusal(NET, { optimiser: adam() })).toContain('made with optimiser adamW; here it is adam');
    expect(await refusal(NET, { optimiser: adamW({ weightDecay: 0.1 }) })).toContain(
      'settings of the optimiser',
    );
    expect(await refusal(NET, { clipNorm: 2 })).toContain('clipNorm 1; here it is 2');
    for (const other of [wider, sameShapes, otherInputs]) {
      expect(await refusal(other, {})).toContain('another objective');
    }
  });

  it('are refused where they are broken', async () => {
    const trainer = new Trainer(SLOPE, { optimiser: sgd(), schedule: constantRate(0.1), ...ONE_THREAD });
    await trainer.step(slopeBatch([1]));
    const bytes = trainer.checkpoint()!;
    const graph = makeGraph({ nodes: [], inputs: [], outputs: [] });
    const withMetadata = (entries: Record<string, string>): Uint8Array =>
      encodeModel(makeModel(graph, { metadata: new Map(Object.entries(entries)) }));
    const broken: [Uint8Array, string][] = [
      [bytes.subarray(0, bytes.length - 9), ''],
      [new TextEncoder().encode('{"step": 3}'), ''],
      [encodeModel(makeModel(graph)), 'not a training checkpoint'],
      [withMetadata({ 'auspex.format': 'auspex.checkpoint/9' }), "format 'auspex.checkpoint/9'"],
      [withMetadata({ 'auspex.format': 'auspex.checkpoint/1' }), "'training' is missing"],
      [withMetadata({ 'auspex.format': 'auspex.checkpoint/1', 'auspex.training': '{' }), 'JSON'],
    ];
    for (const [content, message] of broken) {
      const error = await failure(trainer.restore(content));
      expect(error.code).toBe('CHECKPOINT_UNREADABLE');
      expect(error.message).toContain(message);
    }
    await trainer.restore(bytes);
    await trainer.dispose();
  });

  it('are refused where the data has changed', async () => {
    const store = new MemoryStore();
    const options = { optimiser: sgd(), schedule: constantRate(0.1), ...ONE_THREAD };
    const batches = [slopeBatch([1]), slopeBatch([2]), slopeBatch([3])];
    await new Trainer(SLOPE, options).fit({ steps: 2, batches: () => batches, checkpoint: store });
    const error = await failure(
      new Trainer(SLOPE, options).fit({ steps: 5, batches: () => batches.slice(0, 1), checkpoint: store }),
    );
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toBe('epoch 0 has 1 batches, but the checkpoint was written after 2');
  });

  it('go back to what was, also within one trainer', async () => {
    const trainer = new Trainer(SLOPE, {
      optimiser: sgd({ momentum: 0.9 }),
      schedule: constantRate(0.1),
      weights: new Map([['w', constant(2)(undefined as never, [])]]),
      ...ONE_THREAD,
    });
    expect(trainer.checkpoint()).toBeUndefined();
    await trainer.step(slopeBatch([1]));
    const bytes = trainer.checkpoint()!;
    const ahead = [await trainer.step(slopeBatch([1])), await trainer.step(slopeBatch([2]))];
    await trainer.restore(bytes);
    expect([await trainer.step(slopeBatch([1])), await trainer.step(slopeBatch([2]))]).toEqual(ahead);
    await trainer.dispose();
  });
});
