// How large architectures are, from their texts: what splits by size group rows by. Layers, vertices or operations, as
// the space counts them.
import * as z from 'zod';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { SPACES } from './index.js';
import type { ArchitectureSize } from './space.js';

const layers = z.union([
  z.number(),
  z.array(z.number()).transform((stages) => stages.reduce((sum, count) => sum + count, 0)),
]);

/** Spaces that only tables have: their architectures are JSON objects. */
const TABLES_ONLY: Readonly<Record<string, z.ZodType<number>>> = {
  pit: z.object({ depth: layers }).transform(({ depth }) => depth),
  'lts-transformer-xl': z.object({ n_layer: layers }).transform(({ n_layer }) => n_layer),
};

/** Spaces whose architectures have sizes. */
export function sizedSpaces(): string[] {
  return [
    ...SPACES.filter(({ sizeOf }) => sizeOf !== undefined).map(({ name }) => name),
    ...Object.keys(TABLES_ONLY),
  ];
}

/**
 * The size of every architecture.
 *
 * @throws AuspexError SPLIT_NO_SIZE for a space without sizes, ARCH_TEXT for a text that is no architecture, with its row
 */
export function sizesOf(spaceName: string, architectures: Iterable<string>): Float64Array {
  const sizeOf = sizeReader(spaceName);
  return Float64Array.from(architectures, (text, row) => {
    try {
      return sizeOf(text).value;
    } catch (cause) {
      const message =
        cause instanceof AuspexError
          ? cause.message
          : `'${printableStart(text, 80)}' does not contain its number of layers`;
      throw new AuspexError('ARCH_TEXT', message, { where: { path: `row ${row + 1}` }, cause });
    }
  });
}

function sizeReader(spaceName: string): (text: string) => ArchitectureSize {
  const space = SPACES.find(({ name }) => name === spaceName);
  const { sizeOf } = space ?? {};
  if (space !== undefined && sizeOf !== undefined) return (text) => sizeOf(space.parse(text));
  const schema = Object.hasOwn(TABLES_ONLY, spaceName) ? TABLES_ONLY[spaceName] : undefined;
  if (schema !== undefined) return (text) => ({ unit: 'layers', value: schema.parse(JSON.parse(text)) });
  throw new AuspexError('SPLIT_NO_SIZE', `architectures of '${spaceName}' have no known size`, {
    hint: `spaces with sizes: ${sizedSpaces().join(', ')}`,
  });
}
