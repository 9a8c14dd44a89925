// What came of every file, as JSON lines.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

/** The nine scores that are asked for. */
export const SCORES = 'params flops snip grad_norm zico synflow naswot jacov ntkt'.split(' ');

const reason = z.object({ code: z.string(), message: z.string() });

const result = z.object({
  file: z.string(),
  scores: z.record(z.string(), z.number()),
  /** Why a score is missing, by its name. */
  reasons: z.record(z.string(), reason),
  /** The largest resident set. */
  peakMb: z.number(),
  seconds: z.number(),
});
export type CorpusResult = z.infer<typeof result>;

export class ResultFile {
  readonly #path: string;
  readonly #results = new Map<string, CorpusResult>();

  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const found = result.parse(JSON.parse(line));
      this.#results.set(found.file, found);
    }
  }

  get all(): readonly CorpusResult[] {
    return [...this.#results.values()];
  }

  has(file: string): boolean {
    return this.#results.has(file);
  }

  append(found: CorpusResult): void {
    this.#results.set(found.file, found);
    appendFileSync(this.#path, `${JSON.stringify(found)}\n`);
  }
}
