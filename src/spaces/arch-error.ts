// The error of a text that is not an architecture of a space.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

export function archError(space: string, text: string, problem: string, hint?: string): AuspexError {
  const shown = printableStart(text, 80);
  return new AuspexError('ARCH_TEXT', `'${shown}' is not an architecture of ${space}: ${problem}`, {
    hint: hint ?? `auspex space list ${space} shows the notation`,
  });
}
