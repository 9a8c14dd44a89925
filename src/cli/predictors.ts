// Predictors in files: those that users trained, and those that come with the package.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { unreadable } from '../onnx/file.js';
import { decodePredictor } from '../predictors/load.js';
import type { Predictor } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';

/** Where the package keeps its own. */
const SHIPPED = new URL('../../predictors/', import.meta.url);

export async function loadPredictor(path: string, options?: SessionOptions): Promise<Predictor> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return await decodePredictor(bytes, options);
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    throw error.within({ file: path });
  }
}

/** A predictor that comes with the package, as the list of them says. */
export interface ShippedPredictor {
  readonly file: string;
  readonly space: string;
  readonly labels: readonly string[];
}

/** The predictors of the package. */
export function shippedPredictors(): ShippedPredictor[] {
  const list = new URL('index.json', SHIPPED);
  return (JSON.parse(readFileSync(list, 'utf8')) as { predictors: ShippedPredictor[] }).predictors;
}

export function loadShipped({ file }: ShippedPredictor, options?: SessionOptions): Promise<Predictor> {
  return loadPredictor(fileURLToPath(new URL(file, SHIPPED)), options);
}
