// Errors as data: they are in logs and JSON documents, and stop nothing.
import * as z from 'zod';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

const where = z.strictObject({
  file: z.string().exactOptional(),
  path: z.string().exactOptional(),
  offset: z.number().exactOptional(),
  node: z.string().exactOptional(),
  operator: z.string().exactOptional(),
  graph: z.string().exactOptional(),
});

/** An error as logs and JSON have it. */
export const problem = z.strictObject({
  code: z.string(),
  message: z.string(),
  where: where.exactOptional(),
  hint: z.string().exactOptional(),
  /** Not what was given is at fault. */
  isFailure: z.literal(true).exactOptional(),
});
export type Problem = Readonly<z.infer<typeof problem>>;

/** Anything that is thrown; a defect of auspex or a lack of memory must not stop the other networks. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AuspexError) {
    const { code, message, where: at, hint, kind } = error;
    const place = Object.keys(at).length === 0 ? {} : { where: at };
    const blame = kind === 'failure' ? { isFailure: true as const } : {};
    return { code, message, ...place, ...(hint === undefined ? {} : { hint }), ...blame };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'UNEXPECTED', message: printableStart(message, 500), isFailure: true };
}

/** A problem in one line, with the node at fault. */
export function problemText(found: Problem | undefined): string {
  if (found === undefined) return '';
  const { node, operator } = found.where ?? {};
  const place = node === undefined ? '' : ` (node '${node}'${operator ? `, ${operator}` : ''})`;
  return `${found.code}: ${found.message}${place}`;
}
