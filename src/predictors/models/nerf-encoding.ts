// Whole numbers as sines and cosines at high frequencies: how NAR-Former V2 writes operations of cells and their places.
// Those of networks, at low frequencies, are `waves`.

/**
 * `exact`: as the formula has it. `released`: with the rounding of the released code, which computes in float32; at
 * such frequencies that makes fixed arbitrary numbers of it.
 */
export type NerfVariant = 'exact' | 'released';

/**
 * The `nerf` code of a whole number v, 2·m numbers: sin(π·f_j·v), cos(π·f_j·v) with m frequencies f_j at equal
 * distances from 1 to 2^(m−1).
 *
 * Whole turns are taken off before rounding. For m = 32 what is left of f_j is 1 + j/31, so that neighbouring numbers
 * get codes that are apart by a little at every frequency.
 */
export function nerfCode(v: number, frequencies: number, variant: NerfVariant = 'exact'): number[] {
  const steps = frequencies - 1;
  const last = 2 ** steps;
  return Array.from({ length: frequencies }, (_, j) => {
    if (variant === 'exact') {
      // v·f_j in units of 1/(m − 1), which are whole; 2·(m − 1) of them are a turn.
      const units = (v * steps + v * j * (last - 1)) % (2 * steps);
      return (units / steps) * Math.PI;
    }
    const frequency = 1 + (j * (last - 1)) / steps;
    return Math.fround(Math.fround(v * Math.fround(Math.PI)) * Math.fround(frequency));
  }).flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
}

/** The `nerf` codes of 0, 1, …, (count, 2·m). */
export function nerfTable(count: number, frequencies: number, variant: NerfVariant): Float32Array {
  return Float32Array.from(Array.from({ length: count }, (_, v) => nerfCode(v, frequencies, variant)).flat());
}
