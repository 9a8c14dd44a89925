// The contrastive objective of GENNAPE (Mills et al., AAAI 2023) as a stage of a training: two passes with other elements
// dropped must be alike, and graphs the more alike, the nearer their spectra are; a second head tells FLOPs.
import { contrastive, contrastiveTargets, mse } from '../../nn/losses.js';
import { adamW } from '../../nn/optimiser.js';
import { warmupCosine } from '../../nn/schedules.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { Pace } from '../../util/pauses.js';
import type { StepsRecipe } from '../kind.js';
import {
  contrastiveEncoder,
  type EncoderInputs,
  type EncoderOptions,
  flopsHead,
  projection,
} from '../models/contrastive-encoder.js';
import type { Stage } from '../train.js';
import type { PackedSet } from '../views/computation-graph/graph-set.js';
import { SPECTRUM, smallestEigenvalues, spectralDistance } from '../views/computation-graph/spectrum.js';

export interface ContrastiveLossOptions {
  /** τ of the similarities. */
  readonly temperature: number;
  /**
   * How a graph's weights follow from the distances σ to the others. `similar`: softmax(−σ/τα), so that near ones weigh
   * most. `printed`: softmax(σ/τα), as the paper's text has it, so that far ones do.
   */
  readonly alpha: 'similar' | 'printed';
  /** τα. */
  readonly alphaTemperature: number;
  /** Of the embeddings' projection. */
  readonly projection: number;
  /** Of the error of FLOPs beside the contrastive loss. */
  readonly flopsWeight: number;
}

/** Of a batch beside its graphs: distances of spectra (B, B) and standardised logarithms of FLOPs (B, 1). */
export const DISTANCES = 'distances';
export const FLOPS = 'flops';

/** The loss of a batch; see `ContrastiveLossOptions`. */
export function contrastiveLoss(
  s: Scope,
  inputs: EncoderInputs,
  { distances, flops }: { readonly distances: Value; readonly flops: Value },
  encoder: EncoderOptions,
  options: ContrastiveLossOptions,
): Value {
  const { builder } = s;
  const embedding = builder.concat(contrastiveEncoder(s, inputs, encoder, 2), 0);
  const z = projection(s.at('projection'), embedding, options.projection);
  const signed = options.alpha === 'similar' ? distances : distances.neg();
  // The second passes are as far from all as the first ones; of a graph's own other pass that is 0.
  const rows = builder.concat([signed, signed], 1);
  const targets = contrastiveTargets(builder.concat([rows, rows], 0), options.alphaTemperature);
  const loss = contrastive(z, targets, options.temperature);
  if (options.flopsWeight === 0) return loss;
  const told = flopsHead(s.at('flops'), embedding, encoder.width);
  return loss.add(mse(told, builder.concat([flops, flops], 0)).mul(options.flopsWeight));
}

/** What graphs are compared by, beside their batches. */
export interface ContrastiveRows {
  readonly set: PackedSet;
  /** By row, `SPECTRUM` numbers each. */
  readonly spectra: Float64Array;
  /** By row: logarithms, standardised. */
  readonly flops: Float64Array;
}

export type ContrastiveRecipe = StepsRecipe & {
  readonly weightDecay: number;
  readonly loss: ContrastiveLossOptions;
};

export function contrastiveStage(
  { set, spectra, flops }: ContrastiveRows,
  { steps, batch, rate, weightDecay, loss }: ContrastiveRecipe,
  encoder: EncoderOptions,
): Stage {
  const spectrum = (row: number): Float64Array => spectra.subarray(SPECTRUM * row, SPECTRUM * (row + 1));
  return {
    graphs: set.merged(),
    objective: {
      predict: (s, inputs) => contrastiveEncoder(s, inputs as unknown as EncoderInputs, encoder)[0]!,
      loss: (s, { [DISTANCES]: distances, [FLOPS]: told, ...inputs }) =>
        contrastiveLoss(
          s,
          inputs as unknown as EncoderInputs,
          { distances: distances!, flops: told! },
          encoder,
          loss,
        ),
    },
    extras: (rows) => {
      const all = rows.map(spectrum);
      const data = Float32Array.from(all.flatMap((a) => all.map((b) => spectralDistance(a, b))));
      return {
        [DISTANCES]: { type: 'float32', dims: [rows.length, rows.length], data },
        [FLOPS]: {
          type: 'float32',
          dims: [rows.length, 1],
          data: Float32Array.from(rows, (row) => flops[row]!),
        },
      };
    },
    steps,
    batch,
    optimiser: adamW({ weightDecay, decayAll: false }),
    schedule: warmupCosine({ rate, steps, warmup: 0.05, final: 0.05 }),
    clipNorm: 5,
  };
}

/** Spectra of all graphs, those of one structure computed once: cells that differ in kernels alone are built alike. */
export async function spectraOf(set: PackedSet, signal?: AbortSignal): Promise<Float64Array> {
  const pace = new Pace(signal);
  const known = new Map<string, Float64Array>();
  const spectra = new Float64Array(SPECTRUM * set.count);
  for (let row = 0; row < set.count; row++) {
    const { nodes, edges } = set.structure(row);
    const key = `${nodes} ${edges.join()}`;
    let spectrum = known.get(key);
    if (spectrum === undefined) {
      spectrum = smallestEigenvalues(nodes, edges);
      known.set(key, spectrum);
    }
    spectra.set(spectrum, SPECTRUM * row);
    if (pace.isDue) await pace.turn();
  }
  return spectra;
}
