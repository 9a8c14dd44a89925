// Why searches end, in words.
import type { SearchEnd } from '../../search/run.js';

export const ENDS: Readonly<Record<SearchEnd, string>> = {
  budget: 'the budget is spent',
  finished: 'the strategy is finished',
  exhausted: 'no unseen architectures are left',
  stopped: 'the search was stopped',
};
