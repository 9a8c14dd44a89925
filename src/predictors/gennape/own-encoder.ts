// An encoder for heads where none is given: the contrastive one, trained on the rows of the heads themselves.
import { entriesModel } from '../entries.js';
import type { FitRun } from '../kind.js';
import {
  BLOCK_ROWS,
  contrastiveEncoder,
  ENCODER,
  type EncoderInputs,
} from '../models/contrastive-encoder.js';
import type { Json } from '../predictor.js';
import { contrastiveStage, spectraOf } from '../pretraining/contrastive-stage.js';
import { trainStages } from '../train.js';
import type { PackedSet } from '../views/computation-graph/graph-set.js';
import { VOCABULARIES } from '../views/computation-graph/vocabulary.js';
import { viewNamed } from '../views/view.js';
import { type Encoder, encoder } from './encoder.js';

export const ENCODER_VIEW = 'computation-graph';
export const ENCODER_VIEW_OPTIONS = { vocabulary: 'gennape', sizes: 'linear', blocks: BLOCK_ROWS } as const;

const LOSS = {
  temperature: 0.05,
  alpha: 'similar',
  alphaTemperature: 0.05,
  projection: 64,
  flopsWeight: 1,
} as const;

/** Trained without labels; see the kind `contrastive`, whose defaults it has. */
export async function trainedEncoder(
  set: PackedSet,
  state: Json,
  macs: Float64Array,
  { steps, rate }: { readonly steps: number; readonly rate: number },
  run: FitRun,
): Promise<Encoder> {
  const options = { ...ENCODER, labels: VOCABULARIES.gennape.labels.length };
  const logs = macs.map((count) => Math.log1p(count));
  const mean = logs.reduce((sum, x) => sum + x, 0) / logs.length;
  const deviation = Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / logs.length);
  const flops = logs.map((x) => (deviation > 0 ? (x - mean) / deviation : 0));
  const spectra = await spectraOf(set, run.signal);
  const recipe = { steps, batch: 128, rate, members: 1, weightDecay: 0.01, loss: LOSS };
  const stage = { ...contrastiveStage({ set, spectra, flops }, recipe, options), name: 'encoder' };
  const [trained] = await trainStages([stage], 1, run);
  const model = entriesModel(
    [
      {
        gives: 'latent',
        inputs: viewNamed(ENCODER_VIEW).inputs(state),
        write: (s, inputs) => contrastiveEncoder(s, inputs as unknown as EncoderInputs, options)[0]!,
      },
    ],
    new Map([...trained!.weights].filter(([name]) => !/^(projection|flops)\./.test(name))),
  );
  return encoder(model, ENCODER_VIEW, state);
}
