// The JSON document of `auspex search`, as docs/json/search.md describes it.
import * as z from 'zod';

const cost = z.object({ parameters: z.number(), macs: z.number(), flops: z.number() });

const trial = z.object({
  trial: z.number(),
  arch: z.string(),
  value: z.number(),
  /** Where there are several. */
  objectives: z.array(z.number()).optional(),
});

export const searchDocument = z.object({
  schema: z.literal('auspex.search/1'),
  space: z.string(),
  strategy: z.string(),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.null()])),
  evaluator: z.string(),
  objectives: z.array(
    z.object({ name: z.string(), better: z.enum(['higher', 'lower']), unit: z.string().optional() }),
  ),
  constraints: z.array(z.string()),
  seed: z.number(),
  budget: z.number(),
  evaluations: z.number(),
  failed: z.number(),
  end: z.enum(['budget', 'finished', 'exhausted', 'stopped']),
  best: trial.extend({ cost }),
  /** For variants of a file: the file itself, and what is changed in the best one. */
  origin: z.object({ arch: z.string(), cost }).optional(),
  changes: z
    .array(
      z.object({
        rule: z.string(),
        to: z.string(),
        replaced: z.array(z.string()),
        written: z.array(z.string()),
      }),
    )
    .optional(),
  /** With several objectives, as is the hypervolume. */
  front: z.array(trial).optional(),
  hypervolume: z.object({ value: z.number(), reference: z.array(z.number()) }).optional(),
  output: z.string().optional(),
});

export type SearchDocument = z.infer<typeof searchDocument>;
export type SearchDocumentTrial = z.infer<typeof trial>;
