// One order of networks of all families, learned from orders within several. Every term is a feature whose direction is known
// before any label; labels only say how much each counts. Terms are weighed one by one (marginal regression): six families
// are too few to tell what correlated terms add to each other, and joint fits were worse on families left out.
import { averageRanks } from '../metrics/order.js';

/** A feature of the view `flow`, and which way it is better. */
export interface OrderTerm {
  readonly feature: string;
  readonly sign: 1 | -1;
  /** Times the logarithm of the image's side, added to it: sums over layers do not see how large images are. */
  readonly bySide: number;
}

/**
 * Depth against resolution as EfficientNet scales them (Tan & Le, ICML 2019): 1.2 times the layers go with 1.15 times the
 * side, log 1.2 / log 1.15. Parameters become MACs, which grow with the square of the side.
 */
const [DEPTH_BY_SIDE, MACS_BY_SIDE] = [1.3, 2];

/** What makes networks better: size at every resolution, many wide layers, many branches; and worse: pools on paths. */
export const ORDER_TERMS: readonly OrderTerm[] = [
  { feature: 'stageMacs', sign: 1, bySide: 0 },
  { feature: 'logParameters', sign: 1, bySide: MACS_BY_SIDE },
  { feature: 'sumFanIn', sign: 1, bySide: DEPTH_BY_SIDE },
  { feature: 'sumWidth', sign: 1, bySide: DEPTH_BY_SIDE },
  // Wide and shallow cells train better than narrow and deep ones (Shu et al., ICLR 2020).
  { feature: 'parallel even', sign: 1, bySide: 0 },
  { feature: 'poolShare', sign: -1, bySide: 0 },
  { feature: 'poolShare even', sign: -1, bySide: 0 },
  { feature: 'poolShare paths', sign: -1, bySide: 0 },
  { feature: 'poolShare variance', sign: -1, bySide: 0 },
];

/** Rows of numbers by name. */
interface NamedRows {
  readonly names: readonly string[];
  readonly data: ArrayLike<number>;
  readonly count: number;
}

/** Of each row, a term's value, higher being better. */
function termColumn({ names, data, count }: NamedRows, { feature, sign, bySide }: OrderTerm): Float64Array {
  const [at, side] = [names.indexOf(feature), names.indexOf('side')];
  return Float64Array.from(
    { length: count },
    (_, row) => sign * (data[row * names.length + at]! + bySide * data[row * names.length + side]!),
  );
}

/** Score = Σ weight · feature. */
export interface FamilyOrder {
  /** By feature, in the order of the rows' names. */
  readonly weights: Float64Array;
}

/** By family, its rows. */
export function rowsByFamily(families: readonly string[], rows: Iterable<number>): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const family = families[row]!;
    const list = found.get(family);
    if (list) list.push(row);
    else found.set(family, [row]);
  }
  return found;
}

/**
 * Weights of the terms: the mean over families of a term's covariance with ranks within the family, none below 0. Scores
 * deviate by 1 within families, on average.
 *
 * @param better the label, higher being better
 * @param groups rows of each family that have the label
 */
export function fitFamilyOrder(
  rows: NamedRows,
  better: Float64Array,
  groups: ReadonlyMap<string, readonly number[]>,
): FamilyOrder {
  const families = [...groups.values()].filter((some) => some.length > 1);
  const weights = new Float64Array(rows.names.length);
  const side = rows.names.indexOf('side');
  for (const term of ORDER_TERMS) {
    const x = termColumn(rows, term);
    let [variance, covariance] = [0, 0];
    for (const some of families) {
      const own = centred(some.map((row) => x[row]!));
      const ranks = centred(averageRanks(Float64Array.from(some, (row) => better[row]!)));
      const spread = Math.sqrt(meanProduct(ranks, ranks)) || 1;
      variance += meanProduct(own, own) / families.length;
      covariance += meanProduct(own, ranks) / spread / families.length;
    }
    if (!(variance > 1e-12) || covariance <= 0) continue;
    const weight = (term.sign * covariance) / variance;
    weights[rows.names.indexOf(term.feature)]! += weight;
    weights[side]! += weight * term.bySide;
  }
  const scores = scoresOf(rows, { weights });
  const variances = families.map((some) => {
    const own = centred(some.map((row) => scores[row]!));
    return meanProduct(own, own);
  });
  const deviation = Math.sqrt(variances.reduce((a, b) => a + b, 0) / Math.max(1, variances.length));
  return { weights: deviation > 0 ? weights.map((weight) => weight / deviation) : weights };
}

export function scoresOf({ names, data, count }: NamedRows, { weights }: FamilyOrder): Float64Array {
  return Float64Array.from({ length: count }, (_, row) =>
    names.reduce((sum, _name, f) => sum + weights[f]! * data[row * names.length + f]!, 0),
  );
}

function centred(values: ArrayLike<number>): Float64Array {
  const list = Float64Array.from(values);
  const mean = list.reduce((a, b) => a + b, 0) / list.length;
  return list.map((value) => value - mean);
}

function meanProduct(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0) / a.length;
}
