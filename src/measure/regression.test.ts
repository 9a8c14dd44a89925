import { describe, expect, it } from 'vitest';
import { regressionOf } from './regression.js';

const blocks = (...times: number[]) => times.map((ms) => ({ runs: 50, wallMs: ms, cpuMs: ms / 2 }));
const baseline = blocks(100, 101, 99, 100.5, 99.5);
const options = { limit: 0.05, clock: 'wall' as const };

describe('regressionOf', () => {
  it('fails only what is slower for certain', () => {
    expect(regressionOf(blocks(110, 111, 109, 110, 110), baseline, options)?.verdict).toBe('slower');
    expect(regressionOf(blocks(101, 102, 100, 101, 101), baseline, options)?.verdict).toBe('not slower');
    expect(regressionOf(blocks(100, 120, 105, 99, 112), baseline, options)?.verdict).toBe('uncertain');
  });

  it('needs two blocks of each side, with times of the clock', () => {
    expect(regressionOf(blocks(100), baseline, options)).toBeUndefined();
    const elsewhere = baseline.map((block) => ({ ...block, cpuMs: undefined }));
    expect(regressionOf(elsewhere, baseline, { ...options, clock: 'cpu' })).toBeUndefined();
  });
});
