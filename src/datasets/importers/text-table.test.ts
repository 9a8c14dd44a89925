// Files that say what they are, files of known layouts (with made-up rows), files the caller explains.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AuspexError } from '../../util/errors.js';
import { csvOf } from '../formats/csv.js';
import { gunzip, gzip } from '../formats/gzip.js';
import { jsonlOf } from '../formats/jsonl.js';
import type { PlainTable } from '../metadata.js';
import type { SkippedRow, TableRules } from '../rules.js';
import { type Label, Table } from '../table.js';
import { TextColumn } from '../texts.js';
import { LAYOUTS, type Layout } from './layouts.js';
import { type ReadTableOptions, readTable } from './read-table.js';

fc.configureGlobal({ seed: 1 });

const read = (bytes: string | Uint8Array, options?: ReadTableOptions): Promise<Table> =>
  readTable(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, options);

async function errorOf(bytes: string | Uint8Array, plain?: PlainTable): Promise<string> {
  try {
    await read(bytes, { plain });
  } catch (error) {
    if (error instanceof AuspexError) return `${error.code} ${error.where.path ?? ''}`.trim();
    throw error;
  }
  return 'no error';
}

function expectSame(a: Table, b: Table): void {
  expect(a.space).toBe(b.space);
  expect(a.labels).toEqual(b.labels);
  expect([...a.architectures]).toEqual([...b.architectures]);
  for (const { name } of b.labels) expect(a.column(name)).toEqual(b.column(name));
  expect([...a.texts.keys()]).toEqual([...b.texts.keys()]);
  for (const [name, texts] of b.texts) expect([...a.text(name)]).toEqual([...texts]);
}

describe('tables that say what they are', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((n) => n !== 'arch' && n !== 'a word' && !/^\d+$/.test(n));
  const label = fc.record<Label>({
    name,
    unit: fc.string(),
    better: fc.constantFrom('higher' as const, 'lower' as const),
    provenance: fc.string({ unit: 'grapheme' }),
    transform: fc.constantFrom('linear' as const, 'log' as const),
  });
  const tables = fc
    .tuple(
      fc.string(),
      fc.uniqueArray(label, { selector: (l) => l.name, maxLength: 4 }),

      fc.array(
        fc.tuple(
          fc.string({ unit: 'grapheme' }),
          fc.array(fc.double({ noDefaultInfinity: true }), { minLength: 4, maxLength: 4 }),
        ),
      ),
    )
    .map(([space, labels, rows]) => {
      const columns = new Map(
        labels.map((l, i) => [l.name, Float64Array.from(rows, ([, values]) => values[i]!)]),
      );
      const texts = new Map([['a word', TextColumn.of(rows.map(([arch]) => arch.slice(1)))]]);
      return new Table({ space, labels, architectures: rows.map(([arch]) => arch), columns, texts });
    });

  it('come back as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        expectSame(await read(Buffer.concat([...csvOf(table)])), table);
        expectSame(await read(Buffer.concat([...jsonlOf(table)])), table);
      }),
      { numRuns: 200 },
    );
  });

  it('come back from gzip both ways', async () => {
    const rows = 20_000;
    const table = new Table({
      space: 'toy',
      labels: [{ name: 'a', unit: '', better: 'higher', provenance: 'made up' }],
      architectures: Array.from({ length: rows }, (_, i) => `arch ${i}`),
      columns: { a: Array.from({ length: rows }, (_, i) => i / 7) },
    });
    const packed: Uint8Array[] = [];
    for await (const piece of gzip(csvOf(table))) packed.push(piece);
    expectSame(await read(Buffer.concat(packed)), table);
    const bytes = Buffer.concat([...jsonlOf(table)]);
    expectSame(await read(gzipSync(bytes)), table);
    const unpacked: Uint8Array[] = [];
    for await (const piece of gunzip([gzipSync(bytes)])) unpacked.push(piece);
    expect(Buffer.concat(unpacked).equals(bytes)).toBe(true);
  });

  it('take their columns from any place, and no others', async () => {
    const head =
      '# auspex {"table":1,"space":"toy","labels":{"b":{"higherIsBetter":true},"a":{"higherIsBetter":false}}}';
    const table = await read(`${head}\nhash,a,arch,b\nh,1,x,2\n`);
    expect(table.labels.map((l) => [l.name, l.better])).toEqual([
      ['a', 'lower'],
      ['b', 'higher'],
    ]);
    expect([table.arch(0), table.column('a')[0], table.column('b')[0]]).toEqual(['x', 1, 2]);
  });

  it.each([
    ['a later version', '{"table":3,"space":"s","labels":{}}', /version is 3/],
    ['no space', '{"table":1,"labels":{}}', /space is missing/],
    ['no labels', '{"table":1,"space":"s"}', /labels are missing/],
    ['a label that is none', '{"table":1,"space":"s","labels":{"a":1}}', /'a' is 1/],
    [
      'a unit that is none',
      '{"table":1,"space":"s","labels":{"a":{"higherIsBetter":true,"unit":1}}}',
      /must be texts/,
    ],
    ['no direction', '{"table":1,"space":"s","labels":{"a":{"unit":""}}}', /better/],
    ['a wrong direction', '{"table":2,"space":"s","labels":{"a":{"better":"up"}}}', /better/],
    ['broken JSON', '{"table":1', /not JSON/],
    [
      'a column that is not there',
      '{"table":1,"space":"s","labels":{"z":{"higherIsBetter":true}}}',
      /no column 'z'/,
    ],
  ])('with %s are refused', async (_, head, message) => {
    await expect(read(`# auspex ${head}\narch,a\nx,1\n`)).rejects.toThrow(message);
  });
});

