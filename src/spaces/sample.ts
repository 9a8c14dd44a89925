// Architectures that are drawn from a space.
import { Random } from '../util/random.js';
import type { AnySpace } from './space.js';

/** Texts of random architectures; the same for the same seed. */
export function sampleSpace(space: AnySpace, count: number, seed: number): string[] {
  const random = Random.seeded(seed);
  return Array.from({ length: count }, () => space.format(space.sample(random)));
}
