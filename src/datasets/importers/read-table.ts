// A table from the bytes of any file that auspex knows. What a file is, its bytes tell and not its name.
import { type ByteSource, MemorySource } from '../../util/bytes.js';
import { AuspexError } from '../../util/errors.js';
import { bunzip2 } from '../formats/bzip2.js';
import { chunksOf, concatenated } from '../formats/chunks.js';
import { gunzip, type Transform } from '../formats/gzip.js';
import type { PickleValue } from '../formats/pickle-values.js';
import { isZip, readPickles, readTorchFile } from '../formats/torch-file.js';
import type { PlainTable } from '../metadata.js';
import { checkedTable, type TableRules } from '../rules.js';
import type { Table } from '../table.js';
import { importHwNasBench, isHwNasBench } from './hw-nas-bench.js';
import { importNasBench101 } from './nasbench101.js';
import {
  isNatsArchitecture,
  isNatsArchive,
  keepEndOfRun,
  natsRow,
  natsRows,
  natsTable,
} from './nats-bench.js';
import { csvImporter, jsonlImporter, type TextImporter } from './text-table.js';
import { isTfRecord } from './tfrecord.js';

export interface ReadTableOptions {
  /** What a plain CSV or JSON lines file holds. Without it the file must say so itself, or be of a known layout. */
  readonly plain?: PlainTable | undefined;
  /** What rows must be like beyond their format. */
  readonly rules?: TableRules | undefined;
  /** Columns of words to keep beside those that the file names; `all` for every column that is nothing else. */
  readonly texts?: readonly string[] | 'all' | undefined;
  /** Unpacks gzip, if there is something faster than what pages have. */
  readonly gunzip?: Transform | undefined;
}

type Kind = 'gzip' | 'bzip2' | 'torch' | 'pickle' | 'tfrecord' | 'jsonl' | 'csv';

const HEAD_BYTES = 64;

/** Binary formats are put together in memory when they come out of gzip. */
const MAX_UNPACKED_BYTES = 2 ** 31;

/**
 * Reads a table.
 *
 * @example
 * const table = await readTable(new Uint8Array(await file.arrayBuffer()));
 */
export async function readTable(
  from: ByteSource | Uint8Array,
  options: ReadTableOptions = {},
): Promise<Table> {
  const source = from instanceof Uint8Array ? new MemorySource(from) : from;
  if (source.size === 0) throw new AuspexError('TABLE_EMPTY', 'the file is empty');
  const kind = kindOf(source.read(0, Math.min(HEAD_BYTES, source.size)));
  if (kind === 'gzip') return readGzip((options.gunzip ?? gunzip)(chunksOf(source)), options);
  return readUnpacked(kind, source, options);
}

/** The value of a file that is a pickle, perhaps packed with bzip2, or of `torch.save`. */
export function readPickleFile(source: ByteSource): PickleValue {
  const kind = kindOf(source.read(0, Math.min(HEAD_BYTES, source.size)));
  if (kind === 'bzip2') return readPickles(bunzip2(chunksOf(source)), { filled: keepEndOfRun });
  return readTorchFile(source, { filled: keepEndOfRun });
}

function readUnpacked(kind: Kind, source: ByteSource, options: ReadTableOptions): Table {
  switch (kind) {
    case 'csv':
      return readText(csvImporter(options), chunksOf(source));
    case 'jsonl':
      return readText(jsonlImporter(options), chunksOf(source));
    case 'tfrecord':
      return checkedTable(importNasBench101(chunksOf(source)), options.rules ?? {});
    case 'bzip2':
      return readBzip2(source, options);
    case 'gzip':
      throw new AuspexError('TABLE_UNKNOWN', 'the file is compressed twice', { hint: 'decompress it first' });
    default:
      return checkedTable(tableOf(readPickleFile(source)), options.rules ?? {});
  }
}

