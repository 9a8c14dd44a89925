// From a file to the predictor that is in it.
import type { Model } from '../graph/graph.js';
import { decodeModel } from '../onnx/read.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { CELL_MODELS } from './cell-models.js';
import { CellPredictor, type CellPredictorInfo } from './cell-predictor.js';
import { INFO_KEY, type Predictor, type PredictorInfo } from './predictor.js';

/**
 * Reads what a predictor's `toOnnx` wrote.
 *
 * @throws AuspexError NOT_A_PREDICTOR, PREDICTOR_TOO_NEW
 */
export async function decodePredictor(bytes: Uint8Array, options: SessionOptions = {}): Promise<Predictor> {
  const model = decodeModel(bytes);
  const info = infoOf(model);
  if (info.version !== 1) {
    throw new AuspexError('PREDICTOR_TOO_NEW', `the predictor is of version ${info.version}; this knows 1`, {
      hint: 'update auspex',
    });
  }
  if (!Object.hasOwn(CELL_MODELS, info.kind)) {
    throw new AuspexError('NOT_A_PREDICTOR', `there is no predictor of the kind '${info.kind}'`);
  }
  return CellPredictor.create(model, info as CellPredictorInfo, options);
}

function infoOf(model: Model): PredictorInfo {
  const text = model.metadata?.get(INFO_KEY);
  try {
    if (text !== undefined) return JSON.parse(text) as PredictorInfo;
  } catch {
    // Somebody else's metadata under our key: no predictor of ours.
  }
  throw new AuspexError('NOT_A_PREDICTOR', 'this ONNX file is no predictor', {
    hint: 'give a file that `auspex train` wrote',
  });
}
