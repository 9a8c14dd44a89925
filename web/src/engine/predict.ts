// What the predictors of the package say of a network.
import { here } from '../../../src/api/environment.js';
import { predictNetworks } from '../../../src/app/predict.js';
import type { Network } from '../../../src/networks/index.js';
import { AuspexError } from '../../../src/util/errors.js';
import { problemFrom } from './problem.js';
import type { PredictedHere } from './protocol.js';

export async function predictHere(name: string, network: Network): Promise<PredictedHere> {
  const { familyOf } = here();
  const bundled = here().bundled({ threads: 1 });
  try {
    const asked = [{ ref: name, open: () => network }];
    for await (const found of predictNetworks(asked, { bundled, familyOf, withCost: false })) {
      if (found.network === undefined) throw found.error;
      return {
        hash: network.hash(),
        family: familyOf(network)?.name,
        needed: found.needed,
        refused: found.refused.map(({ predictor, error }) => ({ predictor, problem: problemFrom(error) })),
        labels: found.answers.map(({ label, prediction, predictor, distance, rests, assumed }) => ({
          label: label.name,
          unit: label.unit,
          better: label.better,
          value: prediction.value,
          low: prediction.low,
          high: prediction.high,
          predictor,
          recipe: label.recipe?.about,
          distance,
          neighbours: (rests?.neighbours ?? []).map((one) => ({ name: one.name, distance: one.distance })),
          errors: rests?.errors,
          assumed: [...assumed],
        })),
      };
    }
    throw new AuspexError('PREDICTION_NONE', 'nothing was predicted');
  } finally {
    await bundled.dispose();
  }
}
