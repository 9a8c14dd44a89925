import { describe, expect, it } from 'vitest';
import { duration } from './progress.js';

describe('duration', () => {
  it.each([
    [12.4, '12 s'],
    [200, '3 min 20 s'],
    [7500, '2 h 5 min'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
