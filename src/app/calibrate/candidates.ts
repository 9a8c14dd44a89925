// Networks that a calibration may measure: of all spaces that auspex knows, at several resolutions, so that kernels of many sizes
// are among them.

import { ArchNetwork, type Network } from '../../networks/index.js';
import { SPACES } from '../../spaces/index.js';
import type { AnySpace } from '../../spaces/space.js';
import { attempt } from '../../util/attempt.js';
import type { Random } from '../../util/random.js';
import { operatorMix } from './operator-mix.js';

export interface Candidate {
  readonly network: Network;
  /** Networks of one family are left out together when errors are found. */
  readonly family: string;
}

/** Of an image's usual side, of a text's usual length. */
const SCALES = [0.5, 0.75, 1, 1, 1, 1.25];
/** Larger ones take long to write and to load. */
const MOST_WEIGHT_BYTES = 1.2e8;
const TRIES = 50;

/** Graphs of operators that no space has. They teach kernels, but are no networks that anybody runs. */
export const OPERATORS = 'operators';

export function drawOperators(random: Random): Candidate {
  return { network: operatorMix(random), family: OPERATORS };
}

export function drawCandidate(random: Random): Candidate {
  for (let i = 0; i < TRIES; i++) {
    const space = random.pick(SPACES);
    const network = new ArchNetwork(space, space.sample(random), { resolution: resolutionOf(space, random) });
    // Not every space has networks of every size.
    const bytes = attempt(() => 4 * network.counts().parameters);
    if (bytes !== undefined && bytes <= MOST_WEIGHT_BYTES) return { network, family: space.name };
  }
  const [space] = SPACES;
  return { network: new ArchNetwork(space!, space!.sample(random)), family: space!.name };
}

function resolutionOf({ defaults }: AnySpace, random: Random): number {
  const scaled = defaults.resolution * random.pick(SCALES);
  return Math.max(16, Math.round(scaled / 16) * 16);
}
