// DNGO (Snoek et al., ICML 2015): Bayesian linear regression on the hidden layer of a network that was learned from the same rows.
// It predicts a value with its variance, in time that is linear in the rows.
import type { Pause } from '../../util/pauses.js';
import type { Random } from '../../util/random.js';
import { BasisNetwork, type BasisOptions } from './basis-network.js';
import { BayesianRegression } from './bayesian-regression.js';
import { standardised, standardOf } from './standardised.js';

export interface DngoOptions extends BasisOptions {
  /** Targets with mean 0 and deviation 1; or as they are, as arch2vec's search learns accuracies. */
  readonly targets: 'standardised' | 'raw';
}

/** Distributions of values, row by row. */
export interface Predicted {
  readonly means: Float64Array;
  readonly variances: Float64Array;
}

/** Rows that are predicted between two pauses. */
const SLICE = 2048;

/**
 * Learns from rows, and predicts others. Inputs are standardised by the rows that are learned from.
 *
 * @param known (n, width), row by row
 * @param asked (m, width)
 */
export async function dngo(
  known: Float64Array,
  values: Float64Array,
  asked: Float64Array,
  options: DngoOptions,
  random: Random,
  pause: Pause,
): Promise<Predicted> {
  const width = known.length / values.length;
  const scales = standardOf(known, width);
  const x = standardised(known, scales);
  const isRaw = options.targets === 'raw';
  const of = isRaw ? { means: [0], deviations: [1] } : standardOf(values, 1);
  const [shift, scale] = [of.means[0]!, of.deviations[0]!];
  const y = values.map((value) => (value - shift) / scale);
  const network = BasisNetwork.random(width, options.units, random);
  await network.fit(x, y, options, random, pause);
  const features = new Float64Array(y.length * options.units);
  for (let row = 0; row < y.length; row++) {
    network.basis(x, row, features.subarray(row * options.units, (row + 1) * options.units));
  }
  // A draw of the priors that the released code begins with.
  const start = [random.normal(), random.normal() - 3] as const;
  const regression = BayesianRegression.fit(features, y, start);
  const count = asked.length / width;
  const [means, variances] = [new Float64Array(count), new Float64Array(count)];
  const at = new Float64Array(options.units);
  const point = new Float64Array(width);
  for (let row = 0; row < count; row++) {
    if (row % SLICE === 0) await pause();
    for (let k = 0; k < width; k++) {
      point[k] = (asked[row * width + k]! - scales.means[k]!) / scales.deviations[k]!;
    }
    network.basis(point, 0, at);
    const { mean, variance } = regression.predict(at);
    means[row] = mean * scale + shift;
    variances[row] = variance * scale * scale;
  }
  return { means, variances };
}
