// Optimisers: how a parameter changes, given its gradient, as nodes of the graph of a training step. Numbers that
// change from step to step are computed outside in double precision and enter as scalars.
import type { Value } from '../ops/build.js';

/** One parameter that is to change. */
export interface ParameterUpdate {
  readonly parameter: Value;
  readonly gradient: Value;
  /** What the optimiser remembers of the parameter, each of its shape, zero at first. */
  readonly slots: Readonly<Record<string, Value>>;
  /** What `scalars` gave for this step. */
  readonly scalars: Readonly<Record<string, Value>>;
  /** Whether weight decay applies to it. */
  readonly decays: boolean;
}

export interface UpdatedParameter {
  readonly parameter: Value;
  readonly slots: Readonly<Record<string, Value>>;
}

export interface Optimiser {
  readonly name: string;
  readonly slots: readonly string[];
  /** @param step counts from 1. */
  scalars(step: number, learningRate: number): Readonly<Record<string, number>>;
  update(update: ParameterUpdate): UpdatedParameter;
  /** Whether weight decay applies to a parameter of this many dimensions. */
  decays(rank: number): boolean;
  /** Whether every element of a parameter is updated by itself, so that several parameters may be updated as one. */
  readonly isElementwise: boolean;
}

export interface SgdOptions {
  readonly momentum?: number;
  readonly nesterov?: boolean;
  /** L2: added to the gradient, as PyTorch does. */
  readonly weightDecay?: number;
}

/**
 * Stochastic gradient descent: b ← μb + g, w ← w − η·b; with Nesterov w ← w − η(g + μb). As in PyTorch the first b
 * is g itself, which zeros at first give too.
 */
export function sgd({ momentum = 0, nesterov = false, weightDecay = 0 }: SgdOptions = {}): Optimiser {
  return {
    name: 'sgd',
    isElementwise: true,
    slots: momentum === 0 ? [] : ['momentum'],
    decays: () => weightDecay !== 0,
    scalars: (_, learningRate) => ({ learningRate }),
    update: ({ parameter, gradient, slots, scalars, decays }) => {
      const g = decays ? gradient.add(parameter.mul(weightDecay)) : gradient;
      if (momentum === 0) return { parameter: parameter.sub(g.mul(scalars.learningRate!)), slots: {} };
      const buffer = slots.momentum!.mul(momentum).add(g);
      const direction = nesterov ? g.add(buffer.mul(momentum)) : buffer;
      return {
        parameter: parameter.sub(direction.mul(scalars.learningRate!)),
        slots: { momentum: buffer },
      };
    },
  };
}

export interface AdamOptions {
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
  readonly weightDecay?: number;
  /** Decay also of biases and of the scales of normalisations; `torch.optim` does, timm does not. */
  readonly decayAll?: boolean;
}

interface Moments {
  readonly first: Value;
  readonly second: Value;
}

/** Sums in the place of means, to save two products: M = m/(1 − β₁) ← β₁M + g, V = v/(1 − β₂) ← β₂V + g². */
function moments(g: Value, slots: Readonly<Record<string, Value>>, beta1: number, beta2: number): Moments {
  return {
    first: slots.first!.mul(beta1).add(g),
    second: slots.second!.mul(beta2).add(g.mul(g)),
  };
}

/**
 * What is common to Adam and AdamW: w ← shrink·w − η·m̂/(√v̂ + ε) with m̂ = m/(1 − β₁ᵗ), v̂ = v/(1 − β₂ᵗ). The
 * corrections, the learning rate and what makes means of sums are folded into two scalars: M / (a·√V + b). A rate of 0, which warming up
 * begins with, must not make 0·∞ of a weight without gradient.
 */
function adamScalars(step: number, rate: number, beta1: number, beta2: number, epsilon: number) {
  if (rate === 0) return { denominatorScale: 0, denominatorOffset: Number.POSITIVE_INFINITY };
  const size = (rate * (1 - beta1)) / (1 - beta1 ** step);
  const correction = Math.sqrt((1 - beta2) / (1 - beta2 ** step));
  return { denominatorScale: correction / size, denominatorOffset: epsilon / size };
}

function adamStep({ first, second }: Moments, scalars: Readonly<Record<string, Value>>): Value {
  return first.div(second.sqrt().mul(scalars.denominatorScale!).add(scalars.denominatorOffset!));
}

/** Adam (Kingma & Ba 2015); weight decay is added to the gradient, as PyTorch does. */
export function adam(options: AdamOptions = {}): Optimiser {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decayAll = true } = options;
  return {
    name: 'adam',
    isElementwise: true,
    slots: ['first', 'second'],
    decays: (rank) => weightDecay !== 0 && (decayAll || rank > 1),
    scalars: (step, learningRate) => adamScalars(step, learningRate, beta1, beta2, epsilon),
    update: ({ parameter, gradient, slots, scalars, decays }) => {
      const g = decays ? gradient.add(parameter.mul(weightDecay)) : gradient;
      const found = moments(g, slots, beta1, beta2);
      return { parameter: parameter.sub(adamStep(found, scalars)), slots: { ...found } };
    },
  };
}

/** AdamW (Loshchilov & Hutter 2019): weight decay besides, w ← (1 − ηλ)w − η·m̂/(√v̂ + ε). */
export function adamW(options: AdamOptions = {}): Optimiser {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0.01, decayAll = true } = options;
  return {
    name: 'adamW',
    isElementwise: true,
    slots: ['first', 'second'],
    decays: (rank) => weightDecay !== 0 && (decayAll || rank > 1),
    scalars: (step, learningRate) => ({
      ...adamScalars(step, learningRate, beta1, beta2, epsilon),
      shrink: 1 - learningRate * weightDecay,
    }),
    update: ({ parameter, gradient, slots, scalars, decays }) => {
      const found = moments(gradient, slots, beta1, beta2);
      const kept = decays ? parameter.mul(scalars.shrink!) : parameter;
      return { parameter: kept.sub(adamStep(found, scalars)), slots: { ...found } };
    },
  };
}

/**
 * LAMB (You et al. 2020): AdamW's step u = m̂/(√v̂ + ε) + λw, its length made that of the parameter:
 * w ← w − η·(‖w‖/‖u‖)·u. Where one of the norms is 0 the ratio is 1.
 */
export function lamb(options: AdamOptions = {}): Optimiser {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, weightDecay = 0.01, decayAll = true } = options;
  return {
    name: 'lamb',
    isElementwise: false,
    slots: ['first', 'second'],
    decays: (rank) => weightDecay !== 0 && (decayAll || rank > 1),
    scalars: (step, learningRate) => ({ ...adamScalars(step, 1, beta1, beta2, epsilon), learningRate }),
    update: ({ parameter, gradient, slots, scalars, decays }) => {
      const found = moments(gradient, slots, beta1, beta2);
      const step = adamStep(found, scalars);
      const u = decays ? step.add(parameter.mul(weightDecay)) : step;
      const [weightNorm, stepNorm] = [parameter, u].map((v) => v.mul(v).sum().sqrt()) as [Value, Value];
      const isDefined = weightNorm.greater(0).and(stepNorm.greater(0));
      const safe = parameter.builder.where(isDefined, stepNorm, 1);
      const ratio = parameter.builder.where(isDefined, weightNorm, 1).div(safe);
      return { parameter: parameter.sub(u.mul(ratio.mul(scalars.learningRate!))), slots: { ...found } };
    },
  };
}
