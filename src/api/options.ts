// Options are checked where programs give them: JavaScript has no types, and a name that is mistyped must not be ignored.
import * as z from 'zod';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

export const whole = z.int().min(0);
export const count = z.int().min(1);
export const signal = z.instanceof(AbortSignal);
export const texts = z.array(z.string());
export const callback = z.custom<(...args: never[]) => void>(
  (value) => typeof value === 'function',
  'expected a function',
);

/** Sizes of networks, as `Sizes` has them. */
export const SIZES = {
  batch: count.optional(),
  resolution: count.optional(),
  width: z.number().positive().optional(),
  classes: count.optional(),
  seed: whole.optional(),
  dims: z.record(z.string(), whole).optional(),
  shapes: z.record(z.string(), z.array(z.union([whole, z.string()]))).optional(),
};

/** An object of ours, by what it can do. */
export function having<T>(what: string, ...methods: readonly (keyof T & string)[]): z.ZodType<T> {
  return z.custom<T>(
    (value) => isObject(value) && methods.every((name) => value[name] !== undefined),
    `expected ${what}`,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Options as they were given, without those that are undefined.
 *
 * @param of the function, for the message
 * @throws AuspexError BAD_OPTION
 */
export function checkedOptions<T extends object>(of: string, fields: z.ZodRawShape, given: T | undefined): T {
  if (given !== undefined && !isObject(given)) {
    throw new AuspexError('BAD_OPTION', `the options of ${of} must be an object, not ${typeof given}`);
  }
  const defined = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
  const { error } = z.strictObject(fields).safeParse(defined);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return defined as T;
  const hint = { hint: `it takes ${Object.keys(fields).join(', ')}` };
  if (issue.code === 'unrecognized_keys') {
    const name = printableStart(issue.keys[0]!, 40);
    throw new AuspexError('BAD_OPTION', `${of} has no option '${name}'`, hint);
  }
  const problem = issue.message.replace(/^Invalid input: /, '');
  const path = issue.path.join('.');
  throw new AuspexError(
    'BAD_OPTION',
    path === '' ? `${of}: ${problem}` : `option '${path}' of ${of}: ${problem}`,
  );
}

/** The fields that have a value. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** An argument that must be a text. @throws AuspexError BAD_OPTION */
export function expectText(of: string, what: string, value: unknown): asserts value is string {
  if (typeof value === 'string') return;
  throw new AuspexError('BAD_OPTION', `${of} takes ${what}, not ${value === null ? 'null' : typeof value}`);
}
