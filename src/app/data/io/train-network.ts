// Trains one network of a space on images, and runs it: what its last layer sees of images, and how often it is right.
import { crossEntropy } from '../../../nn/losses.js';
import { sgd } from '../../../nn/optimiser.js';
import { warmupCosine } from '../../../nn/schedules.js';
import type { Scope } from '../../../nn/scope.js';
import type { Inputs, Objective } from '../../../nn/step.js';
import { Trainer } from '../../../nn/trainer.js';
import type { Value } from '../../../ops/build.js';
import { bodyOf, CLASSIFIER } from '../../../spaces/network-builder.js';
import type { AnySpace } from '../../../spaces/space.js';
import { AuspexError } from '../../../util/errors.js';
import { augmentedBatch, type ImageSet, plainBatch } from './image-set.js';

/** Of the paper, but for the sizes of networks and images. */
export interface NetworkTraining {
  readonly width: number;
  readonly cells?: number | undefined;
  readonly classes: number;
  readonly epochs: number;
  readonly batch: number;
  readonly rate: number;
  readonly momentum: number;
  readonly weightDecay: number;
  readonly clipNorm: number;
  readonly seed: number;
}

export interface TrainedNetwork {
  /** (features, classes) and (classes). */
  readonly weight: Float32Array;
  readonly bias: Float32Array;
  readonly width: number;
  /** Means over the steps of every epoch. */
  readonly losses: readonly number[];
  /** What enters the last layer, (count, width), and which class it says. */
  run(images: ImageSet): Promise<{ readonly features: Float32Array; readonly classes: Uint8Array }>;
  dispose(): Promise<void>;
}

/** Images that are run at once after training. */
const EVALUATED = 250;

/** One thread, so that the same seed gives the same bits on every machine of a kind. */
const SESSION = { threads: 1, spinning: false } as const;

export async function trainNetwork(
  space: AnySpace,
  arch: unknown,
  images: ImageSet,
  training: NetworkTraining,
  signal?: AbortSignal,
): Promise<TrainedNetwork> {
  const { width, cells, classes, epochs, batch, rate, momentum, weightDecay, clipNorm, seed } = training;
  const sizes = { resolution: images.side, width, classes, ...(cells === undefined ? {} : { cells }) };
  const body = bodyOf(space.network(arch, sizes));
  if (body === undefined) {
    throw new AuspexError('SPACE_UNTRAINABLE', `networks of '${space.name}' cannot be trained here`, {
      hint: 'give a space whose networks are written by writeNetwork',
    });
  }
  const steps = Math.floor(images.count / batch);
  const trainer = new Trainer(objectiveOf(body.write), {
    optimiser: sgd({ momentum, weightDecay }),
    schedule: warmupCosine({ rate, steps: epochs * steps, warmup: 0 }),
    clipNorm,
    seed,
    session: SESSION,
  });
  const result = await trainer.fit({
    epochs,
    batches: function* (_, random) {
      const order = [...random.sample(images.count, images.count)];
      for (let i = 0; i < steps; i++)
        yield augmentedBatch(images, order.slice(i * batch, (i + 1) * batch), random);
    },
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  const { weights, curves } = result;
  const bias = weights.get(`${CLASSIFIER}.bias`)!;
  const weight = weights.get(`${CLASSIFIER}.weight`)!;
  const features = weight.length / classes;
  return {
    weight,
    bias,
    width: features,
    losses: Array.from({ length: epochs }, (_, e) => mean(curves.loss.slice(e * steps, (e + 1) * steps))),
    run: (set) => run(trainer, set, features, classes),
    dispose: () => trainer.dispose(),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Predictions are what enters the last layer, followed by what leaves it: (B, features + classes). */
function objectiveOf(write: (s: Scope, x: Value) => Value): Objective {
  return {
    loss: (s, { images, labels }: Inputs) => crossEntropy(write(s, images!), labels!),
    predict: (s, { images }: Inputs) => {
      const logits = write(s, images!);
      const { builder } = s;
      const last = builder.nodes.find(({ inputs }) => inputs.includes(`${CLASSIFIER}.weight`))!;
      return builder.concat([builder.value(last.inputs[0]!), logits], 1);
    },
  };
}

async function run(
  trainer: Trainer,
  images: ImageSet,
  width: number,
  classes: number,
): Promise<{ features: Float32Array; classes: Uint8Array }> {
  const features = new Float32Array(images.count * width);
  const found = new Uint8Array(images.count);
  for (let start = 0; start < images.count; start += EVALUATED) {
    const rows = Array.from({ length: Math.min(EVALUATED, images.count - start) }, (_, i) => start + i);
    const { images: pixels } = plainBatch(images, rows);
    const { data } = await trainer.predict({ images: pixels! });
    const out = data as Float32Array;
    rows.forEach((row, i) => {
      const at = i * (width + classes);
      features.set(out.subarray(at, at + width), row * width);
      const logits = out.subarray(at + width, at + width + classes);
      found[row] = logits.indexOf(Math.max(...logits));
    });
  }
  return { features, classes: found };
}
