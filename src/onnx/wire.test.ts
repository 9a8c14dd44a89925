import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteSource, MemorySource } from '../util/bytes.js';
import { WireReader, WireWriter } from './wire.js';

fc.configureGlobal({ seed: 1 });

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

function reader(...bytes: number[]): WireReader {
  return new WireReader(new MemorySource(Uint8Array.from(bytes)));
}

function written(fill: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter();
  fill(writer);
  return writer.finish();
}

/** A file that hands out a few bytes at a time and keeps count of what was read. */
class SlowSource implements ByteSource {
  readonly size: number;
  bytesRead = 0;

  constructor(
    readonly bytes: Uint8Array,
    readonly windowBytes: number,
  ) {
    this.size = bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    this.bytesRead += length;
    return this.bytes.slice(offset, offset + length);
  }
}

const NINE = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] as const;

describe('varints', () => {
  it.each<[bigint | number, number[]]>([
    [0, [0]],
    [1, [1]],
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [300, [0xac, 0x02]],
    [-1, [...NINE, 0x01]],
    [-2, [0xfe, ...NINE.slice(1), 0x01]],
    [2 ** 53 - 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    [2n ** 53n, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]],
    [INT64_MAX, [...NINE.slice(1), 0x7f]],
    [INT64_MIN, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]],
  ])('%s is encoded as protobuf says', (value, bytes) => {
    expect([...written((w) => w.int64(value))]).toEqual(bytes);
    expect(reader(...bytes).int64()).toBe(value);
  });

  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (value) => {
        const read = new WireReader(new MemorySource(written((w) => w.int64(value)))).int64();
        expect(BigInt(read)).toBe(value);
        // A number exactly where numbers are exact.
        expect(typeof read).toBe(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const bytes = written((w) => w.int64(value));
        expect(new WireReader(new MemorySource(bytes)).int64()).toBe(value);
        if (value >= 0) expect(new WireReader(new MemorySource(bytes)).uint()).toBe(value);
      }),
    );
  });

  it('may be longer than needed, up to ten bytes', () => {
    expect(reader(0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00).int64()).toBe(5);
    expect(reader(0x85, 0x80, 0x00).uint()).toBe(5);
  });

  it('drop bits beyond 64, as protobuf does', () => {
    expect(reader(...NINE, 0x7f).int64()).toBe(-1);
  });

  it('of eleven bytes are refused', () => {
    const eleven = [...NINE, 0x81, 0x00];
    expect(() => reader(...eleven).int64()).toThrowError(expect.objectContaining({ code: 'ONNX_MALFORMED' }));
    expect(() => reader(...eleven).uint()).toThrowError(expect.objectContaining({ code: 'ONNX_MALFORMED' }));
  });

  it('that are lengths must be exact', () => {
    expect(() => reader(...NINE, 0x01).uint()).toThrowError(
      expect.objectContaining({ code: 'ONNX_MALFORMED' }),
    );
  });

  it('that are cut off say where', () => {
    expect(() => reader(0x80, 0x80).int64()).toThrowError(
      expect.objectContaining({ code: 'ONNX_TRUNCATED', where: { offset: 2 } }),
    );
  });

  it('are truncated to 32 bits where the field is narrower', () => {
    expect(reader(...written((w) => w.int64(-5))).int32()).toBe(-5);
    expect(reader(...written((w) => w.int64(2 ** 32 + 7))).int32()).toBe(7);
    expect(reader(...written((w) => w.int64(2 ** 31))).int32()).toBe(-(2 ** 31));
  });
});

describe('other scalars', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.float(), fc.double(), (x, y) => {
        const bytes = written((w) => {
          w.float(x);
          w.double(y);
        });
        const read = new WireReader(new MemorySource(bytes));
        expect(read.float()).toBe(x);
        expect(read.double()).toBe(y);
      }),
    );
  });

  it('that are texts keep every character, and bytes that are none are noticed', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = new TextEncoder().encode(text);
        expect(new WireReader(new MemorySource(bytes)).text(bytes.length)).toBe(text);
      }),
    );
    expect(reader(0xef, 0xbb, 0xbf, 0x61).text(4)).toBe('\ufeffa');
    expect(reader(0xff, 0x61).text(2)).toBeUndefined();
    expect(reader(...new Array<number>(60).fill(0xc3)).text(60)).toBeUndefined();
  });
});

