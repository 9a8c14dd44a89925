// One tree of a boosted sum, as lists that a file can hold.
import * as z from 'zod';

export const boostedTreeSchema = z.object({
  /** By node, from the root; −1 for a leaf. */
  feature: z.array(z.int()),
  /** The node of rows whose feature is at most `number`; that of the others comes after it. */
  next: z.array(z.int()),
  /** Where rows are split; of a leaf what it adds. */
  number: z.array(z.number()),
});
export type BoostedTree = z.infer<typeof boostedTreeSchema>;

export const boostedTreesSchema = z.object({ start: z.number(), trees: z.array(boostedTreeSchema) });
