import { expect, it } from 'vitest';
import { type StrategyCase, testStrategy } from './conformance.testing.js';
import { agingEvolution } from './strategies/aging-evolution.js';
import { etas } from './strategies/etas.js';
import { localSearch } from './strategies/local-search.js';
import { randomSearch } from './strategies/random-search.js';
import { STRATEGIES, type StrategyOptions, strategyNamed } from './strategies/registry.js';
import { digitEmbedding, digitSpace, scorerOf, searchDigits, sumOf, unordered } from './toy.testing.js';

/** A score that says something, but not all. */
const rough = scorerOf((arch) => Math.floor(sumOf(arch) / 4));
const ETAS = { pool: 40, candidates: 20, rounds: 30, patience: 30 };

const LATENT = { units: 8, samples: 40 };

/** Small, so that every part comes to run; a strategy that is not here runs with its own defaults. */
const SMALL: Readonly<Record<string, StrategyOptions>> = {
  evolution: { population: 10, tournament: 4 },
  etas: ETAS,
  'etas-vit': ETAS,
  'etas-gpt': ETAS,
  gennape: { rounds: 6, top: 4, mutants: 3 },
  nsga2: { population: 8 },
  bo: { ...LATENT, starts: 6, batch: 4, epochs: 5 },
  reinforce: { ...LATENT, steps: 5 },
};

for (const [name, { takesScorer, takesEmbedding }] of STRATEGIES) {
  const [scorer, embedding] = [takesScorer ? rough : undefined, takesEmbedding ? digitEmbedding : undefined];
  testStrategy(name, { strategy: strategyNamed(name, scorer, SMALL[name], embedding) });
}

const VARIANTS: Readonly<Record<string, StrategyCase>> = {
  'evolution with 3 children': {
    strategy: agingEvolution({ population: 10, tournament: 4, children: 3 }),
  },
  'local, first': { strategy: localSearch({ move: 'first' }), isOneByOne: true },
  'etas without a score': { strategy: etas(undefined, { ...ETAS, pool: 20, candidates: 5 }) },
};
for (const [name, given] of Object.entries(VARIANTS)) testStrategy(name, given);

it('random search visits all different networks, and ends', async () => {
  const space = unordered(digitSpace(6, 4));
  const { trials, end } = await searchDigits(randomSearch(), 1000, 3, { space });
  expect([trials.length, end]).toEqual([84, 'exhausted']);
});
