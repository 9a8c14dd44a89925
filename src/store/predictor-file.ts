// Predictors in files.
import { availableParallelism } from 'node:os';
import type { Model } from '../graph/graph.js';
import { readBytes } from '../onnx/file.js';
import { decodePredictor } from '../predictors/load.js';
import type { Predictor } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';

/**
 * @param known the model of the file, where it was read before
 * @throws AuspexError FILE_UNREADABLE, NOT_A_PREDICTOR, PREDICTOR_TOO_NEW
 */
export async function loadPredictor(
  path: string,
  options?: SessionOptions,
  known?: Model,
): Promise<Predictor> {
  const bytes = readBytes(path);
  try {
    return await decodePredictor(bytes, { threads: availableParallelism(), ...options }, known);
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    throw error.within({ file: path });
  }
}
