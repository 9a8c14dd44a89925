// The JSON documents of `auspex space`, as docs/json/space.md describes them.
import { z } from 'zod';
import type { Description } from '../../spaces/describe.js';
import type { AnySpace } from '../../spaces/space.js';
import type { AuspexError } from '../../util/errors.js';

const spaceEntry = z.object({
  name: z.string(),
  title: z.string(),
  paper: z.string(),
  notation: z.string(),
  example: z.string(),
  /** An integer as text, because it can exceed JSON's numbers; null if the space is unbounded. */
  size: z.string().nullable(),
  defaults: z.object({
    resolution: z.number(),
    classes: z.number(),
    /** Cells of each stage, where the size of networks is chosen by it. */
    cells: z.number().optional(),
    input: z.enum(['image', 'tokens']),
  }),
});

const description = {
  arch: z.string(),
  hash: z.string(),
  parameters: z.number(),
  macs: z.number(),
  flops: z.number(),
  depth: z.number(),
  nodes: z.number(),
};

const lineError = z.object({
  code: z.string(),
  message: z.string(),
  line: z.number(),
  hint: z.string().optional(),
});

export const spaceListDocument = z.object({
  schema: z.literal('auspex.space.list/1'),
  spaces: z.array(spaceEntry),
});

export const spaceSampleDocument = z.object({
  schema: z.literal('auspex.space.sample/1'),
  space: z.string(),
  seed: z.number(),
  architectures: z.array(z.string()),
});

export const spaceDescribeDocument = z.union([
  z.object({ schema: z.literal('auspex.space.describe/1'), ...description }),
  z.object({ schema: z.literal('auspex.space.describe/1'), error: lineError }),
]);

export const spaceExportDocument = z.object({
  schema: z.literal('auspex.space.export/1'),
  space: z.string(),
  ...description,
  seed: z.number(),
  file: z.string(),
});

export function spaceListOf(spaces: readonly AnySpace[]): z.infer<typeof spaceListDocument> {
  return {
    schema: 'auspex.space.list/1',
    spaces: spaces.map(({ name, title, paper, notation, example, size, defaults }) => ({
      name,
      title,
      paper,
      notation,
      example,
      size: size === undefined ? null : String(size),
      defaults,
    })),
  };
}

export function spaceDescriptionOf(
  result: Description | AuspexError,
  line: number,
): z.infer<typeof spaceDescribeDocument> {
  const schema = 'auspex.space.describe/1';
  if (!(result instanceof Error)) return { schema, ...result };
  const { code, message, hint } = result;
  return { schema, error: { code, message, line, ...(hint === undefined ? {} : { hint }) } };
}
