// Runs of search experiments in a folder: `<out>/<experiment>/<entry>.<seed>.json`, described in docs/json/reproduce.md.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readBytes } from '../../onnx/file.js';
import { STRATEGIES } from '../../search/strategies/registry.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import type { SearchEntry, SearchExperiment } from './experiment.js';

const runResult = z.object({
  schema: z.literal('auspex.reproduce.search/1'),
  experiment: z.string(),
  entry: z.string(),
  seed: z.int(),
  /** What was run: a result counts only for the same. */
  settings: z.record(z.string(), z.unknown()),
  /** Test regret at the times of the experiment; null before the first evaluation. */
  regret: z.array(z.number().nullable()),
  /** The same of the label that strategies see. */
  seenRegret: z.array(z.number().nullable()),
  evaluations: z.int(),
  /** Mean training seconds of a network of the table. */
  meanSeconds: z.number(),
  version: z.string(),
});
export type RunResult = z.infer<typeof runResult>;

export class RunFiles {
  readonly #folder: string;
  readonly #experiment: SearchExperiment;

  constructor(out: string, experiment: SearchExperiment) {
    this.#folder = join(out, experiment.id);
    this.#experiment = experiment;
  }

  pathOf({ id }: SearchEntry, seed: number): string {
    return join(this.#folder, `${id}.${seed}.json`);
  }

  /**
   * Undefined where it is not done.
   *
   * @throws AuspexError REPRODUCE_RESULT for another file, REPRODUCE_SETTINGS for a run of other settings
   */
  read(entry: SearchEntry, seed: number): RunResult | undefined {
    const file = this.pathOf(entry, seed);
    if (!existsSync(file)) return undefined;
    const { data } = runResult.safeParse(parsed(readBytes(file).toString('utf8')));
    if (data === undefined || data.entry !== entry.id || data.seed !== seed) {
      throw new AuspexError('REPRODUCE_RESULT', 'the file is not a result of this search', {
        where: { file },
        hint: 'delete it, or give another folder with --out',
      });
    }
    if (JSON.stringify(data.settings) === JSON.stringify(this.settingsOf(entry))) return data;
    throw new AuspexError('REPRODUCE_SETTINGS', `${entry.id} has a result with other settings`, {
      where: { file },
      hint: 'give another folder with --out, or repeat it with --force',
    });
  }

  settingsOf({ name: _, ...entry }: SearchEntry): Record<string, unknown> {
    const { data, labels, seconds } = this.#experiment;
    // All options, as defaults may change.
    const options = STRATEGIES.get(entry.strategy)?.options.parse(entry.options ?? {});
    return { data, labels, seconds, ...entry, ...(options ? { options } : {}) };
  }

  async write(entry: SearchEntry, result: RunResult): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeOutput(this.pathOf(entry, result.seed), `${JSON.stringify(result)}\n`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
