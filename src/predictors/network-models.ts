// The models that predict labels of whole networks, by name, each with the recipe it is trained by unless told.
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Value } from '../ops/build.js';
import type { TrainingRecipe } from './fit-graphs.js';
import { type Encoding, NN_FORMER_ENCODING, NNLP_ENCODING } from './latency/encodings.js';
import type { NetworkInputs } from './latency/heads.js';
import {
  NN_FORMER_LATENCY,
  type NNFormerLatencyOptions,
  nnFormerLatency,
} from './latency/nn-former-latency.js';
import { NNLP, type NNLPOptions, nnlp } from './latency/nnlp.js';
import {
  NAR_FORMER_V2_LATENCY,
  type NarFormerV2LatencyOptions,
  narFormerV2Latency,
} from './nar-former-v2.js';
import { narFormerV2Encoding } from './nar-former-v2-encoding.js';

/** Options of the models that users may change, by name. */
export interface NetworkModelOptions {
  readonly 'nn-former-network': Pick<NNFormerLatencyOptions, 'width' | 'blocks' | 'dropout'>;
  readonly 'nar-former-v2-network': Omit<NarFormerV2LatencyOptions, 'outputs' | 'positive'>;
  readonly 'nnlp-network': Pick<NNLPOptions, 'width' | 'dropout'>;
}

export type NetworkModelName = keyof NetworkModelOptions;

export interface NetworkRecipe extends TrainingRecipe {
  readonly model: NetworkModelOptions[NetworkModelName];
}

export interface NetworkModel {
  readonly title: string;
  readonly encoding: Encoding;
  /** @param rows that there are to train on */
  recipe(rows: number): NetworkRecipe;
  /** (B, n, d), (B, n), (B, n, n), (B, e) → (B, outputs), of either sign */
  build(s: Scope, inputs: Inputs, options: NetworkModelOptions[NetworkModelName], outputs: number): Value;
}

/** More rows need more steps, but each of them is seen less often. */
function steps(rows: number): number {
  return Math.round(Math.min(8000, Math.max(600, 12 * rows ** 0.75)));
}

/** One pass: networks are many times larger than cells, and two would take twice as long. */
const COMMON: Omit<NetworkRecipe, 'model' | 'steps'> = {
  loss: { error: 'absolute', rank: 0.5, consistency: 0 },
  batch: 32,
  rate: 1e-3,
  weightDecay: 0.01,
  emaDecay: 0.99,
  members: 1,
};

/** What the logarithms of a whole network's numbers are told from: [batch, FLOPs, parameters, memory access]. */
const USUAL = [1, 1e9, 1e7, 1e7] as const;

/**
 * An encoding with the logarithms of what is known of the whole network beside the paper's own numbers. Latencies are
 * nearly products of powers of these, which are hard to learn from few rows otherwise: sines repeat, and sizes range over
 * orders of magnitude.
 */
function withLogarithms(encoding: Encoding): Encoding {
  return {
    ...encoding,
    staticWidth: encoding.staticWidth + USUAL.length,
    writeStatic(into, at, statics) {
      encoding.writeStatic(into, at, statics);
      const { batch, nnlqpFlops, parameters, memoryAccess } = statics;
      [batch, nnlqpFlops, parameters, memoryAccess].forEach((value, i) => {
        into[at + encoding.staticWidth + i] = Math.log((1 + value) / USUAL[i]!) / 2;
      });
    },
  };
}

const model = <Name extends NetworkModelName>(
  title: string,
  encoding: Encoding,
  options: NetworkModelOptions[Name],
  build: (s: Scope, networks: NetworkInputs, options: NetworkModelOptions[Name], outputs: number) => Value,
): NetworkModel => ({
  title,
  encoding: withLogarithms(encoding),
  recipe: (rows) => ({ ...COMMON, model: options, steps: steps(rows) }),
  build: (s, inputs, chosen, outputs) =>
    build(s, inputs as unknown as NetworkInputs, chosen as NetworkModelOptions[Name], outputs),
});

/** Narrower than the papers': minutes on two cores. Outputs of either sign, as logarithms have; the papers' are positive. */
export const NETWORK_MODELS: Readonly<Record<NetworkModelName, NetworkModel>> = {
  'nn-former-network': model<'nn-former-network'>(
    'NN-Former of networks',
    NN_FORMER_ENCODING,
    { width: 96, blocks: 2, dropout: NN_FORMER_LATENCY.dropout },
    (s, networks, options, outputs) =>
      nnFormerLatency(s, networks, { ...NN_FORMER_LATENCY, ...options, outputs, positive: false }),
  ),
  'nar-former-v2-network': model<'nar-former-v2-network'>(
    'NAR-Former V2 of networks',
    narFormerV2Encoding(),
    // Without a term of its own a node hears of itself only by way of its neighbours, and learns far worse.
    { ...NAR_FORMER_V2_LATENCY, width: 96, root: true },
    (s, networks, options, outputs) =>
      narFormerV2Latency(s, networks, { ...options, outputs, positive: false }),
  ),
  'nnlp-network': model<'nnlp-network'>(
    'NNLP (GraphSAGE) of networks',
    NNLP_ENCODING,
    { width: 128, dropout: NNLP.dropout },
    (s, networks, options, outputs) => nnlp(s, networks, { ...NNLP, ...options, outputs, positive: false }),
  ),
};
