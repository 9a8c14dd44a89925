// What the index of the package's predictors says, and the predictors that it leads to: each is loaded when a network is
// first met that it may be for. Where their files are, those who use this say: Node reads them, pages fetch them.
import { z } from 'zod';
import type { Network } from '../networks/index.js';
import type { Predictor } from '../predictors/predictor.js';
import type { NamedPredictor, PredictorSource } from './predict.js';

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

export const bundledIndex = z.object({
  schema: z.literal('auspex.bundled/1'),
  predictors: z.array(entry),
  trunks: z.array(z.object({ file: z.string(), kind: z.string(), space: z.string() })),
  /** What embeds architectures of a space; of several, the first by default. */
  embeddings: z.array(z.object({ file: z.string(), kind: z.string(), space: z.string() })).default([]),
});

export type BundledEntry = z.infer<typeof entry>;
export type BundledIndex = z.infer<typeof bundledIndex>;

export class IndexedPredictors implements PredictorSource {
  readonly #entries: readonly BundledEntry[];
  readonly #open: (file: string) => Promise<Predictor>;
  readonly #loaded = new Map<string, Promise<Predictor>>();

  /** @param open loads the predictor of a file of the index */
  constructor(entries: readonly BundledEntry[], open: (file: string) => Promise<Predictor>) {
    this.#entries = entries;
    this.#open = open;
  }

  /** Those that may cover a network; whether they do, they say themselves. */
  for(network: Network): Promise<NamedPredictor[]> {
    const space = network.arch?.space.name ?? 'onnx';
    // Those that learned from files are asked for files; others that see whole networks, for all.
    const isSeen = ({ view, spaces }: BundledEntry): boolean =>
      spaces.includes(space) ||
      (view !== 'cell' &&
        (network.file !== undefined || network.arch === undefined || !spaces.includes('onnx')));
    const fitting = this.#entries.filter((entry) => isSeen(entry) && !entry.notFor.includes(space));
    return Promise.all(
      fitting.map(async ({ file }) => ({ name: bundledName(file), predictor: await this.#load(file) })),
    );
  }

  labels(): string[] {
    return this.#entries.flatMap(({ labels }) => labels.map(({ name }) => name));
  }

  recipes(): string[] {
    return this.#entries.flatMap(({ labels }) => labels.flatMap(({ recipe }) => recipe?.name ?? []));
  }

  async dispose(): Promise<void> {
    for (const loading of this.#loaded.values()) await (await loading).dispose();
    this.#loaded.clear();
  }

  #load(file: string): Promise<Predictor> {
    let loading = this.#loaded.get(file);
    if (loading === undefined) {
      loading = this.#open(file);
      this.#loaded.set(file, loading);
    }
    return loading;
  }
}

/** What users know a bundled predictor by. */
export function bundledName(file: string): string {
  return file.replace(/\.onnx$/, '');
}
