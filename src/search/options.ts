// Options of strategies: checked once, when a strategy is made.
import { AuspexError } from '../util/errors.js';

/** The defaults with what was given instead. Counts are whole and at least 1; a name ending in `Probability` is one. */
export function chosenOptions<T extends { readonly [key in keyof T]: number | string }>(
  strategy: string,
  defaults: T,
  given: { readonly [key in keyof T]?: T[key] | undefined },
): T {
  const chosen: Record<string, number | string> = { ...defaults };
  for (const [name, value] of Object.entries(given) as [string, number | string | undefined][]) {
    if (value === undefined || !Object.hasOwn(defaults, name)) continue;
    if (typeof value === 'number' && !isInRange(name, value)) {
      throw new AuspexError('STRATEGY_OPTION', `${name} of the strategy '${strategy}' cannot be ${value}`, {
        hint: isProbability(name) ? 'it must be from 0 to 1' : 'it must be a whole number from 1',
      });
    }
    chosen[name] = value;
  }
  return chosen as T;
}

const isProbability = (name: string): boolean => /probability$/i.test(name);

function isInRange(name: string, value: number): boolean {
  return isProbability(name) ? value >= 0 && value <= 1 : Number.isSafeInteger(value) && value >= 1;
}
