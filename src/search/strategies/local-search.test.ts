import { describe, expect, it } from 'vitest';
import { digitSpace, evaluatorOf, searchDigits, sumOf } from '../toy.testing.js';
import { localSearch } from './local-search.js';

/** The hill of all threes is the higher one, but from fewer than three threes the way up leads to all zeros. */
const deceptive = (arch: string): number => {
  const threes = arch.split(',').filter((digit) => digit === '3').length;
  // A little more for each place, so that no two are equal.
  const place = arch.split(',').reduce((sum, digit, i) => sum + Number(digit) * 4 ** i, 0) / 4 ** 6;
  return (threes >= 3 ? 10 * threes : 20 - sumOf(arch)) + place / 2;
};

describe('local search', () => {
  it('goes to the best neighbour, and begins anew where none is better', async () => {
    const { trials } = await searchDigits(localSearch(), 600, 1, { evaluator: evaluatorOf(deceptive) });
    const byText = new Map(trials.map((trial) => [trial.arch, trial]));
    const starts = trials.filter(({ by }) => by === 'sample');
    expect(starts.length).toBeGreaterThan(1);
    // Follow each climb with what was evaluated: it must be what the rule says.
    const complete = starts.slice(0, -1);
    for (const start of complete) {
      let present = start;
      for (;;) {
        const around = neighboursOf(present.arch).map((arch) => byText.get(arch));
        expect(around.every((trial) => trial !== undefined)).toBe(true);
        const top = Math.max(...around.map((trial) => trial!.value!));
        if (top <= present.value!) break;
        present = around.filter((trial) => trial!.value === top)[0]!;
      }
    }
  });

  it.each(['best', 'first'] as const)('finds the highest hill by beginning anew (%s)', async (move) => {
    const { best } = await searchDigits(localSearch({ move }), 1500, 2, {
      evaluator: evaluatorOf(deceptive),
    });
    expect(best!.arch).toBe('3,3,3,3,3,3');
  });

  it('climbs with the first better neighbour in fewer evaluations than with the best', async () => {
    const until = async (move: 'best' | 'first'): Promise<number> => {
      let sum = 0;
      for (let seed = 0; seed < 10; seed++) {
        const { trials } = await searchDigits(localSearch({ move }), 400, seed, { space: digitSpace(8, 4) });
        const found = trials.findIndex(({ value }) => value === 24);
        sum += found < 0 ? 400 : found;
      }
      return sum;
    };
    expect(await until('first')).toBeLessThan(await until('best'));
  });
});

function neighboursOf(arch: string): string[] {
  const digits = arch.split(',');
  return digits.flatMap((digit, i) =>
    ['0', '1', '2', '3'].filter((d) => d !== digit).map((d) => digits.with(i, d).join(',')),
  );
}
