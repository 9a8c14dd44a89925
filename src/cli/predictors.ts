// Predictors in files: those that users trained, and those that come with the package.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
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
    return await decodePredictor(bytes, { threads: availableParallelism(), ...options });
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

/** What a kind of predictor has learned of a space before any label; see `auspex pretrain`. */
export interface ShippedTrunk {
  readonly file: string;
  readonly kind: string;
  readonly space: string;
}

interface Shipped {
  readonly predictors: readonly ShippedPredictor[];
  readonly trunks: readonly ShippedTrunk[];
}

function shipped(): Shipped {
  return JSON.parse(readFileSync(new URL('index.json', SHIPPED), 'utf8')) as Shipped;
}

/** The predictors of the package. */
export function shippedPredictors(): readonly ShippedPredictor[] {
  return shipped().predictors;
}

export function loadShipped({ file }: { file: string }, options?: SessionOptions): Promise<Predictor> {
  return loadPredictor(fileURLToPath(new URL(file, SHIPPED)), options);
}

/** Where a kind of predictor begins for architectures of a space, if the package has that. */
export async function shippedTrunk(kind: string, space: string): Promise<Predictor | undefined> {
  const found = shipped().trunks.find((trunk) => trunk.kind === kind && trunk.space === space);
  return found && loadShipped(found);
}
