// Random search: architectures as the space draws them. What every other strategy must beat (Li & Talwalkar 2019).
import * as z from 'zod';
import type { Strategy } from '../contract.js';

export const RANDOM_OPTIONS = z.object({});

/** Nothing depends on trials, so this only bounds how many are evaluated at once. */
const LIST = 256;

export function randomSearch(): Strategy {
  return {
    name: 'random',
    options: {},
    async *propose({ candidates, random }) {
      for (;;) yield (await candidates.samples(LIST, random)).map((arch) => ({ arch, by: 'sample' }));
    },
  };
}
