import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ioFeatures } from './io-features.js';

/** Made by verify/golden/io_data.py. */
const golden: Record<'features' | 'labels' | 'weight' | 'bias' | 'expected', number[]> & { kept: number } =
  JSON.parse(readFileSync(new URL('./fixtures/io-features.json', import.meta.url), 'utf8'));

it('reduces features as PyTorch does', () => {
  const layer = { weight: Float32Array.from(golden.weight), bias: Float32Array.from(golden.bias) };
  const found = ioFeatures(
    Float32Array.from(golden.features),
    Uint8Array.from(golden.labels),
    layer,
    golden.kept,
  );
  expect(found.length).toBe(golden.expected.length);
  found.forEach((value, i) => {
    expect(value).toBeCloseTo(golden.expected[i]!, 6);
  });
});
