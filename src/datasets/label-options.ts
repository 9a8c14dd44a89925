// `--label NAME[:part…]`: each part is a direction, a transform or a unit, in any order. What is not given is taken
// from the name, and said aloud.
import { AuspexError } from '../util/errors.js';
import { meaningOf } from './label-names.js';
import type { Label, LabelTransform } from './table.js';

/** A label as a user names it. */
export interface LabelRequest {
  readonly name: string;
  readonly unit?: string;
  readonly better?: Label['better'];
  readonly transform?: LabelTransform;
}

/** A label, and where its meaning comes from. */
export interface ResolvedLabel {
  readonly label: Label & { readonly transform: LabelTransform };
  /** What was not given. */
  readonly inferred: readonly ('unit' | 'better' | 'transform')[];
  /** The words of the name that told it; none where it is a guess. */
  readonly from: readonly string[];
}

/** Parts that are no units, but mistaken for a direction or a transform. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ...['low', 'min', 'minimize', 'minimise', 'down', 'less'].map((word) => [word, 'lower'] as const),
  ...['high', 'max', 'maximize', 'maximise', 'up', 'more'].map((word) => [word, 'higher'] as const),
  ...['logarithmic', 'logarithm', 'ln', 'log10', 'log2'].map((word) => [word, 'log'] as const),
  ['lin', 'linear'],
]);

/**
 * Reads one label.
 *
 * Codes: BAD_LABEL.
 *
 * @example
 * parseLabel('lat:ms:lower'); // { name: 'lat', unit: 'ms', better: 'lower' }
 * parseLabel('acc');          // { name: 'acc' }
 */
export function parseLabel(text: string): LabelRequest {
  const [name = '', ...parts] = text.split(':').map((part) => part.trim());
  const refuse = (problem: string, hint = 'write it as latency:ms:lower:log, or only latency'): AuspexError =>
    new AuspexError('BAD_LABEL', `the label '${text}' ${problem}`, { hint });
  if (name === '') throw refuse('has no name');
  const found: { unit?: string; better?: Label['better']; transform?: LabelTransform } = {};
  for (const part of parts) {
    const word = part.toLowerCase();
    const meant = MEANT.get(word);
    if (meant !== undefined) throw refuse(`has '${part}', which is not a unit`, `write ${meant}`);
    if (word === 'higher' || word === 'lower') {
      if (found.better !== undefined) throw refuse('has two directions');
      found.better = word;
    } else if (word === 'linear' || word === 'log') {
      if (found.transform !== undefined) throw refuse('has two transforms');
      found.transform = word;
    } else {
      if (found.unit !== undefined) throw refuse(`has two units, '${found.unit}' and '${part}'`);
      found.unit = part;
    }
  }
  return { name, ...found };
}

/** Several labels, as `accuracy,lat:ms:lower`. */
export function parseLabels(text: string): LabelRequest[] {
  return text.split(',').map(parseLabel);
}

const PARTS = ['unit', 'better', 'transform'] as const;

/** The label that was asked for; what was not said is as its name and its unit have it. */
export function resolveLabel(request: LabelRequest, provenance: string): ResolvedLabel {
  const { name, unit = '', better } = request;
  const { from, ...meaning } = meaningOf(unit === '' ? name : `${name} ${unit}`);
  // A direction other than the name's says that the name was misread; costs are learned as logarithms.
  const misread = better !== undefined && better !== meaning.better;
  const transform = misread ? (better === 'lower' ? 'log' : 'linear') : meaning.transform;
  const inferred = PARTS.filter((part) => request[part] === undefined);
  return {
    label: { ...meaning, transform, ...request, provenance },
    inferred,
    from: inferred.length === 0 ? [] : from,
  };
}

/**
 * What a command says of a label.
 *
 * @example
 * labelText(resolveLabel(parseLabel('lat_ms'), ''));
 * // 'lat_ms: ms, lower is better, logarithmic (from its name; change with --label lat_ms:higher:linear)'
 */
export function labelText({ label, inferred, from }: ResolvedLabel): string {
  const { name, unit, better, transform } = label;
  const scale = transform === 'log' ? 'logarithmic' : 'linear';
  const text = `${name}: ${unit === '' ? '' : `${unit}, `}${better} is better, ${scale}`;
  const open = inferred.filter((part) => part !== 'unit');
  if (open.length === 0) return text;
  const parts = open.length === 2 ? '' : `${open[0] === 'better' ? 'direction' : 'transform'} `;
  const source = from.length === 0 ? (parts === '' ? 'a guess' : 'guessed') : 'from its name';
  const other = [better === 'higher' ? 'lower' : 'higher', transform === 'log' ? 'linear' : 'log'];
  const change = open.length === 2 ? other : open[0] === 'better' ? [other[0]] : [better, other[1]];
  return `${text} (${parts}${source}; change with --label ${[name, ...change].join(':')})`;
}
