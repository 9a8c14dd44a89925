// The JSON document of `auspex convert`, as docs/json/convert.md describes it.
import { z } from 'zod';
import type { Converted } from '../convert/convert.js';

const file = z.object({
  file: z.string(),
  bytes: z.number().nullable(),
  opset: z.number().nullable(),
  irVersion: z.number(),
  nodes: z.number(),
});

const verification = z.object({
  /** `same`: within the tolerance. `not run`: ONNX Runtime does not run the original. */
  status: z.enum(['same', 'not run']),
  tolerance: z.number(),
  /** Why it was not run. */
  reason: z.string().optional(),
  /** Shapes of the inputs both files were run on. */
  inputs: z.record(z.string(), z.array(z.number())).optional(),
  outputs: z
    .array(z.object({ name: z.string(), absolute: z.number(), relative: z.number(), cosine: z.number() }))
    .optional(),
});

export const convertDocument = z.object({
  schema: z.literal('auspex.convert/1'),
  input: file,
  /** Null with --dry-run. */
  output: file.nullable(),
  changes: z.array(
    z.object({
      transform: z.string(),
      what: z.string(),
      node: z.string().optional(),
      operator: z.string().optional(),
    }),
  ),
  /** Null where nothing was run. */
  verification: verification.nullable(),
});

type ConvertDocument = z.infer<typeof convertDocument>;

export function convertDocumentOf(converted: Converted): ConvertDocument {
  const { input, output, changes, verification: run, tolerance } = converted;
  return {
    schema: 'auspex.convert/1',
    input: fileOf(input),
    output: output ? fileOf(output) : null,
    changes: [...changes],
    verification: run === undefined ? null : verificationOf(run, tolerance),
  };
}

function fileOf({ bytes, opset, ...rest }: Converted['input']): z.infer<typeof file> {
  return { ...rest, bytes: bytes ?? null, opset: opset ?? null };
}

function verificationOf(
  run: NonNullable<Converted['verification']>,
  tolerance: number,
): z.infer<typeof verification> {
  if (run.status === 'not run') return { status: run.status, tolerance, reason: run.reason };
  const inputs = Object.fromEntries(Object.entries(run.inputs).map(([name, { dims }]) => [name, [...dims]]));
  return { status: 'same', tolerance, inputs, outputs: [...run.outputs] };
}
