// Predictors that come with the package: an index says what each is for, so that only those that are needed are loaded.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Network } from '../networks/index.js';
import type { Predictor } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import { loadPredictor } from '../store/predictor-file.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { NamedPredictor, PredictorSource } from './predict.js';

type LoadPredictorOptions = Pick<SessionOptions, 'threads'>;

const BUNDLED = new URL('../../bundled/', import.meta.url);

const entry = z.object({
  file: z.string(),
  kind: z.string(),
  /** Spaces whose architectures it was trained on. */
  spaces: z.array(z.string()),
  /** Spaces that have a predictor of their own for what it predicts: it is not asked there. */
  notFor: z.array(z.string()).default([]),
  /** Whether it sees cells, and so answers for architectures of its spaces only. */
  view: z.string(),
  /** What was predicted on which device, in words. */
  about: z.string(),
  labels: z.array(
    z.object({
      name: z.string(),
      unit: z.string(),
      better: z.enum(['higher', 'lower']),
      /** How networks are assumed to be trained. */
      recipe: z.object({ name: z.string(), about: z.string() }).optional(),
    }),
  ),
});

const index = z.object({
  schema: z.literal('auspex.bundled/1'),
  predictors: z.array(entry),
  trunks: z.array(z.object({ file: z.string(), kind: z.string(), space: z.string() })),
});

export type BundledEntry = z.infer<typeof entry>;

let known: z.infer<typeof index> | undefined;

function bundled(): z.infer<typeof index> {
  known ??= index.parse(JSON.parse(readFileSync(new URL('index.json', BUNDLED), 'utf8')));
  return known;
}

/** What the package has predictors for. */
export function bundledEntries(): readonly BundledEntry[] {
  return bundled().predictors;
}

/** Predictors of the package, each loaded when a network is first met that it may be for. */
export class BundledPredictors implements PredictorSource {
  readonly #options: LoadPredictorOptions;
  readonly #loaded = new Map<string, Promise<Predictor>>();

  constructor(options: LoadPredictorOptions = {}) {
    this.#options = options;
  }

  /** Those that may cover a network; whether they do, they say themselves. */
  for(network: Network): Promise<NamedPredictor[]> {
    const space = network.arch?.space.name ?? 'onnx';
    // Those that learned from files are asked for files; others that see whole networks, for all.
    const isSeen = ({ view, spaces }: BundledEntry): boolean =>
      spaces.includes(space) || (view !== 'cell' && (network.file !== undefined || !spaces.includes('onnx')));
    const fitting = bundledEntries().filter((entry) => isSeen(entry) && !entry.notFor.includes(space));
    return Promise.all(
      fitting.map(async ({ file }) => ({ name: bundledName(file), predictor: await this.#load(file) })),
    );
  }

  labels(): string[] {
    return bundledEntries().flatMap(({ labels }) => labels.map(({ name }) => name));
  }

  recipes(): string[] {
    return bundledEntries().flatMap(({ labels }) => labels.flatMap(({ recipe }) => recipe?.name ?? []));
  }

  async dispose(): Promise<void> {
    for (const loading of this.#loaded.values()) await (await loading).dispose();
    this.#loaded.clear();
  }

  #load(file: string): Promise<Predictor> {
    let loading = this.#loaded.get(file);
    if (loading === undefined) {
      loading = loadBundled(file, this.#options);
      this.#loaded.set(file, loading);
    }
    return loading;
  }
}

/** The text of a file of the package that is no predictor. */
export function bundledFile(name: string): string {
  return readFileSync(new URL(name, BUNDLED), 'utf8');
}

/** What users know a bundled predictor by. */
export function bundledName(file: string): string {
  return file.replace(/\.onnx$/, '');
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
