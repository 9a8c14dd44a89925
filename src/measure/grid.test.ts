import { describe, expect, it } from 'vitest';
import { casesOf } from './grid.js';

describe('casesOf', () => {
  it('is one case by default', () => {
    expect(casesOf({})).toEqual([
      { sizes: {}, settings: { threads: 1, provider: 'cpu', optimization: 'all' }, label: '' },
    ]);
  });

  it('combines all lists, and names what differs', () => {
    const cases = casesOf({
      batches: [1, 8],
      threads: [1, 2],
      dims: { seq: [64] },
      sizes: { resolution: 32 },
    });
    expect(cases.map(({ label }) => label)).toEqual([
      'batch 1, 1 thread',
      'batch 1, 2 threads',
      'batch 8, 1 thread',
      'batch 8, 2 threads',
    ]);
    expect(cases[3]).toMatchObject({
      sizes: { batch: 8, dims: { seq: 64 }, resolution: 32 },
      settings: { threads: 2 },
    });
  });

  it('keeps the shapes of several inputs', () => {
    const cases = casesOf({
      shapes: {
        x: [
          [1, 3],
          [2, 3],
        ],
        y: [[1, 5]],
      },
      optimizations: ['all', 'disabled'],
    });
    expect(cases).toHaveLength(4);
    expect(cases[3]).toMatchObject({
      sizes: { shapes: { x: [2, 3], y: [1, 5] } },
      settings: { optimization: 'disabled' },
      label: 'x=2x3, optimization disabled',
    });
  });
});
