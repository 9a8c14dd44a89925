import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { md5 } from './md5.js';

describe('md5', () => {
  // The test suite of RFC 1321, appendix A.5.
  it.each([
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['a', '0cc175b9c0f1b6a831c399e269772661'],
    ['abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    ['abcdefghijklmnopqrstuvwxyz', 'c3fcd3d76192e4007dfb496cca67e13b'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 'd174ab98d277d9f5a5611c2c9f419d9f'],
    [
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      '57edf4a22be3c955ac49da2e2107b67a',
    ],
  ])('of %j is that of RFC 1321', (text, digits) => {
    expect(md5(text)).toBe(digits);
  });

  const ofNode = (text: string): string => createHash('md5').update(text).digest('hex');

  it("is Node's for every length up to some blocks, and for long texts", () => {
    for (const length of [...Array(300).keys(), 5000, 100_000]) {
      expect(md5('x'.repeat(length))).toBe(ofNode('x'.repeat(length)));
    }
  });

  it("is Node's for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(md5(text)).toBe(ofNode(text));
      }),
    );
  });
});
