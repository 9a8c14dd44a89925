import { describe, expect, it } from 'vitest';
import { nearest, tooFar } from './neighbours.js';

describe('neighbours', () => {
  it('are the three nearest, nearest first, as sorting finds them', () => {
    const distances = [0.5, 0.1, 0.9, 0.3, 0.2];
    const names = ['a', 'b', 'c', 'd', 'e'];
    expect(nearest(distances, names)).toEqual([
      { name: 'b', distance: 0.1 },
      { name: 'e', distance: 0.2 },
      { name: 'd', distance: 0.3 },
    ]);
  });

  it('have different names, each at its least distance', () => {
    expect(nearest([0.4, 0.2, 0.3, 0.1, 0.6], ['a', 'a', 'b', 'a', 'c'])).toEqual([
      { name: 'a', distance: 0.1 },
      { name: 'b', distance: 0.3 },
      { name: 'c', distance: 0.6 },
    ]);
  });

  it('are fewer where fewer are known', () => {
    expect(nearest([0.4], ['a'])).toEqual([{ name: 'a', distance: 0.4 }]);
  });

  it('beyond a distance of 1 say nothing', () => {
    expect(tooFar('net.onnx', 'GP', [{ name: 'a', distance: 1 }])).toBeUndefined();
    const error = tooFar('net.onnx', 'GP', [{ name: 'a', distance: 1.25 }]);
    expect(error?.code).toBe('NETWORK_TOO_FAR');
    expect(error?.message).toContain('no idea of net.onnx');
    expect(error?.message).toContain('a, is at a distance of 1.25');
  });
});
