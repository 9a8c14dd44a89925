// What kind of file there is at a path, by its first bytes: so that an output never replaces a file of another kind by
// mistake.
import { closeSync, openSync, readSync } from 'node:fs';
import { gunzipSync, constants as zlib } from 'node:zlib';
import { readModel } from '../onnx/file.js';
import { INFO_KEY } from '../predictors/file.js';
import { attempt } from '../util/attempt.js';

/** Kinds of files that auspex writes, in words. */
export const FILE_KINDS = {
  predictor: 'a predictor',
  device: 'a device',
  network: 'an ONNX network',
  checkpoint: 'a checkpoint',
  table: 'a table',
  html: 'an HTML page',
  curves: 'curves of a training',
  split: 'a split of a table',
  log: 'a log',
  arrays: 'NumPy arrays',
  text: 'a text file',
} as const;

export type FileKind = keyof typeof FILE_KINDS;

/** Of the beginning, which says what a file is. */
const HEAD_BYTES = 1 << 16;

/** What a JSON document of auspex is, by its schema. */
const SCHEMAS: Readonly<Record<string, FileKind>> = {
  'auspex.curves': 'curves',
  'auspex.device': 'device',
  'auspex.data.split': 'split',
};

/** The kind of a regular file. Nothing may replace an empty one by mistake, so it is of any kind. */
export function fileKind(path: string): FileKind | 'empty' | 'other' {
  const head = unpacked(headOf(path));
  if (head.length === 0) return 'empty';
  if (isNumpy(head)) return 'arrays';
  return (head.includes(0) ? undefined : textKind(head.toString('utf8'))) ?? onnxKind(path) ?? 'other';
}

/** A .npy file, or an archive whose first entry is one. */
function isNumpy(head: Buffer): boolean {
  if (head.toString('latin1', 0, 6) === '\x93NUMPY') return true;
  const isZip = head.length >= 30 && head.toString('latin1', 0, 4) === 'PK\x03\x04';
  return isZip && head.toString('latin1', 30, 30 + head.readUInt16LE(26)).endsWith('.npy');
}

function headOf(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

function unpacked(head: Buffer): Buffer {
  if (head[0] !== 0x1f || head[1] !== 0x8b) return head;
  try {
    return gunzipSync(head, { finishFlush: zlib.Z_SYNC_FLUSH }).subarray(0, HEAD_BYTES);
  } catch {
    return head;
  }
}

function onnxKind(path: string): FileKind | undefined {
  const model = attempt(() => readModel(path));
  if (model === undefined) return undefined;
  if (model.metadata?.has(INFO_KEY)) return 'predictor';
  return model.metadata?.get('auspex.format')?.startsWith('auspex.checkpoint/') ? 'checkpoint' : 'network';
}

/** Undefined for what is no text. */
function textKind(head: string): FileKind | undefined {
  // The last character may be cut off.
  if (head.slice(0, -1).includes('\ufffd')) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell that this is no text.
  if (/[\x00-\x08\x0e-\x1f]/.test(head)) return undefined;
  const text = head.replace(/^\ufeff?\s*/, '');
  if (/^<!doctype html|^<html/i.test(text)) return 'html';
  if (/^\{"kind":"(search|proxy|io)"/.test(text)) return 'log';
  const [, schema] = /^\{\s*"schema"\s*:\s*"(auspex\.[\w.]+)\//.exec(text) ?? [];
  if (schema !== undefined) return SCHEMAS[schema] ?? 'text';
  if (/^# auspex \{|^\{"table":/.test(text)) return 'table';
  const [first = '', second] = text.split(/\r?\n/, 2);
  if (second === undefined) return 'text';
  if (isObject(first) && isObject(second)) return 'table';
  const columns = columnsOf(first);
  return columns > 1 && !first.startsWith('{') && columns === columnsOf(second) ? 'table' : 'text';
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Of a line of CSV. */
function columnsOf(line: string): number {
  return line.replace(/"[^"]*"/g, '').split(',').length;
}
