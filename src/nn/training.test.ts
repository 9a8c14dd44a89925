// Training beside PyTorch: the same first weights, data and optimiser. Fixtures: verify/golden/training.py.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Value } from '../ops/build.js';
import { multiHeadAttention } from './attention.js';
import { convBlock, maxPool2d } from './convolution.js';
import { zeros } from './initialise.js';
import { embedding, linear } from './linear.js';
import { crossEntropy, mse } from './losses.js';
import { layerNorm } from './normalise.js';
import { type AdamOptions, adam, adamW, lamb, type SgdOptions, sgd } from './optimiser.js';
import { constantRate, warmupCosine } from './schedules.js';
import type { Scope } from './scope.js';
import type { Inputs, Objective } from './step.js';
import { type Batch, Trainer, type TrainerOptions } from './trainer.js';

interface ParameterBounds {
  readonly name: string;
  readonly dims: readonly number[];
  readonly low: number;
  readonly high: number;
}

function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./fixtures/training-${name}.json`, import.meta.url), 'utf8'));
}

// The random numbers of the fixtures' script --------------------------------------------------------------------

function uniform(stream: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    let x = (Math.imul(i + 1, 0x9e3779b1) + Math.imul(stream, 0x85ebca6b)) | 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 8) / 2 ** 24;
  });
}

function between(stream: number, count: number, low: number, high: number): Float32Array {
  return Float32Array.from(uniform(stream, count), (u) => low + (high - low) * u);
}

function below(stream: number, count: number, limit: number): number[] {
  return uniform(stream, count).map((u) => Math.floor(u * limit));
}

function size(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}

function firstWeights(parameters: readonly ParameterBounds[]): Map<string, Float32Array> {
  return new Map(
    parameters.map(({ name, dims, low, high }, i) => [name, between(100 + i, size(dims), low, high)]),
  );
}

function floats(dims: readonly number[], data: ArrayLike<number>): Batch[string] {
  return { type: 'float32', dims, data: Float32Array.from(data) };
}

function integers(dims: readonly number[], data: readonly number[]): Batch[string] {
  return { type: 'int64', dims, data: BigInt64Array.from(data, BigInt) };
}

function objective(
  predict: (s: Scope, batch: Inputs) => Value,
  loss: (prediction: Value, batch: Inputs) => Value,
): Objective {
  return { predict, loss: (s, batch) => loss(predict(s, batch), batch) };
}

// Optimisers alone ----------------------------------------------------------------------------------------------

interface OptimiserCase {
  readonly name: string;
  readonly optimiser: 'sgd' | 'adam' | 'adamW' | 'lamb';
  readonly options: SgdOptions & AdamOptions;
  readonly step: { readonly emaDecay?: number; readonly clipNorm?: number };
  readonly rates: readonly number[];
  readonly losses: readonly number[];
  readonly gradientNorms: readonly number[];
  /** By name, the values after each step. */
  readonly parameters: Readonly<Record<string, readonly (readonly number[])[]>>;
}

describe('optimisers, compared with PyTorch after every step', () => {
  const { parameters, cases } = fixture<{ parameters: ParameterBounds[]; cases: OptimiserCase[] }>(
    'optimisers',
  );
  const features = between(1, 24, -1, 1).map((x, i) => (i % 3 === 2 ? 0 : x));
  const batch = { x: floats([8, 3], features), y: floats([8, 1], between(2, 8, -1, 1)) };
  const mlp = objective(
    (s, { x }) => linear(s.at('out'), linear(s.at('hidden'), x!, 3).tanh(), 1),
    (p, { y }) => mse(p, y!),
  );

  it.each(cases.map((test) => [test.name, test] as const))('%s', async (_, test) => {
    const trainer = new Trainer(mlp, {
      optimiser: { sgd, adam, adamW, lamb }[test.optimiser](test.options),
      schedule: (step) => test.rates[step]!,
      weights: firstWeights(parameters),
      session: { threads: 1 },
      ...test.step,
    });
    let worst = 0;
    for (const [step, loss] of test.losses.entries()) {
      const result = await trainer.step(batch);
      expect(result.loss).toBeCloseTo(loss, 5);
      expect(result.gradientNorm).toBeCloseTo(test.gradientNorms[step]!, 5);
      for (const [name, values] of trainer.weights()) {
        const expected = test.parameters[name]![step]!;
        values.forEach((x, i) => {
          worst = Math.max(worst, Math.abs(x - expected[i]!));
        });
      }
    }
    await trainer.dispose();
    console.log(`${test.name}: parameters differ by ${worst.toExponential(1)} at most`);
    expect(worst).toBeLessThan(2e-6);
  });
});

// Networks ------------------------------------------------------------------------------------------------------

interface CurveCase {
  readonly parameters: readonly ParameterBounds[];
  /** Losses of all steps, then that of the first batch in evaluation. */
  readonly float32: readonly number[];
  readonly float64: readonly number[];
}

function worstRatio(actual: readonly number[], expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  return Math.max(...actual.map((x, i) => Math.abs(x / expected[i]! - 1)));
}

async function expectCurve(
  name: string,
  of: Objective,
  batch: (step: number) => Batch,
  options: Omit<TrainerOptions, 'weights'>,
): Promise<void> {
  const { parameters, float32, float64 } = fixture<CurveCase>(name);
  const trainer = new Trainer(of, {
    ...options,
    weights: firstWeights(parameters),
    session: { threads: 1 },
  });
  const losses: number[] = [];
  for (let step = 0; step < 200; step++) losses.push((await trainer.step(batch(step))).loss);
  losses.push(await trainer.evaluate(batch(0)));
  const trained = [...trainer.weights().keys()].filter((key) => !key.includes('running'));
  expect(trained.sort()).toEqual(parameters.map((p) => p.name).sort());
  await trainer.dispose();
  const [single, double] = [worstRatio(losses, float32), worstRatio(losses, float64)];
  const rounding = worstRatio(float32, float64);
  console.log(
    `${name}: losses differ from PyTorch's by ${single.toExponential(1)} at most, ` +
      `from those in float64 by ${double.toExponential(1)} (PyTorch's own do by ${rounding.toExponential(1)})`,
  );
  expect(single).toBeLessThan(1e-4);
  expect(double).toBeLessThan(1e-4);
}

