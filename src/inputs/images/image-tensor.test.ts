// Against Pillow and PyTorch: verify/golden/images.py.
import { describe, expect, it } from 'vitest';
import { bytesOf, normalised, resizing } from './golden-images.testing.js';
import { resized, writeImage } from './image-tensor.js';
import { decodePng } from './png.js';

const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };

function expectNear(found: ArrayLike<number>, expected: readonly number[], tolerance: number): void {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(found[i]! - value)).toBeLessThan(tolerance);
  });
}

describe('images as tensors', () => {
  it.each(resizing.map((c) => [c.width, c.height, c.toWidth, c.toHeight, c] as const))(
    'resizes %ix%i to %ix%i as Pillow does',
    (width, height, toWidth, toHeight, { samples, resized: by }) => {
      const picture = { width, height, channels: 1 as const, max: 255, samples: Uint8Array.from(samples) };
      expectNear(resized(picture, 0, toHeight, toWidth), by, 1e-4);
    },
  );

  it.each(normalised.map((c) => [c.name, c.channels, c.tensor] as const))(
    'makes a tensor of %s with %i channels',
    (name, channels, tensor) => {
      const picture = decodePng(bytesOf(name));
      const shape = { channels, height: 4, width: 5 };
      const found = new Float32Array(channels * 20 + 1);
      writeImage(picture, { ...shape, isChannelsLast: false }, IMAGENET, found, 1);
      expectNear(found.subarray(1), tensor, 4e-6);
      const last = new Float32Array(channels * 20);
      writeImage(picture, { ...shape, isChannelsLast: true }, IMAGENET, last);
      const moved = tensor.map((_, i) => tensor[(i % channels) * 20 + Math.floor(i / channels)]!);
      expectNear(last, moved, 4e-6);
    },
  );

  it('scales 16 bits and small depths to the same range', () => {
    const none = { mean: [0], std: [1] };
    const shape = { channels: 3 as const, height: 1, width: 2, isChannelsLast: true };
    for (const [max, samples] of [
      [1, Uint8Array.of(0, 1)],
      [255, Uint8Array.of(0, 255)],
      [65_535, Uint16Array.of(0, 65_535)],
    ] as const) {
      const found = new Float32Array(6);
      writeImage({ width: 2, height: 1, channels: 1, max, samples }, shape, none, found);
      expect([...found]).toEqual([0, 0, 0, 1, 1, 1]);
    }
  });
});
