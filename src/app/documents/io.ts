// The JSON document of `auspex data io`, as docs/json/data.md describes it. Fields are added without a new version.
import { z } from 'zod';
import { IO_SETS } from '../data/io/io-sets.js';

const count = z.int().nonnegative();

export const ioDocument = z.object({
  schema: z.literal('auspex.data.io/1'),
  output: z.string(),
  space: z.string(),
  /** Trained: by this run. Done: in the file. */
  networks: z.object({ wanted: count, done: count, trained: count }),
  /** Seen and unseen networks with seen and unseen images. */
  sets: z.array(z.object({ name: z.enum(IO_SETS), networks: count, images: count, examples: count })),
  /** Means over networks; null before the first is done. */
  accuracy: z.object({ seen: z.number().nullable(), unseen: z.number().nullable() }),
});
export type IoDocument = z.infer<typeof ioDocument>;