describe('networks, 200 steps beside PyTorch', () => {
  it('a CNN with batch normalisation and momentum', async () => {
    const net = objective(
      (s, { images }) => {
        const first = convBlock(s.at('first'), images!, 8, { kernel: 3, padding: 1 });
        const pooled = maxPool2d(first, { kernel: 2 });
        const second = convBlock(s.at('second'), pooled, 16, { kernel: 3, padding: 1 });
        const flat = maxPool2d(second, { kernel: 2 }).reshape([16, 144]);
        return linear(s.at('out'), linear(s.at('hidden'), flat, 24).relu(), 10);
      },
      (p, { classes }) => crossEntropy(p, classes!),
    );
    const classes = below(1, 128, 10);
    const patterns = between(2, 10 * 144, -1, 1);
    const images = between(3, 128 * 144, -2, 2).map((x, i) => {
      return x + patterns[classes[Math.floor(i / 144)]! * 144 + (i % 144)]!;
    });
    const batch = (step: number): Batch => {
      const start = 16 * (step % 8);
      return {
        images: floats([16, 1, 12, 12], images.subarray(start * 144, (start + 16) * 144)),
        classes: integers([16], classes.slice(start, start + 16)),
      };
    };
    await expectCurve('cnn', net, batch, {
      optimiser: sgd({ momentum: 0.9, weightDecay: 5e-4 }),
      schedule: constantRate(0.01),
    });
  });

  it('a transformer with layer normalisation, clipping and AdamW', async () => {
    const [width, length, words, classes] = [16, 10, 12, 5];
    const layer = (s: Scope, x: Value): Value => {
      const attended = multiHeadAttention(s.at('attention'), layerNorm(s.at('norm1'), x), { heads: 2 });
      const y = x.add(attended);
      const up = linear(s.at('up'), layerNorm(s.at('norm2'), y), 2 * width);
      return y.add(linear(s.at('down'), s.builder.op('Gelu', [up]), width));
    };
    const net = objective(
      (s, { sequences }) => {
        const embedded = embedding(s.at('words'), sequences!, words, width);
        let x = embedded.add(s.parameter('positions', [length, width], zeros));
        for (let i = 0; i < 2; i++) x = layer(s.at('layer', i), x);
        return linear(s.at('out'), layerNorm(s.at('norm'), x).mean([1]), classes);
      },
      (p, { targets }) => crossEntropy(p, targets!),
    );
    const drawn = below(1, 64 * length, words);
    const batch = (step: number): Batch => {
      const start = 8 * (step % 8);
      const sequences = drawn.slice(start * length, (start + 8) * length);
      const targets = Array.from({ length: 8 }, (_, i) => {
        return (sequences[i * length]! + sequences[(i + 1) * length - 1]!) % classes;
      });
      return { sequences: integers([8, length], sequences), targets: integers([8], targets) };
    };
    await expectCurve('transformer', net, batch, {
      optimiser: adamW({ weightDecay: 0.01, decayAll: false }),
      schedule: warmupCosine({ rate: 3e-3, steps: 200, final: 0.1 }),
      clipNorm: 1,
    });
  });
});
