// What comes of a network that is scored: its scores, and why others are missing. Errors are data: they are in logs and
// JSON documents, and stop nothing.
import * as z from 'zod';
import type { Explanation } from '../../proxies/index.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';

const where = z.strictObject({
  file: z.string().exactOptional(),
  path: z.string().exactOptional(),
  offset: z.number().exactOptional(),
  node: z.string().exactOptional(),
  operator: z.string().exactOptional(),
  graph: z.string().exactOptional(),
});

/** An error as logs and JSON have it. */
export const problem = z.strictObject({
  code: z.string(),
  message: z.string(),
  where: where.exactOptional(),
  hint: z.string().exactOptional(),
  /** Not what was given is at fault. */
  isFailure: z.literal(true).exactOptional(),
});
export type Problem = Readonly<z.infer<typeof problem>>;

/** A network that was scored, or was tried to: a line of a log. */
export const networkRecord = z.strictObject({
  kind: z.literal('network'),
  /** Its place among the networks that were given, from 0. */
  index: z.int().min(0),
  /** As it was given. */
  network: z.string(),
  /** By the names of the plan. */
  scores: z.record(z.string(), z.number()).readonly(),
  errors: z.record(z.string(), problem).readonly().exactOptional(),
  /** The network itself could not be read, built or understood. */
  error: problem.exactOptional(),
});
export type NetworkRecord = Readonly<z.infer<typeof networkRecord>>;

/** What scoring a network gives. */
export interface NetworkResult extends Pick<NetworkRecord, 'scores' | 'errors' | 'error'> {
  /** What was found in it, if that is asked for. */
  readonly explanation?: Explanation;
  /** Why that cannot be said of a network that has scores. */
  readonly unexplained?: Problem;
}

/** A record with what is not in logs. */
export type ScoredNetwork = NetworkRecord & NetworkResult;

/** Whether a network has at least one score. */
export function isScored({ scores }: Pick<NetworkRecord, 'scores'>): boolean {
  return Object.keys(scores).length > 0;
}

/** Anything that is thrown; a defect of auspex or a lack of memory must not stop the other networks. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AuspexError) {
    const { code, message, where: at, hint, kind } = error;
    const place = Object.keys(at).length === 0 ? {} : { where: at };
    const blame = kind === 'failure' ? { isFailure: true as const } : {};
    return { code, message, ...place, ...(hint === undefined ? {} : { hint }), ...blame };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'UNEXPECTED', message: printableStart(message, 500), isFailure: true };
}

/** A problem in one line, with the node at fault. */
export function problemText(found: Problem | undefined): string {
  if (found === undefined) return '';
  const { node, operator } = found.where ?? {};
  const place = node === undefined ? '' : ` (node '${node}'${operator ? `, ${operator}` : ''})`;
  return `${found.code}: ${found.message}${place}`;
}
