// What came of every check of every file, as JSON lines.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';

/** The nine scores that are asked for. */
export const SCORES = 'params flops snip grad_norm zico synflow naswot jacov ntkt'.split(' ');

export const CHECKS = [
  'inspect',
  'predict',
  'scores',
  'opset17',
  'opset21',
  'batch',
  'float',
  'plain',
  'simplify',
] as const;
export type Check = (typeof CHECKS)[number];

const reason = z.object({ code: z.string(), message: z.string() });
export type Reason = z.infer<typeof reason>;

/** What a transformation did, and how far the outputs are from those before. */
export const transformResult = z.object({
  /** `unchanged`: nothing to do. `not run`: ONNX Runtime does not run the original. */
  status: z.enum(['compared', 'unchanged', 'not run']),
  why: z.string().optional(),
  nodes: z.tuple([z.number(), z.number()]).optional(),
  /** The largest difference relative to the largest element of an output; null: not comparable. */
  relative: z.number().nullable().optional(),
  /** The lowest of all outputs. */
  cosine: z.number().optional(),
  /** What else had to be done to the file first. */
  after: z.string().optional(),
});
export type TransformResult = z.infer<typeof transformResult>;

const result = z.object({
  file: z.string(),
  check: z.enum(CHECKS),
  /** Of the check as a whole: it was refused, failed, ran out of time. */
  error: reason.optional(),
  facts: z.object({ opset: z.number().nullable(), nodes: z.number() }).optional(),
  scores: z.record(z.string(), z.number()).optional(),
  /** Why a score is missing, by its name. */
  reasons: z.record(z.string(), reason).optional(),
  transform: transformResult.optional(),
  peakMb: z.number(),
  seconds: z.number(),
  cpuSeconds: z.number().optional(),
});
export type CorpusResult = z.infer<typeof result>;

export class ResultFile {
  readonly #path: string;
  readonly #results = new Map<string, CorpusResult>();

  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) return;
    // A line that a killed run left half written is done again.
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (const line of lines) this.#keep(result.parse(JSON.parse(line)));
  }

  has(file: string, check: Check): boolean {
    return this.of(file, check) !== undefined;
  }

  of(file: string, check: Check): CorpusResult | undefined {
    return this.#results.get(`${file} ${check}`);
  }

  append(found: CorpusResult): void {
    this.#keep(found);
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${JSON.stringify(found)}\n`);
  }

  #keep(found: CorpusResult): void {
    this.#results.set(`${found.file} ${found.check}`, found);
  }
}
