import { describe, expect, it } from 'vitest';
import { type LayeredResult, layered } from './layered.js';

function drawn(count: number, edges: readonly number[], width = 60): LayeredResult {
  const sizes = { widths: new Float64Array(count).fill(width), heights: new Float64Array(count).fill(20) };
  return layered({ ...sizes, order: Array.from({ length: count }, (_, i) => i), edges, gapX: 10, gapY: 20 });
}

/** Pairs of boxes that lie on each other. */
function overlaps({ x, y }: LayeredResult, width = 60, height = 20): number {
  const boxes = Array.from(x, (left, i) => [left, y[i]!] as const).sort((a, b) => a[1] - b[1]);
  let found = 0;
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length && boxes[j]![1] - boxes[i]![1] < height; j++) {
      if (Math.abs(boxes[i]![0] - boxes[j]![0]) < width - 1e-6) found++;
    }
  }
  return found;
}

describe('a layered drawing', () => {
  it('puts a chain into one column', () => {
    const { x, y, width, height } = drawn(4, [0, 1, 1, 2, 2, 3]);
    expect([...x]).toEqual([30, 30, 30, 30]);
    expect([...y]).toEqual([10, 50, 90, 130]);
    expect([width, height]).toEqual([60, 140]);
  });

  it('leads edges downwards, and past what they do not join', () => {
    // A block with a shortcut: 0 → 1 → 2 → 3, 0 → 3.
    const { y, bends } = drawn(4, [0, 1, 1, 2, 2, 3, 0, 3]);
    expect(y[3]).toBeGreaterThan(y[2]!);
    expect(bends[3]).toHaveLength(4);
    expect(bends.slice(0, 3).flat()).toEqual([]);
  });

  it('turns edges against the order of running round', () => {
    const { y } = drawn(3, [0, 1, 1, 2, 2, 0]);
    expect(y[0]).toBeLessThan(y[1]!);
    expect(y[1]).toBeLessThan(y[2]!);
  });

  it('lays no box on another', () => {
    const edges: number[] = [];
    for (let i = 1; i < 300; i++) edges.push((i * 7919) % i, i, Math.floor(i / 3), i);
    expect(overlaps(drawn(300, edges))).toBe(0);
  });

  it('needs no more lines for a value that everything reads', () => {
    const count = 3000;
    const edges: number[] = [];
    for (let i = 1; i < count; i++) edges.push(i - 1, i, 0, i);
    const start = performance.now();
    const { height } = drawn(count, edges);
    expect(height).toBe(count * 40 - 20);
    // A chain of bends for every edge would be 4.5 million; it takes a fraction of a second without.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('draws nothing of nothing', () => {
    expect(drawn(0, [])).toMatchObject({ width: 0, height: 0, bends: [] });
  });
});
