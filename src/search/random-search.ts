// Random search: architectures as the space draws them. What every other strategy must beat (Li & Talwalkar 2019).
import type { Proposal, Strategy } from './contract.js';

/** Nothing depends on trials, so this only bounds how many can run at once. */
const BATCH = 64;

export function randomSearch(): Strategy {
  return {
    name: 'random',
    options: {},
    async *propose({ candidates, random }) {
      for (;;) {
        const batch: Proposal[] = [];
        while (batch.length < BATCH) batch.push({ arch: await candidates.sample(random), by: 'sample' });
        yield batch;
      }
    },
  };
}
