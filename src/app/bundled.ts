// Predictors that come with the package: an index says what each is for, so that only those that are needed are loaded.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Predictor } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import { loadPredictor } from '../store/predictor-file.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import {
  type BundledEntry,
  type BundledIndex,
  bundledIndex,
  bundledName,
  IndexedPredictors,
} from './bundled-index.js';

type LoadPredictorOptions = Pick<SessionOptions, 'threads'>;

const BUNDLED = new URL('../../bundled/', import.meta.url);

let known: BundledIndex | undefined;

function bundled(): BundledIndex {
  known ??= bundledIndex.parse(JSON.parse(readFileSync(new URL('index.json', BUNDLED), 'utf8')));
  return known;
}

/** What the package has predictors for. */
export function bundledEntries(): readonly BundledEntry[] {
  return bundled().predictors;
}

/** Predictors of the package. */
export class BundledPredictors extends IndexedPredictors {
  constructor(options: LoadPredictorOptions = {}) {
    super(bundledEntries(), (file) => loadBundled(file, options));
  }
}

export function loadBundled(file: string, options?: LoadPredictorOptions): Promise<Predictor> {
  return loadPredictor(fileURLToPath(new URL(file, BUNDLED)), options);
}

const SCHEME = 'bundled:';

export function isBundledReference(text: string): boolean {
  return text.startsWith(SCHEME);
}

/**
 * A predictor by its path, or `bundled:NAME` for one of the package.
 *
 * @throws AuspexError BUNDLED_UNKNOWN, and what loading throws
 */
export function openPredictor(reference: string, options?: LoadPredictorOptions): Promise<Predictor> {
  if (!isBundledReference(reference)) return loadPredictor(reference, options);
  const name = reference.slice(SCHEME.length);
  const { predictors, trunks } = bundled();
  const files = [...predictors, ...trunks].map(({ file }) => file);
  const file = files.find((each) => bundledName(each) === name);
  if (file !== undefined) return loadBundled(file, options);
  throw new AuspexError('BUNDLED_UNKNOWN', `no bundled predictor is called '${printableStart(name, 40)}'`, {
    hint: `choose one of ${files.map((each) => `${SCHEME}${bundledName(each)}`).join(', ')}`,
  });
}

/** Where a kind of predictor begins for architectures of a space, if the package has that. */
export async function bundledTrunk(kind: string, space: string): Promise<Predictor | undefined> {
  const found = bundled().trunks.find((trunk) => trunk.kind === kind && trunk.space === space);
  return found && loadBundled(found.file);
}
