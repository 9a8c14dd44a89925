// Numbers and tables for people: units that are named, columns that line up, nothing wider than a terminal.
import type { Counts } from '../../analysis/cost.js';
import type { Dim } from '../../graph/dim.js';
import { thousands } from '../../util/thousands.js';

/** Columns where nothing tells how wide the terminal is. */
const USUAL = 80;

/**
 * How wide lines may be: the terminal's own width, within sensible limits. Nothing is cut for a pipe or a file, where
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

/** Where sentences are broken: at the width, or at the usual one in pipes and files. */
function proseWidth(width: number): number {
  return Number.isFinite(width) ? width : USUAL;
}

const LARGE = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** Counts longer than this are expressions that need lines of their own. */
export const MAX_SHORT = 24;

/** Whether a total is an expression that needs lines of its own. */
export function isLong({ macs, flops, activationBytes }: Counts): boolean {
  const texts = [formatCount(macs), formatCount(flops), formatBytes(activationBytes)];
  return texts.some((text) => text.length > MAX_SHORT);
}

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
  return typeof count === 'number' ? thousands(count) : formatCount(count);
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

/** In place of formulas that are too long to read. */
export const DEPENDS = 'depends on sizes';

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

/** Which part of a text that is cut stays; `middle` leaves the middle out, as names and paths need. */
type Kept = 'start' | 'middle';

/** Cuts a text to a width. */
export function fit(text: string, width: number, keep: Kept = 'start'): string {
  const characters = [...text];
  const { length } = characters;
  if (length <= width) return text;
  if (keep === 'start') return `${characters.slice(0, width - 1).join('')}…`;
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
  /** The widest that it is where not all columns fit. */
  readonly most?: number;
  /** Left out where not all columns fit otherwise, the last one first. */
  readonly isOptional?: boolean;
}

/** Of the column that gives way. */
const LEAST_FLEXIBLE = 8;

/**
 * A table whose lines fit the width: where they do not, columns keep to their limits, the flexible one gives way, and
 * optional ones are left out.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = 2,
  width = terminalWidth(),
): string[] {
  const flexible = columns.findIndex((c) => c.flexible);
  const widths = widthsOf(columns, rows, width - indent);
  const least = (w: number, i: number): number => (i === flexible ? Math.min(w, LEAST_FLEXIBLE) : w);
  const optional = columns.findLastIndex(({ isOptional }) => isOptional);
  if (optional >= 0 && indent + totalOf(widths.map(least)) > width) {
    return table(
      columns.toSpliced(optional, 1),
      rows.map((row) => row.toSpliced(optional, 1)),
      indent,
      width,
    );
  }
  // Texts that are cut keep their start and their end, and stay different; those of prose keep their start.
  const cells = columns.map((column, i) => {
    const texts = rows.map((row) => row[i] ?? '');
    return column.flexible === 'start'
      ? texts.map((text) => fit(text, widths[i]!))
      : fitNames(texts, widths[i]!);
  });
  const line = (texts: readonly string[]): string =>
    `${' '.repeat(indent)}${columns
      .map(({ align }, i) => {
        const text = texts[i]!;
        const padding = ' '.repeat(widths[i]! - [...text].length);
        return align === 'right' ? padding + text : text + padding;
      })
      .join('  ')}`.trimEnd();
  const titles = columns.map(({ title }, i) => fit(title, widths[i]!, 'middle'));
  return [line(titles), ...rows.map((_, r) => line(cells.map((texts) => texts[r]!)))];
}

/** Of the columns together, with room between them. */
function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 2, -2);
}

/** How wide columns are that may be so wide together. */
function widthsOf(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): number[] {
  const whole = columns.map((column, i) =>
    rows.reduce((most, row) => Math.max(most, [...(row[i] ?? '')].length), column.title.length),
  );
  if (totalOf(whole) <= width) return whole;
  const limited = whole.map((w, i) => Math.min(w, columns[i]!.most ?? w));
  const flexible = columns.findIndex((c) => c.flexible);
  const over = totalOf(limited) - width;
  if (flexible < 0 || over <= 0) return limited;
  return limited.map((w, i) => (i === flexible ? Math.max(LEAST_FLEXIBLE, w - over) : w));
}

/** Breaks a text into lines, the later ones indented; words that are longer than the terminal is wide are cut. */
export function wrap(text: string, indent = 0, hanging = indent, width = terminalWidth()): string[] {
  return wrapWhole(text, indent, hanging, proseWidth(width)).map((line) => fit(line, width));
}

/** The same with longer words, such as paths, whole. */
function wrapWhole(text: string, indent: number, hanging: number, width: number): string[] {
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

/**
 * Lines of an error or a note, which go to standard error, broken where they are longer than the terminal is wide;
 * words, such as paths, stay whole.
 */
export function wrapLines(text: string, width = terminalWidth(process.stderr)): string {
  return text
    .split('\n')
    .flatMap((line) =>
      wrapWhole(line.trimStart(), line.length - line.trimStart().length, 4, proseWidth(width)),
    )
    .join('\n');
}

/** A text without spaces, such as an architecture, on as many lines as it takes; later ones are indented. */
export function broken(text: string, indent = 0, hanging = indent, width = terminalWidth()): string[] {
  const lines: string[] = [];
  let rest = [...text];
  for (let margin = indent; lines.length === 0 || rest.length > 0; margin = hanging) {
    lines.push(' '.repeat(margin) + rest.slice(0, width - margin).join(''));
    rest = rest.slice(width - margin);
  }
  return lines;
}
