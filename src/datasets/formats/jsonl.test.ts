import { describe, expect, it } from 'vitest';
import { AuspexError } from '../../util/errors.js';
import { Table } from '../table.js';
import { TextColumn } from '../texts.js';
import { JsonlReader, type JsonObject, jsonlOf, valueAt } from './jsonl.js';

function objectsOf(text: string | Uint8Array, chunk = Number.POSITIVE_INFINITY): [number, JsonObject][] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const objects: [number, JsonObject][] = [];
  const reader = new JsonlReader((object, line) => objects.push([line, object]));
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
  reader.finish();
  return objects;
}

describe('JsonlReader', () => {
  const CASES: readonly [what: string, text: string, objects: [number, JsonObject][]][] = [
    [
      'objects',
      '{"a":1}\n{"b":"é"}\n',
      [
        [1, { a: 1 }],
        [2, { b: 'é' }],
      ],
    ],
    [
      'no break at the end',
      '{"a":1}\n{"b":2}',
      [
        [1, { a: 1 }],
        [2, { b: 2 }],
      ],
    ],
    [
      'CRLF and empty lines',
      '{"a":1}\r\n\r\n\n{"b":2}\r\n',
      [
        [1, { a: 1 }],
        [4, { b: 2 }],
      ],
    ],
    ['a byte order mark', '\ufeff{"a":1}\n', [[1, { a: 1 }]]],
    ['nothing', '', []],
  ];
  it.each(CASES)('reads %s', (_, text, objects) => {
    expect(objectsOf(text)).toEqual(objects);
    for (const chunk of [1, 2, 7]) expect(objectsOf(text, chunk)).toEqual(objects);
  });

  it.each([
    ['broken JSON', '{"a":1}\n{"b":\n', 'JSONL_LINE line 2'],
    ['no object', '{"a":1}\n\n[1]\n', 'JSONL_LINE line 3'],
    ['no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a), 'JSONL_UTF8 line 1'],
    ['a line without end', Buffer.alloc(17_000_000, ' '), 'JSONL_LINE line 1'],
  ])('tells the line of %s', (_, text, expected) => {
    try {
      objectsOf(text, 1 << 16);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(AuspexError);
      expect(`${(error as AuspexError).code} ${(error as AuspexError).where.path}`).toBe(expected);
    }
  });
});

describe('valueAt', () => {
  it('follows keys', () => {
    expect(valueAt({ a: { b: { c: 1 } } }, 'a.b.c')).toBe(1);
    expect(valueAt({ 'a.b': 2 }, 'a.b')).toBe(2);
    expect(valueAt({ a: 1 }, 'a.b')).toBeUndefined();
    expect(valueAt({ a: [1] }, 'a.0')).toBeUndefined();
    expect(valueAt({}, 'constructor')).toBeUndefined();
    expect(valueAt({}, '__proto__.toString')).toBeUndefined();
  });
});

describe('jsonlOf', () => {
  it('begins with the description and leaves out what is missing', () => {
    const table = new Table({
      space: 'toy',
      labels: [{ name: 'a', unit: 'ms', better: 'lower', provenance: 'made up' }],
      architectures: ['x', 'y'],
      columns: { a: [0.1, Number.NaN] },
      texts: new Map([['device', TextColumn.of(['p', 'q'])]]),
    });
    expect(Buffer.concat([...jsonlOf(table)]).toString()).toBe(
      '{"auspex":{"table":2,"space":"toy","labels":{"a":{"unit":"ms","better":"lower","provenance":"made up"}},"texts":["device"]}}\n' +
        '{"arch":"x","device":"p","a":0.1}\n{"arch":"y","device":"q"}\n',
    );
  });
});
