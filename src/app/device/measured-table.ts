// A table of what a user measured: a network (an ONNX file or an architecture) and milliseconds in every row. Columns are
// found by their names. Paths are taken from the folder of the command, or from that of the table.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CsvReader } from '../../datasets/formats/csv.js';
import type { Network } from '../../networks/index.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { isFile } from '../glob.js';
import { diskResolver } from '../resolve.js';

export interface MeasuredNetwork {
  readonly name: string;
  readonly network: Network;
  readonly ms: number;
  /** What is left out together when errors are told. */
  readonly family: string | undefined;
  readonly line: number;
}

export interface TableColumns {
  readonly arch?: string | undefined;
  readonly label?: string | undefined;
  readonly group?: string | undefined;
  readonly space?: string | undefined;
}

const NETWORKS = ['network', 'path', 'file', 'onnx', 'model', 'arch', 'architecture'];
const FAMILIES = ['family'];
/** Milliseconds of a unit. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, us: 0.001, µs: 0.001, ns: 1e-6 };

/** @throws AuspexError FILE_UNREADABLE, TABLE_COLUMN, LATENCY_VALUE, LATENCY_UNITS, and what opening a network throws */
export function measuredNetworks(file: string, columns: TableColumns = {}): MeasuredNetwork[] {
  const rows = csvOf(file);
  const [head, ...lines] = rows;
  if (head === undefined || lines.length === 0) throw problem(file, 'TABLE_EMPTY', 'the table has no rows');
  const place = (wanted: string | undefined, isOne: (name: string) => boolean): number =>
    head.cells.findIndex((name) =>
      wanted === undefined ? isOne(name.trim().toLowerCase()) : name === wanted,
    );
  const network = expectColumn(
    file,
    head.cells,
    place(columns.arch, (name) => NETWORKS.includes(name)),
    columns.arch ?? `network (or ${NETWORKS.slice(1).join(', ')})`,
    '--arch COLUMN',
  );
  const label = expectColumn(
    file,
    head.cells,
    place(columns.label, (name) => /latency|(^|_)(ms|milliseconds)$/.test(name)),
    columns.label ?? 'latency_ms',
    '--label COLUMN',
  );
  const family = place(columns.group, (name) => FAMILIES.includes(name));
  if (columns.group !== undefined) expectColumn(file, head.cells, family, columns.group, '--group COLUMN');
  const factor = unitOf(head.cells[label]!);
  const resolver = diskResolver();
  const suffixes = new Set<string>();
  return lines.map(({ cells, line }) => {
    const name = cells[network]?.trim() ?? '';
    const { ms, suffix } = milliseconds(cells[label] ?? '', factor, file, line);
    suffixes.add(suffix);
    if (suffixes.size > 1) {
      throw problem(file, 'LATENCY_UNITS', `line ${line} is in another unit than the lines before`, {
        hint: 'write all values in milliseconds',
      });
    }
    try {
      const options = columns.space === undefined ? {} : { space: columns.space };
      const found = resolver.network(pathOf(name, file), options).settled();
      return { name, network: found, ms, family: family < 0 ? undefined : cells[family], line };
    } catch (error) {
      if (error instanceof AuspexError) throw error.within({ file, path: `line ${line}` });
      throw error;
    }
  });
}

interface Line {
  readonly cells: readonly string[];
  readonly line: number;
}

function csvOf(file: string): Line[] {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
  } catch (cause) {
    throw problem(file, 'FILE_UNREADABLE', `the table cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  const lines: Line[] = [];
  const reader = new CsvReader({
    row: (row) => {
      const cells = Array.from({ length: row.fields }, (_, field) => row.text(field));
      if (cells.some((cell) => cell !== '')) lines.push({ cells, line: row.line });
    },
  });
  try {
    reader.push(bytes);
    reader.finish();
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file }) : error;
  }
  return lines;
}

function expectColumn(
  file: string,
  head: readonly string[],
  place: number,
  wanted: string,
  flag: string,
): number {
  if (place >= 0) return place;
  const found = head.map((name) => printableStart(name, 30)).join(', ');
  throw problem(file, 'TABLE_COLUMN', `the table has no column ${wanted}; it has ${found}`, {
    hint: `name it: ${flag}`,
  });
}

/** Milliseconds of the unit that the name of a column ends with. */
function unitOf(name: string): number {
  return UNITS[/[_ (]([a-zµ]+)\)?$/i.exec(name)?.[1]?.toLowerCase() ?? 'ms'] ?? 1;
}

function milliseconds(
  text: string,
  factor: number,
  file: string,
  line: number,
): { readonly ms: number; readonly suffix: string } {
  const [, number = '', suffix = ''] = /^\s*([-+.\deE]+)\s*([a-zµ]*)\s*$/.exec(text) ?? [];
  const value = number === '' ? Number.NaN : Number(number);
  const unit = suffix === '' ? factor : UNITS[suffix.toLowerCase()];
  if (value > 0 && Number.isFinite(value) && unit !== undefined) return { ms: value * unit, suffix };
  const what = text.trim() === '' ? 'is missing' : `cannot be '${printableStart(text, 30)}'`;
  throw problem(file, 'LATENCY_VALUE', `the latency of line ${line} ${what}`, {
    hint: 'give milliseconds above 0, or remove the line',
  });
}

/** A path as it is, or from the folder of the table. */
function pathOf(name: string, file: string): string {
  if (!/\.onnx$/i.test(name) || isAbsolute(name) || isFile(name)) return name;
  const beside = join(dirname(file), name);
  return isFile(beside) ? beside : name;
}

function problem(
  file: string,
  code: string,
  message: string,
  more: { readonly hint?: string; readonly cause?: unknown } = {},
): AuspexError {
  return new AuspexError(code, message, { where: { file }, ...more });
}
