// How large an architecture is, from its text alone: what splits by size group rows by. Layers, vertices or
// operations, as the space counts them.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

interface SizeRule {
  /** What is counted. */
  readonly unit: string;
  readonly of: (text: string) => number;
}

/** A field of texts such as `192:12:…`. */
const field = (index: number) => (text: string) =>
  /^\d+:\d/.test(text) ? Number(text.split(':')[index]) : Number.NaN;

/** How often a pattern occurs; the sum of the numbers it captures, if it does. */
const sumOf = (pattern: RegExp) => (text: string) => {
  const found = [...text.matchAll(pattern)];
  return found.length === 0
    ? Number.NaN
    : found.reduce((sum, [, n]) => sum + (n === undefined ? 1 : Number(n)), 0);
};

/** Of texts that are JSON objects, a number or the sum of a list; of others, what is given. */
const jsonOr = (key: string, of: (text: string) => number) => (text: string) => {
  if (!text.trimStart().startsWith('{')) return of(text);
  const value = (JSON.parse(text) as Record<string, unknown>)[key];
  return Array.isArray(value) ? value.reduce((sum: number, n) => sum + Number(n), 0) : Number(value);
};

const layers = (key: string): SizeRule => ({ unit: 'layers', of: jsonOr(key, field(1)) });

const RULES: Readonly<Record<string, SizeRule>> = {
  nasbench101: { unit: 'vertices', of: field(0) },
  nasbench201: {
    unit: 'operations that are not none',
    of: (text) => (text.startsWith('|') ? (text.match(/\|(?!none~)\w+~/g) ?? []).length : Number.NaN),
  },
  'nats-size': { unit: 'channels', of: (text) => text.split(':').reduce((sum, n) => sum + Number(n), 0) },
  fbnet: {
    unit: 'blocks that are not skipped',
    of: (text) => (/^\d( \d)*$/.test(text) ? text.split(' ').filter((op) => op !== '8').length : Number.NaN),
  },
  'ofa-mobilenetv3': { unit: 'blocks', of: jsonOr('d', sumOf(/k\d+e/g)) },
  proxylessnas: { unit: 'blocks', of: jsonOr('d', sumOf(/k\d+e/g)) },
  'accel-mnasnet': { unit: 'layers', of: sumOf(/(?:l|_l":)(\d+)/g) },
  'autoformer-tiny': layers('depth'),
  'autoformer-small': layers('depth'),
  'autoformer-base': layers('depth'),
  pit: layers('depth'),
  'lts-gpt2': layers('n_layer'),
  'lts-transformer-xl': layers('n_layer'),
  'hwgpt-s': layers('sample_n_layer'),
};

/** Spaces whose architectures have sizes. */
export const SIZED_SPACES: readonly string[] = Object.keys(RULES);

/** The size of every architecture. */
export function sizesOf(space: string, architectures: Iterable<string>): Float64Array {
  const rule = Object.hasOwn(RULES, space) ? RULES[space] : undefined;
  if (rule === undefined) {
    throw new AuspexError('SPLIT_NO_SIZE', `architectures of '${space}' have no size that auspex knows`, {
      hint: `sizes are known of ${SIZED_SPACES.join(', ')}`,
    });
  }
  return Float64Array.from(architectures, (text, row) => {
    let size: number;
    try {
      size = rule.of(text);
    } catch {
      size = Number.NaN;
    }
    if (Number.isFinite(size)) return size;
    throw new AuspexError(
      'ARCH_TEXT',
      `'${printableStart(text, 80)}' does not tell its number of ${rule.unit}`,
      {
        where: { path: `row ${row + 1}` },
      },
    );
  });
}
