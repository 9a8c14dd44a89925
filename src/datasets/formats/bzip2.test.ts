// Against what Python's bz2 packed (verify/golden/official_formats.py).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AuspexError } from '../../util/errors.js';
import { codeOf } from '../../util/errors.testing.js';
import { Random } from '../../util/random.js';
import { bunzip2 } from './bzip2.js';

interface Case {
  readonly name: string;
  readonly unit: string;
  readonly times: number;
  readonly packed: string;
}

const CASES: readonly Case[] = JSON.parse(
  readFileSync(new URL('./fixtures/bzip2.json', import.meta.url), 'utf8'),
);

function unpack(packed: Uint8Array, chunk = packed.length, maxBytes?: number): Buffer {
  const chunks = Array.from({ length: Math.ceil(packed.length / chunk) }, (_, i) =>
    packed.subarray(i * chunk, (i + 1) * chunk),
  );
  return Buffer.concat([...bunzip2(chunks, maxBytes)]);
}

const packedOf = (name: string): Uint8Array =>
  Buffer.from(CASES.find((c) => c.name === name)!.packed, 'base64');

describe('bunzip2', () => {
  it.each(CASES)('unpacks $name', ({ unit, times, packed }) => {
    const data = Buffer.concat(Array.from({ length: times }, () => Buffer.from(unit, 'hex')));
    const bytes = Buffer.from(packed, 'base64');
    expect(unpack(bytes).equals(data)).toBe(true);
    expect(unpack(bytes, 1).equals(data)).toBe(true);
  });

  it('refuses a file that is cut off anywhere', () => {
    const packed = packedOf('text, level 9');
    for (let length = 0; length < packed.length; length++) {
      expect(
        codeOf(() => unpack(packed.subarray(0, length), 64)),
        `${length} bytes`,
      ).toMatch(/^BZIP2_/);
    }
  });

  it('notices changed bits', () => {
    const random = Random.seeded(2);
    const packed = packedOf('noise, level 1');
    for (let i = 0; i < 400; i++) {
      const changed = Uint8Array.from(packed);
      // After the fourth byte, the size of blocks: a larger one changes nothing. Before the last, which is filled up.
      changed[4 + random.below(packed.length - 5)]! ^= 1 << random.below(8);
      expect(codeOf(() => unpack(changed))).toMatch(/^BZIP2_/);
    }
  });

  it('survives random bytes after a good beginning', () => {
    const random = Random.seeded(1);
    const packed = packedOf('noise, level 9');
    for (let i = 0; i < 300; i++) {
      const changed = Uint8Array.from(packed);
      const from = 4 + random.below(60);
      for (let at = from; at < changed.length; at++) changed[at] = random.below(256);
      expect(codeOf(() => unpack(changed))).toMatch(/^BZIP2_/);
    }
  });

  it('stops at the limit it was given', () => {
    const packed = packedOf('a long run, level 9');
    expect(packed.length).toBeLessThan(100);
    expect(codeOf(() => unpack(packed, packed.length, 4999))).toBe('BZIP2_LIMIT');
    expect(unpack(packed, packed.length, 5000).length).toBe(5000);
  });

  it('says where a file is damaged', () => {
    const packed = Uint8Array.from(packedOf('text, level 9'));
    packed[20]! ^= 0xff;
    expect(() => unpack(packed)).toThrow(AuspexError);
    try {
      unpack(packed);
    } catch (error) {
      expect((error as AuspexError).where.offset).toBeGreaterThan(20);
    }
  });
});
