// A new label from few rows: what a predictor says of other labels, combined. Devices are alike, so a latency on a new one
// is nearly a product of powers of latencies on known ones, and a handful of rows is enough to find them. The
// combination is a head over the same trunk, and can be trained further.
import type { Weights } from '../nn/trainer.js';
import { memberWeights } from './entries.js';
import type { Prepared } from './fit.js';
import { type LabelScale, learnedLabels, type Standard } from './labels.js';
import { LinearRegression } from './linear-regression.js';
import type { OnnxPredictor } from './onnx-predictor.js';
import { FeatureRows } from './views/feature-rows.js';

/** Parameters of the layers that are not kept when a predictor is trained further for other labels. */
const HEAD = /^head\./;

/** Weights of ridge regressions that are tried. */
const RIDGES = [0.01, 0.1, 1, 10, 100];
const FOLDS = 5;

/** A linear head: weight (width, labels), bias (labels). */
interface LinearHead {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/**
 * Weights to begin with for other labels: the trunk of every member, and heads that say the new labels from the known ones.
 * Where one layer puts out all labels, it combines them; where every label has layers of its own, a new label begins
 * with those of the known one that tells it best, scaled and moved.
 */
export async function startFrom(
  from: OnnxPredictor,
  { set, labels, scales }: Prepared,
  standard: Standard,
): Promise<Weights[]> {
  const members = memberWeights(from.model);
  const trunks = members.map((member) => new Map([...member].filter(([name]) => !HEAD.test(name))));
  if (standard.kind !== 'standard') return trunks;
  const own = (from.info.recipe as unknown as { readonly scales: readonly LabelScale[] }).scales;
  const values = async (): Promise<TransferValues> => ({
    known: learnedLabels(await from.valuesOf(set), own),
    count: own.length,
    targets: learnedLabels(labels.values, scales),
    labels: scales.length,
  });
  const heads = members.map((member) => new Map([...member].filter(([name]) => HEAD.test(name))));
  const started = hasOwnLayers(heads[0]!, own.length)
    ? chosenHeads(heads, standard.centre, await values())
    : isShared(heads[0]!, own.length, scales.length)
      ? sharedHeads(heads, standard.centre, await values())
      : [];
  return trunks.map((trunk, member) => new Map([...trunk, ...(started[member] ?? [])]));
}

/** What is known of the rows, as it was learned, and what is to be learned: (rows, count), (rows, labels). */
interface TransferValues {
  readonly known: Float64Array;
  readonly count: number;
  /** NaN where a row lacks a label. */
  readonly targets: Float64Array;
  readonly labels: number;
}

/** Whether every one of several labels has layers of its own: `head.1.0.weight`. */
function hasOwnLayers(head: Weights, labels: number): boolean {
  return labels > 1 && [...head.keys()].some((name) => /^head\.\d+\.\d+\./.test(name));
}

/** Whether one layer puts out all labels. Layers of a single label may be those of a kind that has some for each. */
function isShared(head: Weights, labels: number, next: number): boolean {
  const last = lastLayer(head, 'head.');
  return last !== undefined && (labels > 1 || next === 1 || last === 'head.');
}

/** `head.` where it is one layer, else `head.2.`, the last of several. */
function lastLayer(head: Weights, prefix: string): string | undefined {
  if (head.has(`${prefix}weight`)) return prefix;
  const places = [...head.keys()].flatMap((name) => {
    const [, place] = /^(\d+)\.weight$/.exec(name.slice(prefix.length)) ?? [];
    return name.startsWith(prefix) && place !== undefined ? [Number(place)] : [];
  });
  return places.length === 0 ? undefined : `${prefix}${Math.max(...places)}.`;
}

function layerOf(head: Weights, prefix: string): LinearHead {
  return { weight: head.get(`${prefix}weight`)!, bias: head.get(`${prefix}bias`)! };
}

function sharedHeads(heads: readonly Weights[], centre: number, values: TransferValues): Weights[] {
  const last = lastLayer(heads[0]!, 'head.')!;
  const layers = heads.map((head) => layerOf(head, last));
  const { known, targets, labels } = values;
  return combinedHeads(layers, centre, known, targets, labels).map(({ weight, bias }, member) =>
    new Map(heads[member]!).set(`${last}weight`, weight).set(`${last}bias`, bias),
  );
}

/** For every new label the layers of the known label k of which y = c + a·fₖ fits best. */
function chosenHeads(heads: readonly Weights[], centre: number, values: TransferValues): Weights[] {
  const { known, count, targets, labels } = values;
  const chosen = Array.from({ length: labels }, (_, label) => {
    const rows = presentRows(targets, labels, label);
    const truths = rows.map((row) => targets[row * labels + label]!);
    const fits = Array.from({ length: count }, (_, k) => ({
      k,
      ...combination(
        rows.map((row) => known.subarray(row * count + k, row * count + k + 1)),
        truths,
      ),
    }));
    return fits.reduce((best, fit) => (fit.error < best.error ? fit : best));
  });
  return heads.map((head) => {
    const next = new Map<string, Float32Array>();
    chosen.forEach(({ k, factors, offset }, label) => {
      const [before, prefix] = [`head.${k}.`, labels === 1 ? 'head.' : `head.${label}.`];
      const last = lastLayer(head, before)!;
      for (const [name, weights] of head) {
        if (name.startsWith(before)) next.set(`${prefix}${name.slice(before.length)}`, weights);
      }
      const { weight, bias } = layerOf(head, last);
      const layer = `${prefix}${last.slice(before.length)}`;
      next.set(
        `${layer}weight`,
        weight.map((w) => factors[0]! * w),
      );
      next.set(
        `${layer}bias`,
        bias.map((b) => factors[0]! * (b + centre) + offset - centre),
      );
    });
    return next;
  });
}

function presentRows(targets: Float64Array, labels: number, label: number): number[] {
  return Array.from({ length: targets.length / labels }, (_, row) => row).filter(
    (row) => !Number.isNaN(targets[row * labels + label]),
  );
}

/**
 * Heads that give y = c + Σ aₖ·fₖ, fₖ being the known labels as they were learned (logarithms of latencies), for the a
 * and c that fit best. One ridge regression for every new label, its weight chosen by five-fold cross-validation.
 *
 * @param heads of every member of the ensemble
 * @param centre what the model adds to the head's outputs
 * @param known what all members together say of the rows, as it was learned: (rows, known labels)
 * @param targets the new labels of the rows, as they are to be learned: (rows, labels); NaN where a row lacks one
 */
function combinedHeads(
  heads: readonly LinearHead[],
  centre: number,
  known: Float64Array,
  targets: Float64Array,
  labels: number,
): LinearHead[] {
  const count = heads[0]!.bias.length;
  const combinations = Array.from({ length: labels }, (_, label) => {
    const present = presentRows(targets, labels, label);
    return combination(
      present.map((row) => known.subarray(row * count, (row + 1) * count)),
      present.map((row) => targets[row * labels + label]!),
    );
  });
  return heads.map(({ weight, bias }) => {
    const width = weight.length / count;
    const next = { weight: new Float32Array(width * labels), bias: new Float32Array(labels) };
    combinations.forEach(({ factors, offset }, label) => {
      const combined = (of: (k: number) => number): number =>
        factors.reduce((sum, a, k) => sum + a * of(k), 0);
      for (let i = 0; i < width; i++) {
        next.weight[i * labels + label] = combined((k) => weight[i * count + k]!);
      }
      next.bias[label] = combined((k) => bias[k]! + centre) + offset - centre;
    });
    return next;
  });
}

interface Combination {
  readonly factors: readonly number[];
  readonly offset: number;
  /** Squared, of rows that were left out in turn. */
  readonly error: number;
}

function combination(rows: readonly Float64Array[], targets: readonly number[]): Combination {
  const names = Array.from({ length: rows[0]!.length }, (_, k) => `label${k}`);
  const featuresOf = (of: readonly number[]): FeatureRows =>
    new FeatureRows(
      names,
      of.flatMap((row) => [...rows[row]!]),
    );
  const all = rows.map((_, row) => row);
  const fit = (of: readonly number[], ridge: number): LinearRegression =>
    LinearRegression.fit(
      featuresOf(of),
      of.map((row) => targets[row]!),
      { ridge },
    );
  const errorOf = (ridge: number): number => {
    let error = 0;
    for (let fold = 0; fold < FOLDS; fold++) {
      const held = all.filter((row) => row % FOLDS === fold);
      const kept = all.filter((row) => row % FOLDS !== fold);
      if (held.length === 0 || kept.length < 2) continue;
      fit(kept, ridge)
        .predict(featuresOf(held))
        .forEach((y, i) => {
          error += (y - targets[held[i]!]!) ** 2;
        });
    }
    return error;
  };
  const errors = RIDGES.map(errorOf);
  const { means, deviations, weights, bias } = fit(
    all,
    RIDGES[errors.indexOf(Math.min(...errors))]!,
  ).toJSON();
  const factors = weights.map((w, k) => w / deviations[k]!);
  const offset = factors.reduce((sum, a, k) => sum - a * means[k]!, bias);
  return { factors, offset, error: Math.min(...errors) };
}