describe('reading through a window', () => {
  const values = fc.array(fc.tuple(fc.maxSafeInteger(), fc.string({ maxLength: 30 })), { maxLength: 40 });

  it('gives the same for every size of window', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 64 }), (list, windowBytes) => {
        const bytes = written((w) => {
          for (const [number, text] of list) {
            w.int64(number);
            w.double(number);
            const encoded = new TextEncoder().encode(text);
            w.uint(encoded.length);
            w.bytes(encoded);
          }
        });
        const read = new WireReader(new SlowSource(bytes, windowBytes));
        for (const [number, text] of list) {
          expect(read.int64()).toBe(number);
          expect(read.double()).toBe(number);
          expect(read.text(read.uint())).toBe(text);
        }
        expect(read.offset).toBe(bytes.length);
      }),
    );
  });

  it('does not touch what is skipped', () => {
    const source = new SlowSource(new Uint8Array(10_000_000).fill(1), 1024 * 1024);
    const read = new WireReader(source);
    for (let i = 0; i < 9; i++) {
      read.seek(i * 1_000_000);
      expect(read.int64()).toBe(1);
    }
    expect(source.bytesRead).toBeLessThan(100_000);
  });

  it('goes back as well as forth', () => {
    const read = new WireReader(
      new SlowSource(
        Uint8Array.from({ length: 100 }, (_, i) => i),
        8,
      ),
    );
    read.seek(90);
    expect(read.uint()).toBe(90);
    read.seek(3);
    expect(read.uint()).toBe(3);
  });
});

describe('WireWriter', () => {
  it('keeps large pieces as they are, in order', () => {
    const large = new Uint8Array(5000).fill(7);
    const writer = new WireWriter();
    writer.uint(1);
    writer.bytes(large);
    writer.uint(2);
    expect(writer.length).toBe(5002);
    expect(writer.pieces().map((p) => p.length)).toEqual([1, 5000, 1]);
    expect(writer.pieces()[1]).toBe(large);
    expect(writer.finish()).toEqual(Uint8Array.from([1, ...large, 2]));
  });

  it('puts the length before nested messages, small and large', () => {
    const nested = written((w) => {
      w.message((inner) => {
        inner.tag(1, 0);
        inner.uint(300);
      });
      w.message((inner) => inner.message((innermost) => innermost.uint(7)));
    });
    expect([...nested]).toEqual([3, 8, 0xac, 0x02, 2, 1, 7]);
    const large = Uint8Array.from({ length: 5000 }, (_, i) => i % 251);
    const both = written((w) => {
      for (const last of [1, 2]) {
        w.message((inner) => {
          inner.bytes(large);
          inner.uint(last);
        });
      }
    });
    expect(both).toEqual(Uint8Array.from([0x89, 0x27, ...large, 1, 0x89, 0x27, ...large, 2]));
  });

  it('keeps what many small numbers grow to when the next message is written', () => {
    const filled = (first: number) => (inner: WireWriter) => {
      for (let i = 0; i < 4500; i++) inner.uint((first + i) % 128);
    };
    const expected = (first: number) => Array.from({ length: 4500 }, (_, i) => (first + i) % 128);
    const bytes = written((w) => {
      w.message(filled(1));
      w.message(filled(2));
    });
    expect(bytes).toEqual(Uint8Array.from([0x94, 0x23, ...expected(1), 0x94, 0x23, ...expected(2)]));
  });

  it.each(['', 'conv1.weight', 'größe', 'x'.repeat(127), 'y'.repeat(128), '層'.repeat(60)])(
    'writes the text %s as UTF-8 with its length',
    (text) => {
      const bytes = new TextEncoder().encode(text);
      const expected = new WireWriter();
      expected.uint(bytes.length);
      expected.bytes(bytes);
      expect(written((w) => w.text(text))).toEqual(expected.finish());
    },
  );
});
