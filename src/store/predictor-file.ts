// Predictors in files.
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { readModel, unreadable } from '../onnx/file.js';
import type { LoadOptions } from '../predictors/kinds.js';
import { decodePredictor } from '../predictors/load.js';
import type { Predictor } from '../predictors/predictor.js';
import { AuspexError } from '../util/errors.js';

/** @throws AuspexError FILE_UNREADABLE, NOT_A_PREDICTOR, PREDICTOR_TOO_NEW */
export async function loadPredictor(path: string, options?: LoadOptions): Promise<Predictor> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return await decodePredictor(bytes, { threads: availableParallelism(), read: readModel, ...options });
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    throw error.within({ file: path });
  }
}
