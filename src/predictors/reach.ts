// How far a network is from those that a predictor was trained on: in the numbers by which its view outlines networks,
// standardised by the training rows. 0 is their centre; the farthest of them is at 1; what is far beyond 1 is guessed.
import * as z from 'zod';
import type { GraphSet } from './views/view.js';

export const REACH = z.object({
  /** Of each number of the outline. */
  means: z.array(z.number()),
  deviations: z.array(z.number()),
  /** Of the training row that is farthest from the centre, in deviations. */
  radius: z.number(),
});
export type Reach = z.infer<typeof REACH>;

/** Numbers that were all alike deviate by at least this much of what they are, so that any other one is finitely far. */
const LEAST_DEVIATION = 0.1;

/** What rows of training outline; undefined where the view has no outlines. */
export function reachOf(set: GraphSet): Reach | undefined {
  if (set.outline === undefined || set.count === 0) return undefined;
  const rows = Array.from({ length: set.count }, (_, row) => set.outline!(row));
  const means = Array.from(rows[0]!, (_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length);
  const deviations = means.map((mean, i) => {
    const variance = rows.reduce((sum, row) => sum + (row[i]! - mean) ** 2, 0) / rows.length;
    return Math.max(Math.sqrt(variance), LEAST_DEVIATION * (1 + Math.abs(mean)));
  });
  const radius = rows.reduce((most, row) => Math.max(most, deviationOf(row, { means, deviations })), 0);
  // Rows that are all alike reach as far as one deviation.
  return { means, deviations, radius: radius > 0 ? radius : 1 };
}

/** Of a network with this outline: the root of the mean square of its deviations, as a part of the radius. */
export function distanceOf(outline: ArrayLike<number>, reach: Reach): number {
  return deviationOf(outline, reach) / reach.radius;
}

function deviationOf(outline: ArrayLike<number>, { means, deviations }: Omit<Reach, 'radius'>): number {
  const squares = means.reduce((sum, mean, i) => sum + ((outline[i]! - mean) / deviations[i]!) ** 2, 0);
  return Math.sqrt(squares / means.length);
}
