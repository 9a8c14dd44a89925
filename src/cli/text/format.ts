// Numbers and tables for people: units that are named, columns that line up, nothing wider than a terminal.
import type { Dim } from '../../graph/dim.js';

/** Columns where nothing tells how wide the terminal is. */
const USUAL = 80;

/** Widest line of prose: the terminal's, or the usual one in pipes and files. */
export const WIDTH = process.stdout.isTTY ? terminalWidth() : USUAL;

/**
 * How wide tables may be: the terminal's own width, within sensible limits. Nothing is cut for a pipe or a file, where
 * another program reads.
 */
export function terminalWidth(
  { isTTY, columns }: Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>> = process.stdout,
  environment: NodeJS.ProcessEnv = process.env,
): number {
  if (!isTTY) return Number.POSITIVE_INFINITY;
  const told = Number(environment.COLUMNS);
  const width = Number.isInteger(told) && told > 0 ? told : columns || USUAL;
  return Math.min(Math.max(width, 60), 200);
}

const LARGE = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** `1.81 G`, `512`, or a symbolic expression as it is. */
export function formatCount(count: Dim | undefined): string {
  if (count === undefined) return '?';
  return typeof count === 'number' ? scaled(count, LARGE) : compact(count.toString());
}

/** `46.8 MB`; 1 MB is 10^6 bytes. */
export function formatBytes(bytes: Dim | undefined): string {
  if (bytes === undefined) return '?';
  if (typeof bytes !== 'number') {
    const text = compact(bytes.toString());
    return text === DEPENDS ? text : text.includes(' ') ? `(${text}) B` : `${text} B`;
  }
  return `${scaled(bytes, ['', 'k', 'M', 'G', 'T', 'P', 'E'])}B`.replace(/(\d)B$/, '$1 B');
}

/** Thousands separated: `11,689,512`. */
export function formatExact(count: Dim | undefined): string {
  return typeof count === 'number' ? String(count).replace(/\B(?=(\d{3})+$)/g, ',') : formatCount(count);
}

function scaled(value: number, units: readonly string[]): string {
  let unit = 0;
  let rest = Math.abs(value);
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  if (unit === 0) return String(value);
  const digits = rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  return `${value < 0 ? '-' : ''}${rest.toFixed(digits)} ${units[unit]}`;
}

/** An expression for people: short coefficients, and room between its terms to break the line at. */
function compact(text: string): string {
  if (OVERSIZED.test(text)) return DEPENDS;
  return text
    .replace(/(?<![\w.])\d{4,}(?![\w.])/g, (digits) => scaled(Number(digits), LARGE).replace(' ', ''))
    .replace(/(?<=[^(*/])([+-])(?![^(]*\))/g, ' $1 ');
}

const DEPENDS = 'depends on sizes';

/** What expressions that grew too large are replaced by. */
const OVERSIZED = /\bsize_[0-9a-f]{8}\b/;

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of up to `width` characters for a share of 0 to 1; anything above zero shows. */
export function bar(share: number, width: number): string {
  if (!(share > 0)) return '';
  const eighths = Math.max(1, Math.round(Math.min(share, 1) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)}%` : '';
}

/** Which part of a text that is cut stays; `middle` leaves the middle out. */
export type Kept = 'start' | 'end' | 'middle';

/** Cuts a text to a width; the end of a path says more than its beginning. */
export function fit(text: string, width: number, keep: Kept = 'start'): string {
  const characters = [...text];
  const { length } = characters;
  if (length <= width) return text;
  if (keep === 'start') return `${characters.slice(0, width - 1).join('')}…`;
  if (keep === 'end') return `…${characters.slice(length - width + 1).join('')}`;
  const tail = Math.floor((width - 1) / 2);
  return `${characters.slice(0, width - 1 - tail).join('')}…${characters.slice(length - tail).join('')}`;
}

/** Cuts names in the middle, or where they differ if different names would look the same otherwise. */
export function fitNames(names: readonly string[], width: number): string[] {
  const groups = new Map<string, Set<string>>();
  for (const name of names) {
    const short = fit(name, width, 'middle');
    groups.set(short, (groups.get(short) ?? new Set()).add(name));
  }
  const shown = new Map<string, string>();
  for (const [short, group] of groups) {
    if (group.size === 1) for (const name of group) shown.set(name, short);
    else for (const [name, cut] of differently([...group], width)) shown.set(name, cut);
  }
  return names.map((name) => shown.get(name)!);
}

/** Texts from where they begin to differ; with their number where even that is not enough. */
function differently(texts: readonly string[], width: number): [text: string, cut: string][] {
  const all = texts.map((text) => [...text]);
  const isSame = (at: number): boolean => all.every((text) => text[at] === all[0]![at]);
  let first = 0;
  while (isSame(first)) first++;
  const cuts = all.map((text) => {
    const start = Math.min(first, Math.max(0, text.length - width + 1));
    return `${start === 0 ? '' : '…'}${fit(text.slice(start).join(''), start === 0 ? width : width - 1)}`;
  });
  return texts.map((text, i) => {
    if (cuts.indexOf(cuts[i]!) === cuts.lastIndexOf(cuts[i]!)) return [text, cuts[i]!];
    const number = `#${i + 1}`;
    return [text, `${fit(cuts[i]!, width - number.length)}${number}`];
  });
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Takes what is left of the line; longer texts are cut. */
  readonly flexible?: Kept;
}

