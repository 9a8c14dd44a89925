import { describe, expect, it } from 'vitest';
import { duration, untilStopped } from './progress.js';

describe('untilStopped', () => {
  it('gives the signal when the process is told to stop', async () => {
    const stopped = await untilStopped(async (signal) => {
      process.emit('SIGTERM');
      return signal.aborted;
    });
    expect(stopped).toBe(true);
  });

  it('listens no longer than the work takes, whichever way it ends', async () => {
    const before = ['SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name));
    await untilStopped(async () => 'done');
    await expect(untilStopped(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(['SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name))).toEqual(before);
  });
});

describe('duration', () => {
  it.each([
    [12.4, '12 s'],
    [200, '3 min 20 s'],
    [7500, '2 h 5 min'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
