// REINFORCE in latent space, as in arch2vec (Yan et al., NeurIPS 2020): a recurrent policy goes from point to point, each time to
// the architecture nearest to what it chose that was not tried before, and learns after every episode which choices were good.
import * as z from 'zod';
import { bestTrial, type Embedding, isValued, type Strategy, type Trial } from '../contract.js';
import { Adam } from '../latent/adam.js';
import { LatentPool } from '../latent/latent-pool.js';
import { Policy } from '../latent/policy.js';
import { type Standard, standardised, standardOf } from '../latent/standardised.js';
import { chosenOptions, count, numberOr, POOL_OPTIONS } from './options.js';

/** Sizes are those of arch2vec's search, which has `baseline=0.95` and `scale=raw`. */
export const REINFORCE_OPTIONS = z.object({
  /** Steps of an episode, which are evaluated at once. */
  steps: count(16),
  /** Of the policy's LSTM. */
  units: count(128, { to: 4096 }),
  /** What rewards are compared with: the mean so far, in units of their deviation; or a number, as they are. */
  baseline: numberOr('mean'),
  /**
   * The deviation that embeddings are scaled to, with mean 0; or `raw`. The policy's noise is 1 in every direction: the smaller
   * the scale, the farther it looks, and the more it is a direction that it chooses.
   */
  scale: numberOr('raw', 0.2),
  ...POOL_OPTIONS,
});
export type ReinforceOptions = z.input<typeof REINFORCE_OPTIONS>;

const RATE = 0.01;

export function reinforce(embedding: Embedding, given: ReinforceOptions = {}): Strategy {
  const options = chosenOptions('reinforce', REINFORCE_OPTIONS, given);
  const { steps, units, baseline, scale } = options;
  return {
    name: 'reinforce',
    options: { embedding: embedding.name, ...options },
    async *propose(context) {
      const { random, objectives, pause } = context;
      const { better } = objectives[0]!;
      const sign = better === 'higher' ? 1 : -1;
      const pool = await LatentPool.open(context, embedding, options);
      const { width } = pool;
      const policy = Policy.random(width, units, random);
      const adam = new Adam(policy.weights.length, RATE);
      // What joins the pool later is scaled as what was there at first.
      const { means, deviations } =
        scale === 'raw' ? unscaled(width) : scaledTo(scale, standardOf(pool.data, width));
      const pointOf = (place: number): Float64Array => standardised(pool.point(place), { means, deviations });
      const nearest = (action: Float64Array): number => {
        const { data } = pool;
        let [found, least] = [-1, Number.POSITIVE_INFINITY];
        const wanted = action.map((x, k) => x * deviations[k]! + means[k]!);
        for (let place = 0; place < pool.count; place++) {
          let distance = 0;
          for (let k = 0; k < width && distance < least; k++) {
            distance += ((data[place * width + k]! - wanted[k]!) / deviations[k]!) ** 2;
          }
          if (distance < least && !pool.isTaken(place)) [found, least] = [place, distance];
        }
        return found;
      };
      const rewards: number[] = [];
      const seen: Trial[] = [];
      let state = pointOf(random.below(pool.count));
      for (let round = 0; ; round++) {
        const length = Math.min(steps, pool.count);
        const [states, actions] = [new Float64Array(length * width), new Float64Array(length * width)];
        const places: number[] = [];
        const next = policy.begin();
        for (let step = 0; step < length; step++) {
          await pause();
          const action = next(state).map((mean) => mean + random.normal());
          const place = nearest(action);
          if (place < 0) break;
          states.set(state, step * width);
          actions.set(action, step * width);
          pool.take(place);
          places.push(place);
          state = pointOf(place);
        }
        if (places.length === 0) return;
        const trials = yield places.map((place) => ({ arch: pool.text(place), by: 'policy', round }));
        seen.push(...trials);
        const values = trials.map((trial) => (isValued(trial) ? sign * trial.value : Number.NaN));
        rewards.push(...values.filter(Number.isFinite));
        const size = places.length * width;
        adam.step(
          policy.weights,
          policy.gradient({
            states: states.subarray(0, size),
            actions: actions.subarray(0, size),
            advantages: advantagesOf(values, rewards, baseline === 'mean' ? baseline : sign * baseline),
          }),
        );
        const best = bestTrial(seen, better);
        if (!(await pool.grow(best ? [best.arch] : []))) return;
      }
    },
  };
}

const unscaled = (width: number): Standard => ({
  means: new Float64Array(width),
  deviations: new Float64Array(width).fill(1),
});

const scaledTo = (scale: number, { means, deviations }: Standard): Standard => ({
  means,
  deviations: deviations.map((deviation) => deviation / scale),
});

/** How good each step was; 0 where an evaluation failed. */
function advantagesOf(
  values: readonly number[],
  all: readonly number[],
  baseline: number | 'mean',
): Float64Array {
  const { means, deviations } = standardOf(Float64Array.from(all), 1);
  return Float64Array.from(values, (value) => {
    if (!Number.isFinite(value)) return 0;
    return baseline === 'mean' ? (value - means[0]!) / deviations[0]! : value - baseline;
  });
}
