// How spaces state their choices: one of several options, a switch, a list of options, a number of layers.
import type { Choice } from './space.js';

/**
 * A choice of one of several options. Numbers are ordinal. What an architecture has that is not drawn, but read, is an
 * option as well.
 */
export function choiceOf<A, T extends string | number>(
  site: string,
  options: readonly T[],
  present: T,
  set: (option: T) => A | undefined,
): Choice<A> {
  const all = options.includes(present) ? options : [present, ...options];
  const option = (i: number): T => all[i]!;
  const setAt = (i: number): A | undefined => set(all[i]!);
  // Two literals, as searches make millions and a spread costs more than all else here.
  return typeof present === 'number'
    ? { site, present, ordinal: true, count: all.length, option, set: setAt }
    : { site, present, count: all.length, option, set: setAt };
}

/** A choice of yes or no. */
export function switchOf<A>(site: string, present: boolean, set: (option: boolean) => A): Choice<A> {
  return choiceOf(site, ['no', 'yes'], present ? 'yes' : 'no', (option) => set(option === 'yes'));
}

/** A choice for every element of a list, all of the same options. */
export function elementChoices<A, T extends string | number>(
  siteOf: (index: number) => string,
  options: readonly T[],
  list: readonly T[],
  set: (list: readonly T[]) => A | undefined,
): Choice<A>[] {
  return list.map((present, i) =>
    choiceOf(siteOf(i), options, present, (option) => set(list.with(i, option))),
  );
}

/** A list cut to a length, or made longer by repeating its last element. */
export function resized<T>(list: readonly T[], length: number): T[] {
  return Array.from({ length }, (_, i) => list[Math.min(i, list.length - 1)]!);
}
