// A picture as a network takes it: resized, in its channels, scaled to 0..1 and normalised.
import type { Picture } from './picture.js';

/** An image input of a network: (channels, height, width), or the channels last. */
export interface ImageShape {
  readonly channels: 1 | 3;
  readonly height: number;
  readonly width: number;
  readonly isChannelsLast: boolean;
}

/** What is subtracted from samples of 0..1 and what they are divided by: one number, or one a colour. */
interface Normalisation {
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** Grey is this much of red, green and blue (ITU-R BT.601, as Pillow and torchvision have it). */
const LUMA = [0.299, 0.587, 0.114] as const;

/** Written to `out` from `offset` on. A grey network takes the mean of three numbers of a normalisation. */
export function writeImage(
  picture: Picture,
  shape: ImageShape,
  { mean, std }: Normalisation,
  out: Float32Array,
  offset = 0,
): void {
  const { channels, height, width, isChannelsLast } = shape;
  const planes = inChannels(
    Array.from({ length: picture.channels }, (_, c) => resized(picture, c, height, width)),
    channels,
  );
  const [shift, scale] = [mean, std].map((values) => perChannel(values, channels)) as [number[], number[]];
  const pixels = height * width;
  for (let c = 0; c < channels; c++) {
    const plane = planes[c]!;
    for (let i = 0; i < pixels; i++) {
      const at = offset + (isChannelsLast ? i * channels + c : c * pixels + i);
      out[at] = (plane[i]! / picture.max - shift[c]!) / scale[c]!;
    }
  }
}

/** Colours of a grey picture are equal; grey of a coloured one is its brightness. */
function inChannels(planes: readonly Float64Array[], channels: 1 | 3): readonly Float64Array[] {
  if (planes.length === channels) return planes;
  if (channels === 3) return [planes[0]!, planes[0]!, planes[0]!];
  return [planes[0]!.map((_, i) => LUMA.reduce((sum, part, c) => sum + part * planes[c]![i]!, 0))];
}

function perChannel(values: readonly number[], channels: number): number[] {
  if (values.length === channels) return [...values];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return new Array<number>(channels).fill(mean);
}

/** One channel, first along rows and then along columns. What Pillow's BILINEAR gives for floats. */
export function resized(picture: Picture, channel: number, height: number, width: number): Float64Array {
  const { samples, channels } = picture;
  const narrow = new Float64Array(picture.height * width);
  const columns = tapsOf(picture.width, width);
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < width; x++) {
      const { first, weights } = columns[x]!;
      let at = (y * picture.width + first) * channels + channel;
      let sum = 0;
      for (let k = 0; k < weights.length; k++, at += channels) sum += weights[k]! * samples[at]!;
      narrow[y * width + x] = sum;
    }
  }
  const out = new Float64Array(height * width);
  tapsOf(picture.height, height).forEach(({ first, weights }, y) => {
    for (let k = 0; k < weights.length; k++) {
      const from = (first + k) * width;
      for (let x = 0; x < width; x++) out[y * width + x]! += weights[k]! * narrow[from + x]!;
    }
  });
  return out;
}

/** The samples that one of the result is made of, and how much of each. */
interface Taps {
  readonly first: number;
  readonly weights: readonly number[];
}

/**
 * A triangle around the centre of each new sample, pixels being intervals of length 1 (half-pixel centres). Shrinking
 * widens it to the distance of new samples, so that all old ones count.
 */
function tapsOf(from: number, to: number): Taps[] {
  const step = from / to;
  const reach = Math.max(step, 1);
  return Array.from({ length: to }, (_, i) => {
    const centre = (i + 0.5) * step;
    const first = Math.max(0, Math.floor(centre - reach + 0.5));
    const last = Math.min(from, Math.floor(centre + reach + 0.5));
    const raw = Array.from({ length: last - first }, (_, k) =>
      Math.max(0, 1 - Math.abs(first + k + 0.5 - centre) / reach),
    );
    const sum = raw.reduce((total, weight) => total + weight, 0);
    return { first, weights: raw.map((weight) => weight / sum) };
  });
}
