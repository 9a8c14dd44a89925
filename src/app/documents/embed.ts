// The JSON document of `auspex embed`, as docs/json/embed.md describes it. Fields are added without a new version.
import { z } from 'zod';
import { problem } from '../problem.js';

export const embedDocument = z.object({
  schema: z.literal('auspex.embed/1'),
  /** The predictor's file or name, and its kind. */
  predictor: z.string(),
  kind: z.string(),
  /** The predictor embeds, its last hidden layer is the embedding, or the latents of nodes are (--nodes). */
  by: z.enum(['embedding', 'hidden-layer', 'nodes']),
  /** Numbers of an embedding. */
  width: z.int(),
  networks: z.array(
    z.object({
      ref: z.string(),
      /** Absent where the network cannot be embedded, and where a file was written. */
      embedding: z.array(z.number()).optional(),
      /** With --nearest: known networks, the nearest first. */
      nearest: z
        .array(z.object({ ref: z.string(), distance: z.number(), value: z.number().optional() }))
        .optional(),
      /** With --clusters: the number of its cluster, from 0. */
      cluster: z.int().optional(),
      error: problem.optional(),
    }),
  ),
  /** With --clusters: how many there are, and the distance below which networks are joined. */
  clusters: z.object({ threshold: z.number(), count: z.int() }).optional(),
  /** The known networks: how many, and the label that values are of. */
  known: z.object({ count: z.int(), label: z.string().optional() }).optional(),
  output: z.string().optional(),
  map: z.string().optional(),
});
export type EmbedDocument = z.infer<typeof embedDocument>;
