// Why searches end, in words.
import type { SearchEnd } from '../../search/run.js';

export const ENDS: Readonly<Record<SearchEnd, string>> = {
  budget: 'budget spent',
  finished: 'strategy finished',
  exhausted: 'no unseen architectures left',
  stopped: 'search stopped',
};
