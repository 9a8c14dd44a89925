// Against what Python pickled (verify/golden/official_formats.py), and against files that want to do harm.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AuspexError } from '../../util/errors.js';
import { codeOf } from '../../util/errors.testing.js';
import { Random } from '../../util/random.js';
import { NumpyArray } from './numpy.js';
import { type PickleOptions, PickleReader } from './pickle.js';
import { type PickleMap, PickleObject, type PickleValue } from './pickle-values.js';

interface Fixture {
  readonly values: Readonly<Record<string, unknown>>;
  readonly cases: readonly { readonly name: string; readonly value: string; readonly pickle: string }[];
}

const FIXTURE: Fixture = JSON.parse(
  readFileSync(new URL('./fixtures/pickles.json', import.meta.url), 'utf8'),
);
const bytesOf = (name: string): Uint8Array =>
  Buffer.from(FIXTURE.cases.find((c) => c.name === name)!.pickle, 'base64');

/** A value as the fixture writes it. */
function plain(value: PickleValue): unknown {
  if (value instanceof NumpyArray) return { array: [...value.values!].map(plain), shape: value.shape };
  if (typeof value === 'bigint') return { integer: String(value) };
  if (typeof value === 'number') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e300) {
      return { integer: String(value) };
    }
    if (Number.isFinite(value)) return value;
    return { float: String(value).replace('Infinity', 'inf').toLowerCase() };
  }
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) {
    const items = [...value].map(plain);
    return { set: items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
  }
  if (value instanceof Map) return { dict: [...value].map(([k, v]) => [plain(k), plain(v)]) };
  if (value instanceof PickleObject) {
    return value.state === undefined
      ? { class: value.class, args: plain(value.args ?? null) }
      : { class: value.class, state: plain(value.state) };
  }
  return value;
}

/** The value of a pickle that is all of these bytes. */
const unpickle = (bytes: Uint8Array, options: PickleOptions = {}): PickleValue =>
  new PickleReader([bytes], options).read();

describe('unpickle', () => {
  it.each(FIXTURE.cases)('reads $name', ({ name, value, pickle }) => {
    const read = unpickle(Buffer.from(pickle, 'base64'));
    // Before protocol 2, an object is made by copyreg._reconstructor(class, object, None).
    if (value === 'objects' && /protocol [01]$/.test(name)) {
      const objects = (read as PickleValue[]).map((object) => object as PickleObject);
      expect(objects.map((o) => o.class)).toEqual(['copy_reg._reconstructor', 'copy_reg._reconstructor']);
      expect(plain(objects[0]!.state!)).toEqual({ dict: [['x', 3]] });
      return;
    }
    expect(plain(read)).toEqual(FIXTURE.values[value]);
  });

  it.each([1, 3, 1000])('reads the same from chunks of %i bytes', (size) => {
    for (const { pickle, value } of FIXTURE.cases.filter((c) => /protocol [04]$/.test(c.name))) {
      if (value === 'objects') continue;
      const bytes = Buffer.from(pickle, 'base64');
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect(plain(new PickleReader(chunks).read())).toEqual(FIXTURE.values[value]);
    }
  });

  it('keeps what is shared one', () => {
    const [first, second, third] = unpickle(bytesOf('shared, protocol 4')) as [
      PickleValue,
      PickleValue,
      PickleMap,
    ];
    expect(second).toBe(first);
    expect(third.get('again')).toBe(first);
  });

  it('calls nothing', () => {
    const [evil] = unpickle(bytesOf('evil, protocol 4')) as PickleObject[];
    expect(evil).toMatchObject({ class: 'posix.system', args: ['echo pwned'] });
    // getattr(eval, '__call__')('1') and the like: a call of what a call gave.
    const nested = unpickle(
      Buffer.from("cbuiltins\ngetattr\n(cbuiltins\neval\nS'x'\ntR(S'1+1'\ntR.", 'latin1'),
    );
    expect(nested).toBeInstanceOf(PickleObject);
  });

  it('leaves names alone that JavaScript would know', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const value = unpickle(Buffer.from(`c${name}\n${name}\n)R.`, 'latin1'));
      expect(value).toMatchObject({ class: `${name}.${name}`, args: [] });
      const dictionary = unpickle(Buffer.from(`}S'${name}'\nI1\ns.`, 'latin1'));
      expect(dictionary).toEqual(new Map([[name, 1]]));
    }
  });

  it('lets the caller drop parts of dictionaries while reading', () => {
    const seen: number[] = [];
    const value = unpickle(bytesOf('batches, protocol 4'), {
      filled: (dictionary) => {
        seen.push(dictionary.size);
        dictionary.clear();
      },
    }) as [number[], PickleMap];
    expect(seen).toEqual([1000, 1]);
    expect(value[1].size).toBe(0);
    expect(value[0].length).toBe(1001);
  });
});

