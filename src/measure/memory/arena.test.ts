import { describe, expect, it } from 'vitest';
import { Arena } from './arena.js';

describe('Arena', () => {
  it('counts pages once, and only those that are written', () => {
    const arena = new Arena();
    const chunk = arena.take(100_000);
    expect(arena.touchedBytes).toBe(0);
    arena.touch(chunk, 0, 8192);
    arena.touch(chunk, 4096, 4096);
    expect(arena.touchedBytes).toBe(8192);
  });

  it('gives free memory again, neighbours as one chunk', () => {
    const arena = new Arena();
    const [a, b] = [arena.take(65_536), arena.take(65_536)];
    for (const chunk of [a, b]) arena.touch(chunk, 0, 65_536);
    arena.give(a);
    arena.give(b);
    arena.touch(arena.take(131_072), 0, 131_072);
    expect(arena.touchedBytes).toBe(131_072);
  });

  it('puts what does not fit into a region of its own', () => {
    const arena = new Arena();
    const small = arena.take(900_000);
    expect(arena.take(3_000_000).region).not.toBe(small.region);
  });
});
