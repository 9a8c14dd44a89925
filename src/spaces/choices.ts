// What spaces share: making one choice differently, mixing two lists, and reading texts with errors that point.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { Random } from '../util/random.js';

/** One of the options that is not the present one. */
export function another<T>(options: readonly T[], present: T, random: Random): T {
  const others = options.filter((option) => option !== present);
  if (others.length === 0) throw new Error('there is nothing else to choose');
  return random.pick(others);
}

/** A list with one element changed. */
export function withElement<T>(list: readonly T[], index: number, element: T): T[] {
  return list.map((old, i) => (i === index ? element : old));
}

/** Every element from one of two lists of equal length. */
export function mixed<T>(a: readonly T[], b: readonly T[], random: Random): T[] {
  return a.map((element, i) => (random.chance(0.5) ? element : b[i]!));
}

/** A list cut or extended to a length. */
export function resized<T>(list: readonly T[], length: number, fill: () => T): T[] {
  return Array.from({ length }, (_, i) => (i < list.length ? list[i]! : fill()));
}

/** The error of a text that is no architecture of a space. */
export function archError(space: string, text: string, problem: string, hint?: string): AuspexError {
  const shown = printableStart(text, 80);
  return new AuspexError('ARCH_TEXT', `'${shown}' is no architecture of ${space}: ${problem}`, {
    hint: hint ?? `auspex space list ${space} tells how they are written`,
  });
}