describe('damaged and hostile pickles', () => {
  const SMALL = FIXTURE.cases.filter((c) => c.pickle.length < 4000);

  it('that are cut off anywhere are refused, with the offset', () => {
    for (const { name, pickle } of SMALL.filter((c) => c.pickle.length < 1500)) {
      const bytes = Buffer.from(pickle, 'base64');
      for (let length = 0; length < bytes.length; length++) {
        const code = codeOf(() => unpickle(bytes.subarray(0, length)));
        expect(code, `${name}, ${length} bytes`).toMatch(/^PICKLE_(TRUNCATED|MALFORMED)$/);
      }
    }
    try {
      unpickle(bytesOf('texts, protocol 4').subarray(0, 30));
    } catch (error) {
      expect((error as AuspexError).where.offset).toBeGreaterThan(0);
    }
  });

  it('that were changed at random give a value or an error of ours', () => {
    const random = Random.seeded(7);
    let values = 0;
    let errors = 0;
    for (let i = 0; i < 10_000; i++) {
      const bytes = Uint8Array.from(Buffer.from(random.pick(SMALL).pickle, 'base64'));
      for (let change = random.between(1, 4); change > 0; change--) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      if (codeOf(() => unpickle(bytes)) === 'no error') values++;
      else errors++;
    }
    expect(values).toBeGreaterThan(1000);
    expect(errors).toBeGreaterThan(1000);
  });

  it('of nothing but random opcodes end', () => {
    const random = Random.seeded(8);
    const opcodes = Buffer.from('(.0123FINJKLMPQRSTUVXabcdeghijlopqrstu)]}GBC', 'latin1');
    const later = [0x80, 0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8c, 0x8f, 0x90, 0x91, 0x93, 0x94, 0x95];
    const all = [...opcodes, ...later];
    for (let i = 0; i < 10_000; i++) {
      const bytes = Uint8Array.from({ length: random.between(1, 60) }, () =>
        random.chance(0.8) ? random.pick(all) : random.below(256),
      );
      codeOf(() => unpickle(bytes));
    }
  });

  const HOSTILE: readonly [what: string, bytes: Uint8Array, code: string, options?: PickleOptions][] = [
    ['a text that claims 256 PB', Buffer.from([0x8d, 0, 0, 0, 0, 0, 0, 4, 0]), 'PICKLE_LIMIT'],
    ['a text that claims 2^64 bytes', Buffer.from([0x8d, ...Array(8).fill(255)]), 'PICKLE_MALFORMED'],
    ['bytes of a negative length', Buffer.from([0x54, 255, 255, 255, 255]), 'PICKLE_LIMIT'],
    ['a number of 2 GB', Buffer.from([0x8b, 255, 255, 255, 127]), 'PICKLE_LIMIT'],
    ['a reference to nothing', Buffer.from('h\x05.', 'latin1'), 'PICKLE_MALFORMED'],
    ['a memo out of order', Buffer.from([0x4e, 0x72, 255, 255, 255, 255]), 'PICKLE_MALFORMED'],
    ['marks without end', Buffer.alloc(2000, '('), 'PICKLE_LIMIT', { maxDepth: 1000 }],
    ['values without end', Buffer.alloc(2000, 'N'), 'PICKLE_LIMIT', { maxDepth: 1000 }],
    [
      'lists without end',
      Buffer.from(']'.repeat(9) + '0]'.repeat(99)),
      'PICKLE_LIMIT',
      { maxContainers: 50 },
    ],
    [
      'a memo without end',
      Buffer.concat([Buffer.from('N'), Buffer.alloc(99, 0x94)]),
      'PICKLE_LIMIT',
      { maxMemo: 50 },
    ],
    // A list of 100 pairs, made into a dictionary again and again: four bytes each time.
    [
      'copies without end',
      Buffer.from(
        `ccollections\nOrderedDict\nq\x000](${'NN\x86'.repeat(100)}eq\x010${'h\x00h\x01\x85R0'.repeat(20)}N.`,
        'latin1',
      ),
      'PICKLE_LIMIT',
      { maxElements: 1000 },
    ],
    ['extensions', Buffer.from([0x82, 1]), 'PICKLE_UNSUPPORTED'],
    ['buffers outside the file', Buffer.from([0x97]), 'PICKLE_UNSUPPORTED'],
    ['a later protocol', Buffer.from([0x80, 6]), 'PICKLE_UNSUPPORTED'],
    ['an end without a value', Buffer.from('.'), 'PICKLE_MALFORMED'],
    ['a key without a value', Buffer.from('}(Nu.'), 'PICKLE_MALFORMED'],
    ['text that is no UTF-8', Buffer.from([0x8c, 1, 0xff, 0x2e]), 'PICKLE_MALFORMED'],
    ['an ordinary text', Buffer.from('hello, world'), 'PICKLE_MALFORMED'],
  ];
  it.each(HOSTILE)('%s', (_, bytes, code, options) => {
    expect(codeOf(() => unpickle(bytes, options))).toBe(code);
  });

  it('nest as deeply as they like', () => {
    const depth = 100_000;
    const bytes = Buffer.concat([Buffer.from('N'), Buffer.alloc(depth, 0x85), Buffer.from('.')]);
    let value = unpickle(bytes);
    let measured = 0;
    for (; Array.isArray(value); value = value[0]!) measured++;
    expect(measured).toBe(depth);
  });

  it('may hold arrays of long texts', () => {
    const length = 300_000;
    const raw = Buffer.alloc(4 * length);
    raw.writeUInt32LE(0x61, 0);
    raw.writeUInt32LE(0x62, 4 * (length - 2));
    const head = Buffer.from(`cnumpy\ndtype\n(U\x08<U${length}I0\nI1\ntR`, 'latin1');
    const size = Buffer.alloc(4);
    size.writeUInt32LE(raw.length);
    // scalar(dtype, bytes)
    const bytes = Buffer.concat([
      Buffer.from('cnumpy.core.multiarray\nscalar\n('),
      head,
      Buffer.from('B'),
      size,
      raw,
      Buffer.from('tR.'),
    ]);
    expect(unpickle(bytes)).toBe(`a${'\0'.repeat(length - 3)}b`);
  });

  it('may hold themselves', () => {
    const list = unpickle(Buffer.from(']q\x00h\x00a.', 'latin1')) as PickleValue[];
    expect(list[0]).toBe(list);
  });
});
