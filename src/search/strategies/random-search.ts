// Random search: architectures as the space draws them. What every other strategy must beat (Li & Talwalkar 2019).
import * as z from 'zod';
import type { Strategy } from '../contract.js';

export const RANDOM_OPTIONS = z.object({});

/**
 * Nothing depends on trials, so this only bounds how many are evaluated at once. Lists grow: a small budget must not wait
 * for many samples that a constraint allows.
 */
const [FIRST_LIST, LAST_LIST] = [64, 1024];

export function randomSearch(): Strategy {
  return {
    name: 'random',
    options: {},
    async *propose({ candidates, random }) {
      for (let size = FIRST_LIST; ; size = Math.min(LAST_LIST, 2 * size)) {
        yield (await candidates.samples(size, random)).map((arch) => ({ arch, by: 'sample' }));
      }
    },
  };
}
