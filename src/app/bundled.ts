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

/** The text of a bundled file other than a predictor. */
export function bundledFile(name: string): string {
  return readFileSync(new URL(name, BUNDLED), 'utf8');
}

export function loadBundled(file: string, options?: LoadPredictorOptions): Promise<Predictor> {
  return loadPredictor(pathOf(file), options);
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, BUNDLED));

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
  return loadPredictor(isBundledReference(reference) ? bundledPath(reference) : reference, options);
}

/** The file of `bundled:NAME`. @throws AuspexError BUNDLED_UNKNOWN */
export function bundledPath(reference: string): string {
  const name = reference.slice(SCHEME.length);
  const { predictors, trunks, embeddings } = bundled();
  const files = [...predictors, ...trunks, ...embeddings].map(({ file }) => file);
  const file = files.find((each) => bundledName(each) === name);
  if (file !== undefined) return pathOf(file);
  throw new AuspexError('BUNDLED_UNKNOWN', `no bundled predictor is called '${printableStart(name, 40)}'`, {
    hint: `choose one of ${files.map((each) => `${SCHEME}${bundledName(each)}`).join(', ')}`,
  });
}

/** Where a kind of predictor begins for architectures of a space, if the package has that. */
export async function bundledTrunk(kind: string, space: string): Promise<Predictor | undefined> {
  const path = trunkFile(kind, space);
  return path === undefined ? undefined : loadPredictor(path);
}

function trunkFile(kind: string, space: string): string | undefined {
  const found = bundled().trunks.find((trunk) => trunk.kind === kind && trunk.space === space);
  return found && pathOf(found.file);
}

/**
 * What embeds architectures of a space, as `bundled:NAME`: one of a kind, or the one that is used by default. Undefined where
 * the package has none.
 */
export function bundledEmbedding(space: string, kind?: string): string | undefined {
  const found = bundled().embeddings.find(
    (each) => each.space === space && (kind === undefined || each.kind === kind),
  );
  return found && `${SCHEME}${bundledName(found.file)}`;
}

/**
 * The file of what embeds architectures of a space: an embedding, or else the trunk of a kind.
 *
 * @param kind any by default
 */
export function embeddingPath(space: string, kind?: string): string | undefined {
  const found = bundledEmbedding(space, kind);
  if (found !== undefined) return bundledPath(found);
  const [first] = kind === undefined ? embeddingKinds(space) : [kind];
  return first === undefined ? undefined : trunkFile(first, space);
}

/** Kinds that `embeddingPath` has for a space. */
export function embeddingKinds(space: string): string[] {
  const { embeddings, trunks } = bundled();
  return [...embeddings, ...trunks].flatMap((each) => (each.space === space ? [each.kind] : []));
}
