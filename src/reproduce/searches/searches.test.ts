import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { STRATEGIES } from '../../search/strategies/registry.js';
import { nasBench101 } from '../../spaces/cells/nasbench101.js';
import { Random } from '../../util/random.js';
import { SEARCHES, type SearchExperiment } from './experiment.js';
import { incumbentsAt, meanInterval, timeGrid } from './regret.js';
import { runExperiment } from './run-experiment.js';
import { regretBy, regretPlot, summarised } from './summary.js';

describe('regret over time', () => {
  const evaluations = [
    { value: 0.5, test: 0.4, seconds: 10 },
    { value: 0.7, test: 0.9, seconds: 20 },
    { value: 0.8, test: 0.6, seconds: 5 },
    { value: 0.6, test: 1, seconds: 5 },
  ];

  it('is that of the best by what strategies see, once it is evaluated', () => {
    const found = incumbentsAt([5, 10, 29, 30, 35, 100], evaluations);
    expect(found.map((one) => one?.test)).toEqual([undefined, 0.4, 0.4, 0.9, 0.6, 0.6]);
  });

  it('is looked at at twenty times for every power of ten', () => {
    const times = timeGrid(1e4, 1e6);
    expect(times.length).toBe(41);
    expect(times[20]).toBeCloseTo(1e5, 6);
  });

  it('has the interval of a mean', () => {
    const { mean, low, high } = meanInterval([1, 2, 3, 6, 3])!;
    // A sample variance of 14/4, by five runs.
    expect([mean, (high - low) / 2]).toEqual([3, expect.closeTo(1.96 * Math.sqrt(14 / 4 / 5), 12)]);
    expect(meanInterval([1, 3])).toEqual({ mean: 2, low: 2, high: 2 });
    expect(meanInterval([])).toBeUndefined();
  });
});

describe('search experiments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-searches-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const random = Random.seeded(1);
  const cells = [
    ...new Set(Array.from({ length: 60 }, () => nasBench101.format(nasBench101.sample(random)))),
  ];
  const label = { unit: 'fraction', better: 'higher', provenance: 'made up' };
  const labels = { seen: label, test: label, seconds: { ...label, unit: 's', better: 'lower' } };
  const rows = cells.map((cell, i) => `"${cell}",${i / 100},${i / 50},1000`);
  writeFileSync(
    join(folder, 'nasbench101_validation.csv'),
    `# auspex ${JSON.stringify({ table: 1, space: 'nasbench101', labels })}\narch,seen,test,seconds\n${rows.join('\n')}\n`,
  );
  const experiment: SearchExperiment = {
    ...SEARCHES[0]!,
    labels: { value: 'seen', test: 'test', seconds: 'seconds' },
    seconds: 2e4,
    entries: [{ id: 'random', name: 'random search', strategy: 'random', labelled: 9 }],
  };
  const options = {
    data: folder,
    out: join(folder, 'out'),
    draws: 6,
    version: 'test',
    open: () => Promise.reject(new Error('nothing is embedded')),
  };

  it('spend seconds of training, are done once, and are summarised', async () => {
    expect(await runExperiment(experiment, options)).toBe(6);
    expect(await runExperiment(experiment, options)).toBe(0);
    const [line] = summarised(experiment, options);
    expect([line!.seeds, line!.evaluations]).toEqual([[0, 1, 2, 3, 4, 5], 20]);
    const result = JSON.parse(readFileSync(join(options.out, 'latent-search', 'random.0.json'), 'utf8'));
    // Test accuracy is twice the one that is seen.
    expect(result.regret.at(-1)).toBeCloseTo(2 * result.seenRegret.at(-1), 9);
    const { mean, low, high } = regretBy(line!.curve!, 2e4)!;
    expect(low).toBeLessThan(mean);
    expect(mean).toBeLessThan(high);
    expect(regretBy(line!.shifted!, 2e4)!.mean).toBe(regretBy(line!.curve!, 2e4 - 1000)!.mean);
    expect(regretPlot(experiment, [line!], 'curve')).toContain('random search');
    const found = { ...line!.curve!, mean: line!.curve!.mean.map((_, i) => (i > 3 ? 0 : 0.1)) };
    expect(regretPlot(experiment, [{ ...line!, seen: found }], 'seen')).toContain('validation regret');
  });

  it('refuse results of other settings, and folders without the table', async () => {
    const other = { ...experiment, seconds: 3e4 };
    expect(() => summarised(other, options)).toThrow(expect.objectContaining({ code: 'REPRODUCE_SETTINGS' }));
    const elsewhere = { ...options, data: join(folder, 'none'), out: join(folder, 'else') };
    await expect(runExperiment(experiment, elsewhere)).rejects.toMatchObject({ code: 'REPRODUCE_DATA' });
  });

  it('have strategies that there are, with options that they take', () => {
    for (const { entries } of SEARCHES) {
      for (const { id, strategy, options: given = {}, embedding, guide } of entries) {
        expect(id).toMatch(/^[a-z0-9-]+$/);
        if (guide) continue;
        const entry = STRATEGIES.get(strategy)!;
        expect(entry.options.strict().safeParse(given).success).toBe(true);
        expect(entry.takesEmbedding === true).toBe(embedding !== undefined);
      }
    }
  });
});
