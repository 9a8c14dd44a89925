import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AuspexError } from '../../util/errors.js';
import { Table } from '../table.js';
import { CsvReader, csvOf } from './csv.js';
import { numberIn, numberOf, numberText } from './numbers.js';

fc.configureGlobal({ seed: 1 });

/** All rows as texts, read in chunks of a size. */
function rowsOf(text: string | Uint8Array, chunk = Number.POSITIVE_INFINITY): string[][] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const rows: string[][] = [];
  const reader = new CsvReader({
    row: (row) => rows.push(Array.from({ length: row.fields }, (_, i) => row.text(i))),
  });
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
  reader.finish();
  return rows;
}

/** The error of a text: code and place. */
function errorOf(text: string | Uint8Array, chunk?: number): string {
  try {
    rowsOf(text, chunk);
  } catch (error) {
    if (error instanceof AuspexError) return `${error.code} ${error.where.path}`;
    throw error;
  }
  return 'no error';
}

describe('CsvReader', () => {
  const CASES: readonly [what: string, text: string, rows: string[][]][] = [
    [
      'rows',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no break at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a byte order mark', '\ufeffa,b\n', [['a', 'b']]],
    [
      'empty fields',
      ',\n,,\n',
      [
        ['', ''],
        ['', '', ''],
      ],
    ],
    ['empty lines', '\n\na\n\n\nb\n\n', [['a'], ['b']]],
    ['a quoted empty field', '""\n', [['']]],
    ['quotes', '"a","b c"\n', [['a', 'b c']]],
    ['doubled quotes', '"say ""hi""",""""\n', [['say "hi"', '"']]],
    [
      'commas and breaks within quotes',
      '"a,b","c\nd\r\ne"\nf,g\n',
      [
        ['a,b', 'c\nd\r\ne'],
        ['f', 'g'],
      ],
    ],
    ['texts beyond ASCII', 'é,"日本"\n', [['é', '日本']]],
    ['a hash after the header', 'a\n#b\n', [['a'], ['#b']]],
    ['nothing', '', []],
  ];
  it.each(CASES)('reads %s', (_, text, rows) => {
    expect(rowsOf(text)).toEqual(rows);
    for (const chunk of [1, 2, 3, 5]) expect(rowsOf(text, chunk)).toEqual(rows);
  });

  it('reads what RFC 4180 says any fields are written as', () => {
    const field = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('"', ',', '\n', '\r\n', '""', ' '),
    );
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 9 }), fc.boolean(), (rows, chunk, isCrlf) => {
        const text = rows
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
          .join(isCrlf ? '\r\n' : '\n');
        expect(rowsOf(text, chunk)).toEqual(rows);
      }),
    );
  });

  it('gives comments before the header', () => {
    const comments: string[] = [];
    const reader = new CsvReader({
      comment: (text, line) => comments.push(`${line}:${text}`),
      row: () => undefined,
    });
    reader.push(Buffer.from('# one\r\n#two\na\n# three\n'));
    reader.finish();
    expect(comments).toEqual(['1: one', '2:two']);
  });

  const WRONG: readonly [what: string, text: string | Uint8Array, error: string][] = [
    ['a quote within a field', 'a,b\n1,x"y\n', 'CSV_QUOTE line 2, column 4'],
    ['text after a quote', 'a\n"x"y\n', 'CSV_QUOTE line 2, column 4'],
    ['a quote that is not closed', 'a,b\n1,"x\ny\n', 'CSV_QUOTE line 2, column 3'],
    ['a CR alone', 'a\rb\n', 'CSV_BREAK line 1, column 2'],
    ['text that is no UTF-8', Uint8Array.of(0x61, 0x0a, 0x62, 0x2c, 0xff, 0x0a), 'CSV_UTF8 line 2, column 3'],
    ['lines counted within quotes', 'a\n"x\ny"\nz,"\n', 'CSV_QUOTE line 4, column 3'],
  ];
  it.each(WRONG)('tells where there is %s', (_, text, error) => {
    expect(errorOf(text)).toBe(error);
    expect(errorOf(text, 1)).toBe(error);
  });

  it('gives up on a row that never ends', () => {
    expect(errorOf(Buffer.concat([Buffer.from('a\n"'), Buffer.alloc(5_000_000, 'x')]), 1 << 16)).toBe(
      'CSV_ROW line 2, column 1',
    );
  });
});

describe('numbers', () => {
  const inBytes = (text: string): number | undefined =>
    numberIn(Buffer.from(`,${text},`), 1, 1 + text.length);

  it('are read as JavaScript reads them', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(inBytes(String(value))).toBe(Object.is(value, -0) ? 0 : value);
        expect(inBytes(value.toFixed(6))).toBe(Number(value.toFixed(6)));
        expect(inBytes(numberText(value))).toBe(value);
      }),
      { numRuns: 3000 },
    );
    // Few digits take the short way.
    const decimal = fc.tuple(
      fc.integer({ min: -999_999_999, max: 999_999_999 }),
      fc.integer({ min: 0, max: 9 }),
    );
    fc.assert(
      fc.property(decimal, ([digits, places]) => {
        const text = (digits / 10 ** places).toFixed(places);
        expect(inBytes(text)).toBe(Number(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['1', 1],
    ['-0.5', -0.5],
    ['+7', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E-2', 0.01],
    [' 2 ', 2],
    ['123456789012345678', 123456789012345680],
    ['0.1234567890123456789', 0.12345678901234568],
    ['', Number.NaN],
    ['NA', Number.NaN],
    ['None', Number.NaN],
    ['null', Number.NaN],
  ])("'%s' is %d", (text, value) => {
    expect(inBytes(text)).toBe(value);
    expect(numberOf(text)).toBe(value);
  });

  it.each([
    'abc',
    '-',
    '.',
    '1.2.3',
    '1,5',
    '0x10',
    '1_000',
    '--1',
    'e5',
    '1e',
    '９',
    '1'.repeat(500),
    'nan',
    'NaN',
    'inf',
    '-Infinity',
    '1e999',
  ])("'%s' is none", (text) => {
    const bytes = Buffer.from(text);
    expect(numberIn(bytes, 0, bytes.length)).toBeUndefined();
    expect(numberOf(text)).toBeUndefined();
  });
});

describe('csvOf', () => {
  it('quotes what needs it and leaves missing values empty', () => {
    const table = new Table({
      space: 'toy',
      labels: [{ name: 'a,b', unit: 'ms', better: 'lower', provenance: 'made "up"' }],
      architectures: ['plain', '{"k": 1}'],
      columns: { 'a,b': [0.1, Number.NaN] },
    });
    expect(Buffer.concat([...csvOf(table)]).toString()).toBe(
      '# auspex {"table":2,"space":"toy","labels":{"a,b":{"unit":"ms","better":"lower","provenance":"made \\"up\\""}}}\n' +
        'arch,"a,b"\nplain,0.1\n"{""k"": 1}",\n',
    );
  });
});
