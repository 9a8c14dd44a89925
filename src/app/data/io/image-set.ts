// Labelled images in memory, as networks are trained on them: (count, 3, side, side), normalised.
import type { Batch } from '../../../nn/batch.js';
import type { Random } from '../../../util/random.js';

export interface ImageSet {
  readonly count: number;
  readonly side: number;
  /** (count, 3, side, side) */
  readonly pixels: Float32Array;
  /** (count), from 0. */
  readonly labels: Uint8Array;
}

/** Some images as they are. */
export function plainBatch(set: ImageSet, rows: readonly number[]): Batch {
  return batchOf(set, rows, (row, out, at) => {
    const size = 3 * set.side ** 2;
    out.set(set.pixels.subarray(row * size, (row + 1) * size), at);
  });
}

/**
 * Some images as they are trained on: mirrored with probability ½, and moved by up to an eighth of their side in both
 * directions, with zeros around (4 pixels of 32, as is usual for CIFAR).
 */
export function augmentedBatch(set: ImageSet, rows: readonly number[], random: Random): Batch {
  const { side } = set;
  const reach = Math.max(1, Math.round(side / 8));
  return batchOf(set, rows, (row, out, at) => {
    const isMirrored = random.chance(0.5);
    const [dy, dx] = [random.below(2 * reach + 1) - reach, random.below(2 * reach + 1) - reach];
    const from = row * 3 * side ** 2;
    for (let c = 0; c < 3; c++) {
      for (let y = Math.max(0, -dy); y < Math.min(side, side - dy); y++) {
        const line = from + (c * side + y + dy) * side;
        const target = at + (c * side + y) * side;
        for (let x = Math.max(0, -dx); x < Math.min(side, side - dx); x++) {
          const moved = x + dx;
          out[target + x] = set.pixels[line + (isMirrored ? side - 1 - moved : moved)]!;
        }
      }
    }
  });
}

function batchOf(
  { side, labels }: ImageSet,
  rows: readonly number[],
  write: (row: number, out: Float32Array, at: number) => void,
): Batch {
  const size = 3 * side ** 2;
  const data = new Float32Array(rows.length * size);
  for (const [i, row] of rows.entries()) write(row, data, i * size);
  return {
    images: { type: 'float32', dims: [rows.length, 3, side, side], data },
    labels: {
      type: 'int64',
      dims: [rows.length],
      data: BigInt64Array.from(rows, (row) => BigInt(labels[row]!)),
    },
  };
}
