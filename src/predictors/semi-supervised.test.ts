import { describe, expect, it } from 'vitest';
import { batchSchedule, epochSizes, unlabelledRun } from './semi-supervised.js';

describe('the schedule of labelled and unlabelled batches', () => {
  // The numbers of the released code: 381,261 cells, 608 labelled networks with 1,000 images, batches of 32.
  const sizes = epochSizes({
    labelled: { count: 608_000 },
    unlabelled: { count: 381_261 },
    networks: 608,
    batch: 32,
  });

  it('has the sizes of the paper', () => {
    expect([sizes.labelled, sizes.unlabelled + 1, sizes.networks]).toEqual([19_000, 11_915, 19]);
    expect(unlabelledRun({ ...sizes, unlabelled: 11_915 })).toBe(206);
  });

  it('takes 300 labelled ones, then 206 unlabelled ones', () => {
    const kinds = [...batchSchedule({ ...sizes, unlabelled: 11_915 })];
    expect(kinds.length).toBe(19_000 + 11_915);
    const runs: [string, number][] = [];
    for (const kind of kinds) {
      if (runs.at(-1)?.[0] === kind) runs.at(-1)![1]++;
      else runs.push([kind, 1]);
    }
    expect(runs.slice(0, 4)).toEqual([
      ['labelled', 300],
      ['unlabelled', 206],
      ['labelled', 300],
      ['unlabelled', 206],
    ]);
    // After 57 whole rounds and a part of one more, only labelled ones are left.
    expect(runs.at(-1)).toEqual(['labelled', 19_000 - 300 * (Math.floor(11_915 / 206) + 1)]);
  });

  it('drains the other kind where one is used up', () => {
    const kinds = [...batchSchedule({ unlabelled: 4, labelled: 2, networks: 1 })];
    expect(kinds).toEqual(['labelled', 'labelled', ...Array(4).fill('unlabelled')]);
  });
});
