// Numbers and tables for people: units that are named, columns that line up, nothing wider than a terminal.
import type { Dim } from '../graph/dim.js';

/** Widest line of human output. */
export const WIDTH = 80;

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

/** Cuts a text to a width; the end of a path says more than its beginning. */
export function fit(text: string, width: number, keep: 'start' | 'end' = 'start'): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  return keep === 'start'
    ? `${characters.slice(0, width - 1).join('')}…`
    : `…${characters.slice(characters.length - width + 1).join('')}`;
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Takes what is left of the line; longer texts are cut. */
  readonly flexible?: 'start' | 'end';
}

/** A table whose lines fit the width; one flexible column gives way. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = 2,
): string[] {
  const widths = columns.map((c, i) =>
    rows.reduce((width, row) => Math.max(width, [...(row[i] ?? '')].length), c.title.length),
  );
  const flexible = columns.findIndex((c) => c.flexible);
  if (flexible >= 0) {
    const others = widths.reduce((sum, w, i) => sum + (i === flexible ? 0 : w), 0);
    const room = WIDTH - indent - others - 2 * (columns.length - 1);
    widths[flexible] = Math.max(8, Math.min(widths[flexible]!, room));
  }
  const line = (cells: readonly string[]): string =>
    `${' '.repeat(indent)}${columns
      .map((column, i) => {
        const text = fit(cells[i] ?? '', widths[i]!, column.flexible);
        const padding = ' '.repeat(widths[i]! - [...text].length);
        return column.align === 'right' ? padding + text : text + padding;
      })
      .join('  ')}`.trimEnd();
  return [line(columns.map((c) => c.title)), ...rows.map(line)];
}

/** Breaks a text into lines of at most the width, the later ones indented; longer words are cut. */
export function wrap(text: string, indent = 0, hanging = indent): string[] {
  return wrapWhole(text, indent, hanging).map((line) => fit(line, WIDTH));
}

/** The same with longer words, such as paths, whole. */
function wrapWhole(text: string, indent: number, hanging: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > WIDTH) {
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
export function broken(text: string, indent = 0, hanging = indent): string[] {
  const lines: string[] = [];
  let rest = [...text];
  for (let margin = indent; lines.length === 0 || rest.length > 0; margin = hanging) {
    lines.push(' '.repeat(margin) + rest.slice(0, WIDTH - margin).join(''));
    rest = rest.slice(WIDTH - margin);
  }
  return lines;
}