/** A table whose lines fit the width, such as `terminalWidth()`; one flexible column gives way. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = 2,
  width = WIDTH,
): string[] {
  const widths = columns.map((c, i) =>
    rows.reduce((most, row) => Math.max(most, [...(row[i] ?? '')].length), c.title.length),
  );
  const flexible = columns.findIndex((c) => c.flexible);
  if (flexible >= 0) {
    const others = widths.reduce((sum, w, i) => sum + (i === flexible ? 0 : w), 0);
    const room = width - indent - others - 2 * (columns.length - 1);
    widths[flexible] = Math.max(8, Math.min(widths[flexible]!, room));
  }
  const names =
    columns[flexible]?.flexible === 'middle'
      ? fitNames(
          rows.map((row) => row[flexible] ?? ''),
          widths[flexible]!,
        )
      : undefined;
  const line = (cells: readonly string[], row?: number): string =>
    `${' '.repeat(indent)}${columns
      .map((column, i) => {
        const name = i === flexible && row !== undefined ? names?.[row] : undefined;
        const text = name ?? fit(cells[i] ?? '', widths[i]!, column.flexible);
        const padding = ' '.repeat(widths[i]! - [...text].length);
        return column.align === 'right' ? padding + text : text + padding;
      })
      .join('  ')}`.trimEnd();
  return [line(columns.map((c) => c.title)), ...rows.map(line)];
}

/** Breaks a text into lines, the later ones indented; words that are longer than the terminal is wide are cut. */
export function wrap(text: string, indent = 0, hanging = indent, width = WIDTH): string[] {
  return wrapWhole(text, indent, hanging, Math.min(width, WIDTH)).map((line) => fit(line, width));
}

/** The same with longer words, such as paths, whole. */
function wrapWhole(text: string, indent: number, hanging: number, width = WIDTH): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(hanging);
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** Lines of an error or a note, broken where they are longer than the width; words, such as paths, stay whole. */
export function wrapLines(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => wrapWhole(line.trimStart(), line.length - line.trimStart().length, 4))
    .join('\n');
}

/** A text without spaces, such as an architecture, on as many lines as it takes; later ones are indented. */
export function broken(text: string, indent = 0, hanging = indent, width = WIDTH): string[] {
  const lines: string[] = [];
  let rest = [...text];
  for (let margin = indent; lines.length === 0 || rest.length > 0; margin = hanging) {
    lines.push(' '.repeat(margin) + rest.slice(0, width - margin).join(''));
    rest = rest.slice(width - margin);
  }
  return lines;
}
