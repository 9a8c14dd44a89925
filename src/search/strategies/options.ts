// Options of strategies: zod schemas whose messages say what is possible, checked once, when a strategy is made.
import * as z from 'zod';
import { AuspexError } from '../../util/errors.js';
import { thousands } from '../../util/thousands.js';

/** Options by name, each with a default. */
export type OptionsSchema = z.ZodObject<z.ZodRawShape>;

/** Populations and pools: beyond this a generation takes hours and gigabytes. */
const MOST_MEMBERS = 100_000;

/** @param normal unless another is given */
export function count(normal: number, { from = 1, to = MOST_MEMBERS } = {}) {
  const range = `a whole number from ${thousands(from)} to ${thousands(to)}`;
  return z.number(range).int(range).min(from, range).max(to, range).default(normal).describe(range);
}

export function probability(normal: number) {
  const range = 'a number from 0 to 1';
  return z.number(range).min(0, range).max(1, range).default(normal).describe(range);
}

export function oneOf<const T extends readonly [string, ...string[]]>(names: T, normal: T[number]) {
  const range = names.join(' or ');
  return z
    .enum(names, range)
    .default(normal as never)
    .describe(range);
}

/** A number, or the one word that is possible in its place, which is the default unless another is given. */
export function numberOr<const T extends string>(word: T, normal: T | number = word) {
  const range = `${word} or a number`;
  return z
    .union([z.literal(word), z.number()], range)
    .default(normal as never)
    .describe(range);
}

/** Of strategies in latent space: what they choose from. */
export const POOL_OPTIONS = {
  /** Most rows of a table; drawn where it has more. */
  rows: count(50_000, { to: 1_000_000 }),
  /** Architectures that are drawn at first, where the space is not a table. */
  samples: count(2000),
};

/** What each option can be: `population: a whole number from 1 to 100,000`. */
function optionTexts(schema: OptionsSchema): string[] {
  return Object.entries(schema.shape).map(
    ([name, type]) => `${name}: ${(type as z.ZodType).description ?? 'any value'}`,
  );
}

/**
 * The options with defaults for those that are not given.
 *
 * @throws AuspexError STRATEGY_OPTION
 */
export function chosenOptions<S extends OptionsSchema>(
  strategy: string,
  schema: S,
  given: object,
): z.infer<S> {
  const found = schema.strict().safeParse(given);
  if (found.success) return found.data as z.infer<S>;
  const [issue] = found.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const all = optionTexts(schema);
    throw new AuspexError('STRATEGY_OPTION', `the strategy '${strategy}' has no option '${issue.keys[0]}'`, {
      hint: all.length === 0 ? 'it has none' : `it has ${all.join('; ')}`,
    });
  }
  const name = String(issue?.path[0]);
  const value = (given as Readonly<Record<string, unknown>>)[name];
  throw new AuspexError('STRATEGY_OPTION', `${name} of the strategy '${strategy}' cannot be ${value}`, {
    hint: `it must be ${issue?.message}`,
  });
}
