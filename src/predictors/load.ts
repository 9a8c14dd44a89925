// From a file to the predictor that is in it.
import type { Model } from '../graph/graph.js';
import { decodeModel } from '../onnx/read.js';
import type { SessionOptions } from '../runtime/session.js';
import { infoOf } from './file.js';
import './views/index.js';
import { OnnxPredictor } from './onnx-predictor.js';

/**
 * Reads what a predictor's `toOnnx` wrote.
 *
 * @param known the model of the bytes, where they were decoded before
 * @throws AuspexError NOT_A_PREDICTOR, PREDICTOR_TOO_NEW, VIEW_UNKNOWN
 */
export async function decodePredictor(
  bytes: Uint8Array,
  options: SessionOptions = {},
  known?: Model,
): Promise<OnnxPredictor> {
  const model = known ?? decodeModel(bytes);
  return OnnxPredictor.of(model, infoOf(model), options, bytes);
}
