// Counts in documents: a number, or an expression in the sizes that are not fixed.
import { z } from 'zod';
import type { Dim } from '../../graph/dim.js';

export const count = z.union([z.number(), z.string()]);
export type JsonCount = z.infer<typeof count>;

export function countOf(of: Dim): JsonCount {
  return typeof of === 'number' ? of : of.toString();
}
