// From a file to the predictor that is in it.
import { decodeModel } from '../onnx/read.js';
import type { SessionOptions } from '../runtime/session.js';
import { infoOf } from './file.js';
import './kinds/index.js';
import { OnnxPredictor } from './onnx-predictor.js';

/**
 * Reads what a predictor's `toOnnx` wrote.
 *
 * @throws AuspexError NOT_A_PREDICTOR, PREDICTOR_TOO_NEW, VIEW_UNKNOWN
 */
export async function decodePredictor(
  bytes: Uint8Array,
  options: SessionOptions = {},
): Promise<OnnxPredictor> {
  const model = decodeModel(bytes);
  return OnnxPredictor.of(model, infoOf(model), options, bytes);
}