function tableOf(value: PickleValue): Table {
  if (isHwNasBench(value)) return importHwNasBench(value);
  if (isNatsArchive(value)) return natsTable(natsRows(value));
  if (isNatsArchitecture(value)) return natsTable([natsRow(value)]);
  const keys = value instanceof Map ? [...value.keys()].slice(0, 8).map(String).join(', ') : typeof value;
  throw new AuspexError('TABLE_UNKNOWN', `the pickle is not a known benchmark: it contains ${keys}`, {
    hint: 'NATS-Bench, NAS-Bench-201 and HW-NAS-Bench can be read; convert others to CSV',
  });
}

function readBzip2(source: ByteSource, options: ReadTableOptions): Table {
  const first = bunzip2(chunksOf(source)).next();
  const kind = kindOf(first.done ? new Uint8Array(0) : first.value.subarray(0, HEAD_BYTES));
  if (kind === 'pickle') return checkedTable(tableOf(readPickleFile(source)), options.rules ?? {});
  const chunks = bunzip2(chunksOf(source));
  if (kind === 'csv') return readText(csvImporter(options), chunks);
  if (kind === 'jsonl') return readText(jsonlImporter(options), chunks);
  if (kind === 'tfrecord') return checkedTable(importNasBench101(chunks), options.rules ?? {});
  throw new AuspexError('TABLE_UNKNOWN', 'the file is compressed twice', { hint: 'decompress it first' });
}

function readText(importer: TextImporter, chunks: Iterable<Uint8Array>): Table {
  for (const chunk of chunks) importer.push(chunk);
  return importer.finish();
}

async function readGzip(chunks: AsyncIterable<Uint8Array>, options: ReadTableOptions): Promise<Table> {
  let importer: TextImporter | undefined;
  let kind: Kind | undefined;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    if (kind === undefined) {
      kind = kindOf(chunk.subarray(0, HEAD_BYTES));
      if (kind === 'csv') importer = csvImporter(options);
      if (kind === 'jsonl') importer = jsonlImporter(options);
    }
    if (importer) {
      importer.push(chunk);
      continue;
    }
    pieces.push(chunk);
    length += chunk.length;
    if (length > MAX_UNPACKED_BYTES) {
      throw new AuspexError('TABLE_TOO_LARGE', 'the file is too large to be read compressed', {
        hint: 'decompress it first',
      });
    }
  }
  if (importer) return importer.finish();
  if (kind === undefined) throw new AuspexError('TABLE_EMPTY', 'the file is empty');
  return readUnpacked(kind, new MemorySource(concatenated(pieces, length)), options);
}

/** What a file is, by how it begins. */
function kindOf(head: Uint8Array): Kind {
  const starts = (...bytes: number[]): boolean => bytes.every((byte, i) => head[i] === byte);
  if (starts(0x1f, 0x8b)) return 'gzip';
  if (starts(0x42, 0x5a, 0x68) && head[3]! >= 0x31 && head[3]! <= 0x39) return 'bzip2';
  if (isZip(head)) return 'torch';
  if (head[0] === 0x80 && head[1]! <= 5) return 'pickle';
  if (isTfRecord(head)) return 'tfrecord';
  const text = new TextDecoder('latin1').decode(head);
  // Protocols 0 and 1 have no mark of their own; a dictionary begins like this.
  if (/^(?:\(dp\d+\n|\}q)/.test(text)) return 'pickle';
  if (/^\s*\{/.test(text.replace(/^ï»¿/, ''))) return 'jsonl';
  if (/^\s*\[/.test(text)) {
    throw new AuspexError('TABLE_UNKNOWN', 'the file is a single JSON list', {
      hint: 'write one object per line: jq -c ".[]" FILE > FILE.jsonl',
    });
  }
  if (head.includes(0)) {
    throw new AuspexError('TABLE_UNKNOWN', 'the file is neither text nor a known benchmark', {
      hint: 'known formats: CSV, JSON Lines, NAS-Bench-101 (TFRecord), NATS-Bench and HW-NAS-Bench (pickle)',
    });
  }
  return 'csv';
}
