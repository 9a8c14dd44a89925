import { describe, expect, it } from 'vitest';
import { noiseOf } from './noise.js';

const flat = (length: number, ms: number): number[] => Array.from({ length }, (_, i) => ms + (i % 3) * 0.001);

describe('noiseOf', () => {
  it('tells a busy machine by wall time beside processor time', () => {
    expect(noiseOf(flat(40, 2), flat(40, 1), 1)).toMatchObject({ warnings: ['busy'] });
    expect(noiseOf(flat(40, 1.05), flat(40, 1), 1).warnings).toEqual([]);
    // Several threads work at once, so that the ratio says nothing.
    expect(noiseOf(flat(40, 2), flat(40, 1), 2)).toMatchObject({ wallPerCpu: undefined, warnings: [] });
  });

  it('tells drift from chance', () => {
    const slower = [...flat(30, 1), ...flat(30, 1.2)];
    expect(noiseOf(slower, slower, 1).warnings).toEqual(['drift']);
    expect(noiseOf(slower, slower, 1).drift).toBeCloseTo(0.2, 2);
    const wild = Array.from({ length: 60 }, (_, i) => 1 + (i % 2));
    expect(noiseOf(wild, wild, 1).warnings).toEqual([]);
  });
});
