import { expect, it } from 'vitest';
import { thousands } from './thousands.js';

it('thousands are separated as toLocaleString does', () => {
  for (const count of [0, 7, 999, 1000, 12_534, 344_000, 11_689_512, -4096]) {
    expect(thousands(count)).toBe(count.toLocaleString('en-US'));
  }
  expect(thousands(5n ** 20n)).toBe((5n ** 20n).toLocaleString('en-US'));
});
