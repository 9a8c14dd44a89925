import { describe, expect, it } from 'vitest';
import { golden } from './nar-former-v2.testing.js';
import { nerfCode, nerfTable } from './nerf-encoding.js';

describe('nerfCode', () => {
  it.each(golden.nerf)(
    'of $v is that of exact fractions, and of float32 products',
    ({ v, exact, released }) => {
      nerfCode(v, 32).forEach((x, k) => void expect(x).toBeCloseTo(exact[k]!, 8));
      nerfCode(v, 32, 'released').forEach((x, k) => void expect(x).toBeCloseTo(released[k]!, 8));
      expect(exact.length).toBe(64);
    },
  );

  // Frequencies 1, 2.5 and 4: of 1 they are 180, 450 and 720 degrees.
  it('is right where it can be seen', () => {
    const code = nerfCode(1, 3);
    [0, -1, 1, 0, 0, 1].forEach((x, k) => void expect(code[k]).toBeCloseTo(x, 12));
  });

  it('tells operations and places apart', () => {
    const distance = (a: readonly number[], b: readonly number[]): number =>
      Math.hypot(...a.map((x, k) => x - b[k]!));
    for (const variant of ['exact', 'released'] as const) {
      const codes = Array.from({ length: 32 }, (_, v) => nerfCode(v, 32, variant));
      for (const [v, code] of codes.entries()) {
        for (const other of codes.slice(v + 1)) expect(distance(code, other)).toBeGreaterThan(1);
      }
    }
  });

  it('fills tables row by row', () => {
    expect([...nerfTable(3, 4, 'exact').subarray(16)]).toEqual(nerfCode(2, 4).map(Math.fround));
  });
});
