import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { memoryLimits } from './memory-limit.js';

const WORKERS = [1, 2, 3, 8, 64];

it('keeps all workers together within what was given', () => {
  for (const workers of WORKERS) {
    const { memory, mostMemory } = memoryLimits(8e9, workers);
    expect(memory * workers).toBeCloseTo(8e9, 0);
    expect(mostMemory).toBeUndefined();
  }
});

it('keeps all workers together within 60% of the machine', () => {
  for (const workers of WORKERS) {
    const { memory, mostMemory = 0 } = memoryLimits(undefined, workers);
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThanOrEqual(mostMemory);
    expect(mostMemory * workers).toBeLessThanOrEqual(0.6 * totalmem() + 1);
  }
});
