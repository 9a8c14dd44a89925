// The JSON document of `auspex db stats`, as docs/json/db.md describes it.
import { z } from 'zod';

export const databaseDocument = z.object({
  schema: z.literal('auspex.db/1'),
  file: z.string(),
  counts: z.object({
    networks: z.number(),
    devices: z.number(),
    measurements: z.number(),
    predictions: z.number(),
  }),
  devices: z.array(
    z.object({ name: z.string(), measurements: z.number(), networks: z.number(), latest: z.string() }),
  ),
});
export type DatabaseDocument = z.infer<typeof databaseDocument>;
