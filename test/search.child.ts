// A small search that search-resume.test.ts kills: LOG RESULT STRATEGY. Prints the index of each trial that it begins;
// at the end all trials go to RESULT.
import { writeFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Network } from '../src/networks/index.js';
import { oneByOne } from '../src/search/evaluating.js';
import { runSearch } from '../src/search/run.js';
import { agingEvolution } from '../src/search/strategies/aging-evolution.js';
import { etas } from '../src/search/strategies/etas.js';
import { localSearch } from '../src/search/strategies/local-search.js';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { TrialLog } from '../src/store/trial-log.js';
import { digest } from '../src/util/digest.js';

const [path, result, name] = process.argv.slice(2) as [string, string, string];
const noise = (text: string): number => Number.parseInt(digest(text).slice(0, 8), 16) / 2 ** 32;

const scorer = {
  name: 'noise',
  better: 'higher' as const,
  score: async (list: readonly Network[]) => {
    await setTimeout(5);
    return Float64Array.from(list, ({ arch }) => noise(`score ${arch!.text}`));
  },
};
const strategies = {
  etas: etas(scorer, { pool: 50, candidates: 20, patience: 10 }),
  evolution: agingEvolution({ population: 8, tournament: 3, children: 2 }),
  local: localSearch(),
};

const log = TrialLog.open(path, { resume: true });
const { trials, end } = await runSearch({
  space: nasBench201,
  evaluator: oneByOne(
    { name: 'noise', objectives: [{ name: 'noise', better: 'higher' }] },
    async (network) => {
      const { text } = network.arch!;
      writeSync(1, 'evaluates\n');
      await setTimeout(2 + 6 * noise(`time ${text}`));
      if (noise(text) < 0.1) throw new Error('made to fail');
      return [noise(text)];
    },
    2,
  ),
  strategy: strategies[name as keyof typeof strategies],
  budget: 33,
  seed: 7,
  log,
});
log.close();
writeFileSync(result, JSON.stringify({ end, trials: trials.map(({ seconds, ...rest }) => rest) }));