/** A made-up value at a path of an object. */
function put(object: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  let at = object;
  for (const key of keys.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[keys.at(-1)!] ??= value;
}

/** A file of one row in a layout; label i is i + 0.5. */
function fileOf(layout: Layout): string {
  const columns = layout.arch.flatMap((part) => ('column' in part ? [part.column] : []));
  if (layout.format === 'csv') {
    const labels = layout.labels.map((label) => label.from);
    const names = [...new Set([...columns, ...layout.has, ...labels])];
    const values = names.map((name) => (labels.includes(name) ? labels.indexOf(name) + 0.5 : `some ${name}`));
    return `${names.join(',')}\n${values.join(',')}\n`;
  }
  const row: Record<string, unknown> = {};
  layout.labels.forEach((label, i) => {
    put(row, label.from, i + 0.5);
  });
  for (const path of layout.has) put(row, path, 'something');
  for (const path of columns) put(row, path, `some ${path}`);
  return `${JSON.stringify(row)}\n`;
}

describe('known layouts', () => {
  it.each(LAYOUTS)('$title is recognised and read', async (layout) => {
    const table = await read(fileOf(layout));
    expect(table.space).toBe(layout.space);
    expect(table.rows).toBe(1);
    expect(table.arch(0)).toMatch(/some |something/);
    expect(new Set(table.labels.map((l) => l.name))).toEqual(new Set(layout.labels.map((l) => l.name)));
    layout.labels.forEach((label, i) => {
      expect(table.column(label.name)[0]).toBe(i + 0.5);
      expect(label.provenance.length).toBeGreaterThan(20);
    });
  });

  it('puts cells of NAS-Bench-101 together', async () => {
    const table = await read(
      'hash,vertices,adjacency,ops,params,test_accuracy\nx,4,111011,conv1x1-bn-relu maxpool3x3,5,0.5\ny,2,1,,6,\n',
    );
    expect([...table.architectures]).toEqual(['4:111011:conv1x1-bn-relu,maxpool3x3', '2:1:']);
    expect(table.labels.map((l) => l.name)).toEqual(['params', 'test_accuracy']);
    expect([...table.column('test_accuracy')]).toEqual([0.5, Number.NaN]);
  });

  it('writes architectures that are objects as JSON', async () => {
    const table = await read('{"arch":{"ks":[3],"e":[4],"d":[2]},"accuracy":0.5,"peak_memory":null}\n');
    expect(table.arch(0)).toBe('{"ks":[3],"e":[4],"d":[2]}');
    expect(table.column('peak_memory')[0]).toBeNaN();
  });
});

describe('plain files', () => {
  const plain: PlainTable = {
    space: 'mine',
    arch: 'net.text',
    labels: [{ name: 'speed', unit: 'ms', better: 'lower', provenance: 'measured at home' }],
  };

  it('are read as the caller says', async () => {
    const fromCsv = await read('speed,net.text,other\n1.5,a b,z\n,c,\n', { plain });
    const fromJson = await read('{"net":{"text":"a b"},"speed":"1.5"}\n{"net":{"text":"c"}}\n', { plain });
    expectSame(fromCsv, fromJson);
    expect([...fromCsv.architectures]).toEqual(['a b', 'c']);
    expect([...fromCsv.column('speed')]).toEqual([1.5, Number.NaN]);
    expect(fromCsv.labels).toEqual(plain.labels);
  });

  it.each([
    ['an unknown table', 'a,b\n1,2\n', undefined, 'TABLE_UNKNOWN'],
    ['unknown objects', '{"a":1}\n', undefined, 'TABLE_UNKNOWN'],
    ['a JSON list', '[{"a":1}]', undefined, 'TABLE_UNKNOWN'],
    ['an empty file', '', undefined, 'TABLE_EMPTY'],
    ['only empty lines', '\n\n', undefined, 'TABLE_EMPTY'],
    ['something binary', Uint8Array.of(1, 2, 3, 0, 5), undefined, 'TABLE_UNKNOWN'],
    ['no such column', 'a,b\n1,2\n', plain, 'CSV_HEADER line 1, column 1'],
    ['two columns of a name', 'a,a\n1,2\n', plain, 'CSV_HEADER line 1, column 3'],
    ['too few fields', 'speed,net.text\n1,x\n2\n', plain, 'CSV_FIELDS line 3, column 1'],
    ['too many fields', 'speed,net.text\n1,x,y\n', plain, 'CSV_FIELDS line 2, column 3'],
    ['no number', 'speed,net.text\n1,x\nfast,y\n', plain, 'CSV_NUMBER line 3, column 1'],
    ['NaN', 'speed,net.text\n1,x\nnan,y\n', plain, 'TABLE_VALUE line 3, column 1'],
    ['an infinity', 'net.text,speed\nx,1\ny,-inf\n', plain, 'TABLE_VALUE line 3, column 3'],
    ['a number beyond doubles', 'speed,net.text\n1e999,x\n', plain, 'TABLE_VALUE line 2, column 1'],
    ['an infinity in JSON', '{"net":{"text":"a"},"speed":"inf"}\n', plain, 'TABLE_VALUE line 1'],
    ['a huge number in JSON', '{"net":{"text":"a"},"speed":1e999}\n', plain, 'TABLE_VALUE line 1'],
    ['no number in JSON', '{"net":{"text":"a"},"speed":{}}\n', plain, 'JSONL_VALUE line 1'],
    ['no architecture', '{"net":{"text":"a"}}\n{"speed":1}\n', plain, 'JSONL_VALUE line 2'],
  ])('%s: an error', async (_, bytes, given, error) => {
    expect(await errorOf(bytes, given)).toBe(error);
  });
});

describe('rules', () => {
  const plain: PlainTable = {
    space: 'letters',
    arch: 'net',
    labels: [{ name: 'ms', unit: 'ms', better: 'lower', provenance: '' }],
  };
  /** One space of capital letters. */
  const rules: TableRules = {
    needsLabels: true,
    space: (name) => {
      if (name !== 'letters') throw new AuspexError('SPACE_UNKNOWN', `no space '${name}'`);
      return (arch) => {
        if (!/^[A-Z]$/.test(arch))
          throw new AuspexError('ARCH_TEXT', `'${arch}' is no letter`, { hint: 'A' });
      };
    },
  };
  const refused = async (bytes: string, options: ReadTableOptions): Promise<unknown> =>
    read(bytes, options).then(
      () => 'no error',
      ({ code, where, hint }: AuspexError) => [code, where.path, hint],
    );

  it.each([
    ['an unknown space', 'net,ms\nA,1\n', { ...plain, space: 'z' }, ['SPACE_UNKNOWN', undefined, undefined]],
    ['a text of another space', 'ms,net\n1,A\n2,b\n', plain, ['ARCH_TEXT', 'line 3, column 3', 'A']],
    ['the same in JSON', '{"net":"A"}\n\n{"net":"b"}\n', plain, ['ARCH_TEXT', 'line 3', 'A']],
    [
      'no labels',
      '# made up\nnet,ms,w\nA,1,2\n',
      { ...plain, labels: [] },
      ['TABLE_NO_LABELS', 'line 2', 'name columns of numbers with --label: ms, w'],
    ],
    [
      'no labels in JSON',
      '{"net":"A","ms":1}\n',
      { ...plain, labels: [] },
      ['TABLE_NO_LABELS', 'line 1', 'name columns of numbers with --label: ms'],
    ],
  ])('refuse %s with the line', async (_, bytes, given, error) => {
    expect(await refused(bytes, { plain: given, rules })).toEqual(error);
  });

  it.each([
    ['CSV', 'net,ms\nA,1\nb,2\nC,inf\nD\nE,many\nF,6\n', 3],
    [
      'JSON lines',
      '{"net":"A","ms":1}\n{"net":"b","ms":2}\n{"net":"C","ms":"inf"}\n{"ms":1}\nnot JSON\n{"net":"F","ms":6}\n',
      2,
    ],
  ])('skip bad rows of %s and say why', async (_, bytes, first) => {
    const skipped: SkippedRow[] = [];
    const table = await read(bytes, { plain, rules: { ...rules, skip: (row) => skipped.push(row) } });
    expect([...table.architectures]).toEqual(['A', 'F']);
    expect([...table.column('ms')]).toEqual([1, 6]);
    expect(skipped.map(({ at }) => at)).toEqual([0, 1, 2, 3].map((i) => `line ${first + i}`));
    expect(skipped.slice(0, 2).map(({ code }) => code)).toEqual(['ARCH_TEXT', 'TABLE_VALUE']);
    expect(skipped[0]!.message).toBe("'b' is no letter");
  });
});

describe('columns of words', () => {
  const plain: PlainTable = {
    space: 'toy',
    arch: 'net',
    labels: [{ name: 'ms', unit: 'ms', better: 'lower', provenance: '' }],
  };

  it.each([
    ['CSV', 'net,device,ms,n\na,"x,y",1,7\nb,,2,8\n'],
    ['JSON lines', '{"net":"a","device":"x,y","ms":1,"n":7}\n{"net":"b","ms":2,"n":8}\n'],
  ])('are kept where %s has them', async (_, bytes) => {
    const some = await read(bytes, { plain, texts: ['device', 'ms'] });
    // A label stays a label.
    expect([...some.texts.keys()]).toEqual(['device']);
    expect([...some.text('device')]).toEqual(['x,y', '']);
    const all = await read(bytes, { plain, texts: 'all' });
    expect([...all.texts.keys()]).toEqual(['device', 'n']);
    expect([...all.take([1]).text('n')]).toEqual(['8']);
    expect([...Table.concat([all, some]).texts.keys()]).toEqual(['device']);
    expectSame(await read(Buffer.concat([...csvOf(all)])), all);
  });
});

describe('damaged gzip files', () => {
  const packed = gzipSync(
    Buffer.from(`channels,cifar10,cifar100,imagenet16_120\n${'8:8:8:8:8,1,2,3\n'.repeat(500)}`),
  );

  it('are refused wherever they are cut off', async () => {
    for (let length = 3; length < packed.length; length += 7) {
      expect(await errorOf(packed.subarray(0, length)), `${length} bytes`).toBe('GZIP_DAMAGED');
    }
  });

  it('are refused when their content is damaged', async () => {
    const changed = Uint8Array.from(packed);
    changed[packed.length >> 1]! ^= 0xff;
    expect(await errorOf(changed)).toBe('GZIP_DAMAGED');
  });
});
