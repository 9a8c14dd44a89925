// Orders of a pool of networks: by a model that compares pairs, and by what several members say together.
import { ranksOf } from '../metrics/index.js';
import { mergeOrder } from './merge-order.js';
import type { Ensemble, EnsembleMember, Matrix, MemberAnswers } from './predictor.js';

/** Logits of whether the first row of each pair is better: (pairs, width) each. */
type CompareRows = (first: Float32Array, second: Float32Array) => Promise<ArrayLike<number>>;

/** Pairs of one call: more take memory and no less time. */
const PAIRS = 1 << 15;

/**
 * The part of the other networks that each is placed above, from 0 (the worst) to 1; ½ alone in a pool. Networks of equal
 * latents are not compared: they share their places. NaN where a latent is.
 */
export async function orderOfLatents(
  { rows, width, data }: Matrix,
  compare: CompareRows,
): Promise<Float64Array> {
  const latents = Float32Array.from(data);
  const groups = new Map<string, number[]>();
  for (let row = 0; row < rows; row++) {
    const own = latents.subarray(row * width, (row + 1) * width);
    if (own.some(Number.isNaN)) continue;
    const key = own.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const members = [...groups.values()];
  const picked = (of: Uint32Array): Float32Array => {
    const some = new Float32Array(of.length * width);
    of.forEach((group, i) => {
      const row = members[group]![0]!;
      some.set(latents.subarray(row * width, (row + 1) * width), i * width);
    });
    return some;
  };
  const order = await mergeOrder(members.length, async (first, second) => {
    const logits = new Float64Array(first.length);
    for (let start = 0; start < first.length; start += PAIRS) {
      const end = start + PAIRS;
      logits.set(
        await compare(picked(first.subarray(start, end)), picked(second.subarray(start, end))),
        start,
      );
    }
    return logits;
  });
  const places = new Float64Array(rows).fill(Number.NaN);
  order.forEach((group, place) => {
    for (const row of members[group]!) places[row] = place;
  });
  return sharesOf(places);
}

/** Places of scores in a pool, from 0 (the lowest) to 1; ties share theirs, NaN stay. */
function sharesOf(scores: Float64Array): Float64Array {
  const good = [...scores.keys()].filter((row) => !Number.isNaN(scores[row]));
  const ranks = ranksOf(
    good.map((row) => scores[row]),
    'higher',
  );
  const shares = new Float64Array(scores.length).fill(Number.NaN);
  good.forEach((row, i) => {
    shares[row] = good.length === 1 ? 0.5 : (ranks[i]! - 1) / (good.length - 1);
  });
  return shares;
}

/**
 * One order of what members say: the weighted mean of their places in the pool, or of the normal quantiles of these, which
 * tell the ends of the pool apart more than its middle.
 *
 * Where weights depend on how near networks are, each network has its own.
 *
 * @param answers of all members
 */
export function combinedOrder(
  { combine, members }: Ensemble,
  { values, near }: Pick<MemberAnswers, 'values' | 'near'>,
): Float64Array {
  const rows = values.length / members.length;
  const total = new Float64Array(rows);
  members.forEach((each, member) => {
    const own = Float64Array.from({ length: rows }, (_, row) => values[row * members.length + member]!);
    const count = own.filter((x) => !Number.isNaN(x)).length;
    sharesOf(own).forEach((share, row) => {
      const place = combine === 'ranks' ? share : normalQuantile((share * (count - 1) + 0.5) / count);
      total[row]! += weightAt(each, near?.[row]) * place;
    });
  });
  return total;
}

/** What a member weighs for a network that is so near to those of the training. */
export function weightAt({ weight, far = weight }: EnsembleMember, near = 1): number {
  return near * weight + (1 - near) * far;
}

/** Of the standard normal distribution, by Acklam's rational approximation; the relative error is below 1.2e-9. */
export function normalQuantile(p: number): number {
  const poly = (terms: readonly number[], x: number): number => terms.reduce((sum, a) => sum * x + a, 0);
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p >= 0.02425) {
    const q = p - 0.5;
    const r = q * q;
    return (poly(CENTRE, r) * q) / poly([...CENTRE_BELOW, 1], r);
  }
  const q = Math.sqrt(-2 * Math.log(p));
  return poly(TAIL, q) / poly([...TAIL_BELOW, 1], q);
}

const CENTRE = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const CENTRE_BELOW = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
];
const TAIL = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BELOW = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416];
