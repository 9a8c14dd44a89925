// The JSON document of `auspex decode`, as docs/json/decode.md describes it. Fields are added without a new version.
import { z } from 'zod';
import { problem } from '../problem.js';

const share = z.number().min(0).max(1);

export const decodeDocument = z.object({
  schema: z.literal('auspex.decode/1'),
  /** The predictor's file or name, its kind and the space of its cells. */
  predictor: z.string(),
  kind: z.string(),
  space: z.string(),
  decoding: z.enum(['valid', 'plain']),
  /** One for each network that was asked for, or one for all that was decoded from nothing. */
  decoded: z.array(
    z.object({
      /** The network, the two networks, or the file that latents are of. */
      of: z.array(z.string()),
      networks: z.array(
        z.object({
          /** Absent where the latents are of no architecture. */
          ref: z.string().optional(),
          /** With --near: between embeddings. */
          distance: z.number().optional(),
          /** With --between: of the way from the first to the second network. */
          part: share.optional(),
        }),
      ),
      error: problem.optional(),
    }),
  ),
  /** With --quality. */
  quality: z
    .object({
      /** Latents that were drawn. */
      drawn: z.int(),
      /** Of them, the part that is an architecture; of those, different cells as they were decoded, and different networks. */
      validity: share,
      uniqueness: share,
      uniqueNetworks: share,
      /** The same with the decoder that decodes architectures only. */
      constrained: z.object({ validity: share, uniqueness: share, uniqueNetworks: share }),
      /** Of networks that were given: the parts of their operations and edges, and of networks, that come back. */
      reconstruction: z
        .object({
          networks: z.int(),
          operators: share,
          operatorsOfAllRows: share,
          adjacency: share,
          cells: share,
        })
        .optional(),
    })
    .optional(),
});
export type DecodeDocument = z.infer<typeof decodeDocument>;
