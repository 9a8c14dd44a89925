// What a table file says of itself in its first line, so that it needs no file beside it:
// {"table":2,"space":"nasbench201","labels":{"cifar10_test":{"unit":"%","better":"higher","provenance":"…"}}}
// Version 1 said `"higherIsBetter":true`, and is read, too.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { Label, Table } from './table.js';

const VERSION = 2;

/** What a file of numbers does not say by itself: the space, and what its labels mean. */
export interface Metadata {
  readonly space: string;
  readonly labels: readonly Label[];
  /** Columns of words, such as the device of a row. */
  readonly texts?: readonly string[] | undefined;
}

/** How the caller explains a file that says nothing of itself. */
export interface PlainTable extends Metadata {
  /** The column, or the path of keys joined by dots, with the architectures' texts. */
  readonly arch: string;
}

export function metadataObject({ space, labels, texts }: Table): object {
  return {
    table: VERSION,
    space,
    labels: Object.fromEntries(labels.map(({ name, ...meaning }) => [name, meaning])),
    ...(texts.size === 0 ? {} : { texts: [...texts.keys()] }),
  };
}

/** Reads what `metadataObject` gives. `where` names the place for errors. */
export function parseMetadata(value: unknown, where: string): Metadata {
  const refuse = (problem: string): AuspexError =>
    new AuspexError('TABLE_METADATA', `the description of the table is wrong: ${problem}`, {
      where: { path: where },
      hint: 'docs/guides/datasets.md describes the format',
    });
  if (!isRecord(value)) throw refuse('it is not an object');
  if (value.table !== VERSION && value.table !== 1) {
    throw refuse(`its version is ${shown(value.table)}; this auspex reads versions up to ${VERSION}`);
  }
  if (typeof value.space !== 'string') throw refuse(`its space is ${shown(value.space)}, not a text`);
  if (!isRecord(value.labels)) throw refuse(`its labels are ${shown(value.labels)}, not an object`);
  const { texts = [] } = value;
  if (!Array.isArray(texts) || !texts.every((name): name is string => typeof name === 'string')) {
    throw refuse(`its texts are ${shown(texts)}, not a list of columns`);
  }
  const labels = Object.entries(value.labels).map(([name, label]) => parseLabel(name, label, refuse));
  return { space: value.space, labels, texts };
}

function parseLabel(name: string, label: unknown, refuse: (problem: string) => AuspexError): Label {
  if (!isRecord(label)) throw refuse(`label '${name}' is ${shown(label)}, not an object`);
  const { unit = '', provenance = '', transform } = label;
  const better = directionOf(label);
  if (typeof unit !== 'string' || typeof provenance !== 'string') {
    throw refuse(`unit and provenance of label '${name}' must be texts`);
  }
  if (better === undefined) throw refuse(`label '${name}' does not say "better": "higher" or "lower"`);
  if (transform === undefined) return { name, unit, better, provenance };
  if (transform === 'linear' || transform === 'log') return { name, unit, better, provenance, transform };
  throw refuse(`the transform of label '${name}' is ${shown(transform)}, not "linear" or "log"`);
}

function directionOf({ better, higherIsBetter }: Record<string, unknown>): Label['better'] | undefined {
  if (better === 'higher' || better === 'lower') return better;
  if (better !== undefined || typeof higherIsBetter !== 'boolean') return undefined;
  return higherIsBetter ? 'higher' : 'lower';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return printableStart(JSON.stringify(value) ?? 'missing', 40);
}
