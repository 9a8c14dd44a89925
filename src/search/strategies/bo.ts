// Bayesian optimisation in latent space, as in arch2vec (Yan et al., NeurIPS 2020): DNGO predicts the values of all architectures
// of a pool from their embeddings, and those are evaluated that are expected to improve on the best one most.
import * as z from 'zod';
import { type Embedding, isValued, type Strategy, type Valued } from '../contract.js';
import { dngo } from '../latent/dngo.js';
import { expectedImprovement } from '../latent/expected-improvement.js';
import { LatentPool } from '../latent/latent-pool.js';
import { chosenOptions, count, numberOr, oneOf, POOL_OPTIONS } from './options.js';

/**
 * Sizes are those of arch2vec's search. What its released code does otherwise are options: `spread=variance`, `targets=raw` and
 * `incumbent=0.95`, all three together.
 */
export const BO_OPTIONS = z.object({
  /** Architectures that are drawn at first. */
  starts: count(16),
  /** Those with the greatest expected improvement that are evaluated in a round. */
  batch: count(5),
  /** Hidden units of DNGO's network, and its passes over all that was evaluated. */
  units: count(128, { to: 4096 }),
  epochs: count(100),
  /** What stands for σ in the expected improvement: the deviation of the prediction, or its variance, as was released. */
  spread: oneOf(['deviation', 'variance'], 'deviation'),
  /** What is to be improved on: the best value so far, or a number. */
  incumbent: numberOr('best'),
  /** Values as DNGO learns them. */
  targets: oneOf(['standardised', 'raw'], 'standardised'),
  ...POOL_OPTIONS,
});
export type BoOptions = z.input<typeof BO_OPTIONS>;

/** Of DNGO's network, as released. */
const [RATE, BATCH] = [0.01, 10];
/** How many of the best have their neighbours join the pool in a round, where the space is not a table. */
const PARENTS = 3;

export function bayesianOptimisation(embedding: Embedding, given: BoOptions = {}): Strategy {
  const options = chosenOptions('bo', BO_OPTIONS, given);
  const { starts, batch, units, epochs, spread, incumbent, targets } = options;
  return {
    name: 'bo',
    options: { embedding: embedding.name, ...options },
    async *propose(context) {
      const { random, objectives, pause } = context;
      const sign = objectives[0]!.better === 'higher' ? 1 : -1;
      const pool = await LatentPool.open(context, embedding, options);
      const known: { readonly trial: Valued; readonly place: number }[] = [];
      for (let round = 0; ; round++) {
        const isDrawn = known.length < 2;
        const places = isDrawn ? pool.draw(round === 0 ? starts : batch) : await mostPromising();
        if (places.length === 0) return;
        for (const place of places) pool.take(place);
        const by = isDrawn ? 'sample' : 'improvement';
        const trials = yield places.map((place) => ({ arch: pool.text(place), by, round }));
        trials.forEach((trial, i) => {
          if (isValued(trial)) known.push({ trial, place: places[i]! });
        });
        const best = known.toSorted((a, b) => sign * (b.trial.value - a.trial.value)).slice(0, PARENTS);
        if (!(await pool.grow(best.map(({ trial }) => trial.arch)))) return;
      }

      async function mostPromising(): Promise<number[]> {
        const { width } = pool;
        const points = new Float64Array(known.length * width);
        known.forEach(({ place }, i) => {
          points.set(pool.point(place), i * width);
        });
        const values = Float64Array.from(known, ({ trial }) => sign * trial.value);
        const network = { units, epochs, rate: RATE, batch: BATCH, targets };
        const { means, variances } = await dngo(points, values, pool.data, network, random, pause);
        const best = incumbent === 'best' ? values.reduce((a, b) => Math.max(a, b)) : sign * incumbent;
        const gains = means.map((mean, i) => {
          const variance = variances[i]!;
          return expectedImprovement(mean, spread === 'variance' ? variance : Math.sqrt(variance), best);
        });
        // Where no improvement is to be expected, in double precision, the greatest prediction decides.
        return Array.from(means, (_, place) => place)
          .filter((place) => !pool.isTaken(place))
          .sort((a, b) => gains[b]! - gains[a]! || means[b]! - means[a]! || a - b)
          .slice(0, batch);
      }
    },
  };
}
