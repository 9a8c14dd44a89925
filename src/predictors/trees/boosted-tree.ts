// One tree of a boosted sum, as lists that a file can hold.
import * as z from 'zod';

export const boostedTreeSchema = z.object({
  /** By node, from the root; −1 for a leaf. */
  feature: z.array(z.int()),
  /** A row goes left where its feature is at most this. */
  threshold: z.array(z.number()),
  left: z.array(z.int()),
  right: z.array(z.int()),
  /** Of a leaf: what it adds. */
  value: z.array(z.number()),
});
export type BoostedTree = z.infer<typeof boostedTreeSchema>;

export const boostedTreesSchema = z.object({ start: z.number(), trees: z.array(boostedTreeSchema) });
