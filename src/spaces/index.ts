// All search spaces, by name. Adding one is its file and a line here.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { nasBench201 } from './nasbench201.js';
import type { AnySpace } from './space.js';

export const SPACES: readonly AnySpace[] = [nasBench201];

/**
 * The space of a name.
 *
 * @example
 * const space = spaceNamed('nasbench201');
 */
export function spaceNamed(name: string): AnySpace {
  const space = SPACES.find((s) => s.name === name);
  if (space) return space;
  const shown = printableStart(name, 40);
  const close = SPACES.filter((s) => s.name.includes(name.toLowerCase()) || name.includes(s.name));
  throw new AuspexError('SPACE_UNKNOWN', `there is no space called '${shown}'`, {
    hint:
      close.length > 0 && name !== ''
        ? `did you mean ${close.map((s) => `'${s.name}'`).join(' or ')}?`
        : 'list them: auspex space list',
  });
}
