// Arrays as np.save writes them, for tests.
import { writeFileSync } from 'node:fs';

export function writeNpy(
  path: string,
  type: 'f4' | 'i8',
  dims: readonly number[],
  values: readonly number[],
): string {
  const text = `{'descr': '<${type}', 'fortran_order': False, 'shape': (${dims.join(', ')},), }`;
  const start = Buffer.from(`\x93NUMPY\x01\x00v\x00${text.padEnd(117)}\n`, 'latin1');
  const data = type === 'f4' ? Float32Array.from(values) : BigInt64Array.from(values, BigInt);
  writeFileSync(path, Buffer.concat([start, Buffer.from(data.buffer)]));
  return path;
}
