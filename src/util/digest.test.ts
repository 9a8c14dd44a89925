import { describe, expect, it } from 'vitest';
import { digest } from './digest.js';

// From Python's mmh3 5: the four 32-bit words of hash128(text, seed=0, x64arch=False), each as hexadecimal.
const GOLDEN: readonly [text: string, hash: string][] = [
  ['', '00000000000000000000000000000000'],
  ['a', 'a794933c5556b01b5556b01b5556b01b'],
  ['abc', '75cdc6d1a2b006a5a2b006a5a2b006a5'],
  ['hello world', 'c0b21a8814f3c1e11c0d151a9b0c9e2c'],
  ['The quick brown fox jumps over the lazy dog', '2f1583c3ecee2c675d7bf66ce5e91d2c'],
  ['xxxxxxxxxxxxxxxx', '704be03d8792ddda072bbec09e77c845'],
  ['yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', '55148beb5e080e77276ec1721452176c'],
  ['grüße', '0f84cef3326f5a7a6b4b37086b4b3708'],
  ['0123456789abcdef0', '1f8a385560920c06b5182f1c718c0b9c'],
];

describe('digest', () => {
  it.each(GOLDEN)('is MurmurHash3 x86 128 of %j', (text, hash) => {
    expect(digest(text)).toBe(hash);
  });
});
