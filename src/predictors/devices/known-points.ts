// Networks that were measured, as points: their work features, standardised and rounded, so that a thousand networks take a
// few hundred kilobytes. Several devices share a set of points.
import * as z from 'zod';
import { workGroups } from './work-features.js';

export const pointsSchema = z.object({
  /** Of features, with the mean and the deviation they are standardised with. */
  features: z.array(z.object({ name: z.string(), mean: z.number(), deviation: z.number().positive() })),
  /** Names of the networks. */
  networks: z.array(z.string()),
  /** (networks, features) standardised values times `STEPS`, as 16-bit integers in base 64. */
  data: z.string(),
  /** All operators that the networks have. */
  operators: z.array(z.string()),
});
export type PointsDocument = z.infer<typeof pointsSchema>;

/** Steps of a deviation that values are rounded to. */
const STEPS = 512;
const MOST = 32767;

export interface KnownPoints {
  readonly networks: readonly string[];
  readonly operators: readonly string[];
  readonly groups: readonly (readonly number[])[];
  /** A row of the features of the set, in its order. */
  standardised(values: Readonly<Record<string, number>>): Float64Array;
  /** Between a standardised row and a point. */
  distance(row: Float64Array, point: number, lengths: readonly number[]): number;
  /** A point as a standardised row. */
  row(point: number): Float64Array;
  /** A point's features by name, rounded as the set has them. */
  features(point: number): Record<string, number>;
}

export function knownPoints({ features, networks, data, operators }: PointsDocument): KnownPoints {
  const bytes = decodeBytes(data);
  const values = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  const width = features.length;
  const groups = workGroups(features.map(({ name }) => name));
  return {
    networks,
    operators,
    groups,
    standardised: (of) =>
      Float64Array.from(features, ({ name, mean, deviation }) =>
        rounded(((of[name] ?? 0) - mean) / deviation),
      ).map((steps) => steps / STEPS),
    distance: (row, point, lengths) => {
      const start = point * width;
      let sum = 0;
      for (let g = 0; g < groups.length; g++) {
        const places = groups[g]!;
        let squares = 0;
        for (const place of places) squares += (row[place]! - values[start + place]! / STEPS) ** 2;
        sum += Math.sqrt(squares / places.length) / lengths[g]!;
      }
      return sum;
    },
    features: (point) =>
      Object.fromEntries(
        features.map(({ name, mean, deviation }, f) => [
          name,
          mean + (values[point * width + f]! / STEPS) * deviation,
        ]),
      ),
    row: (point) =>
      Float64Array.from(values.subarray(point * width, (point + 1) * width), (steps) => steps / STEPS),
  };
}

/** A feature of a set, and how it is standardised. */
export type Standard = PointsDocument['features'];

/** Means and deviations of rows of features; deviations of what never differs are 1. */
export function standardOf(rows: readonly Readonly<Record<string, number>>[]): Standard {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => {
    const mean = rows.reduce((sum, row) => sum + (row[name] ?? 0) / rows.length, 0);
    const variance = rows.reduce((sum, row) => sum + ((row[name] ?? 0) - mean) ** 2 / rows.length, 0);
    return { name, mean, deviation: variance > 1e-12 ? Math.sqrt(variance) : 1 };
  });
}

/** What is written of networks that were measured. */
export function pointsOf(
  rows: readonly {
    readonly name: string;
    readonly values: Readonly<Record<string, number>>;
    readonly operators: readonly string[];
  }[],
  standard: Standard,
): PointsDocument {
  const steps = new Int16Array(rows.length * standard.length);
  rows.forEach(({ values }, i) => {
    standard.forEach(({ name, mean, deviation }, f) => {
      steps[i * standard.length + f] = rounded(((values[name] ?? 0) - mean) / deviation);
    });
  });
  return {
    features: [...standard],
    networks: rows.map(({ name }) => name),
    data: encodeBytes(new Uint8Array(steps.buffer)),
    operators: [...new Set(rows.flatMap(({ operators }) => operators))].sort(),
  };
}

function rounded(standardised: number): number {
  return Math.max(-MOST, Math.min(MOST, Math.round(standardised * STEPS)));
}

export function encodeFloats(values: ArrayLike<number>): string {
  return encodeBytes(new Uint8Array(Float32Array.from(values).buffer));
}

export function decodeFloats(text: string): Float32Array {
  const bytes = decodeBytes(text);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function encodeBytes(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

function decodeBytes(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
