// Random streams of a training. Each belongs to a purpose and a position (a step, an epoch), so that any of them
// can be had again without those before it: what a training that is resumed needs.
import { digest } from '../util/digest.js';
import { Random } from '../util/random.js';

/** The stream of a purpose at a position. Positions of one purpose never share a stream. */
export function streamFor(seed: number, purpose: string, position: number): Random {
  const own = Random.seeded(seed, Number.parseInt(digest(purpose).slice(0, 8), 16));
  return Random.seeded(own.uint32(), position);
}
