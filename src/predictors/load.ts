// From a file to the predictor that is in it.
import type { Model } from '../graph/graph.js';
import { decodeModel } from '../onnx/read.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { KINDS, type LoadOptions } from './kinds.js';
import { INFO_KEY, type Predictor, type PredictorInfo } from './predictor.js';

/**
 * Reads what a predictor's `toOnnx` wrote.
 *
 * @throws AuspexError NOT_A_PREDICTOR, PREDICTOR_TOO_NEW
 */
export async function decodePredictor(bytes: Uint8Array, options: LoadOptions = {}): Promise<Predictor> {
  const model = decodeModel(bytes);
  const info = infoOf(model);
  if (info.version !== 1) {
    throw new AuspexError('PREDICTOR_TOO_NEW', `the predictor is of version ${info.version}; this knows 1`, {
      hint: 'update auspex',
    });
  }
  const kind = KINDS.get(info.kind);
  if (kind === undefined) {
    const shown = printableStart(String(info.kind), 40);
    throw new AuspexError('NOT_A_PREDICTOR', `there is no predictor of the kind '${shown}'`);
  }
  return kind.load(model, info, options);
}

function infoOf(model: Model): PredictorInfo {
  const text = model.metadata?.get(INFO_KEY);
  try {
    const info: unknown = text === undefined ? undefined : JSON.parse(text);
    if (typeof info === 'object' && info !== null) return info as PredictorInfo;
  } catch {
    // Somebody else's metadata under our key: no predictor of ours.
  }
  throw new AuspexError('NOT_A_PREDICTOR', 'this ONNX file is no predictor', {
    hint: 'give a file that `auspex train` wrote',
  });
}
