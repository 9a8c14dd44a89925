import { describe, expect, it } from 'vitest';
import { untilStopped } from './signals.js';

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
