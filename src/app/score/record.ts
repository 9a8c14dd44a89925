// What comes of a network that is scored: its scores, and why others are missing.
import * as z from 'zod';
import type { Explanation } from '../../proxies/index.js';
import { type Problem, problem } from '../problem.js';

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
  /** Sizes that were chosen for those that a file leaves open, with the flags that change them. */
  readonly sizes?: readonly string[];
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
