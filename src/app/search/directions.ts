// Which way is better: what labels say, and what the user says, which must not contradict it.
import { meaningOf } from '../../datasets/label-names.js';
import type { Direction, Objective } from '../../search/contract.js';
import { AuspexError } from '../../util/errors.js';

/**
 * Refuses directions that contradict those of labels.
 *
 * @throws AuspexError BETTER_CONTRADICTS
 */
export function expectDirections(
  objectives: readonly Objective[],
  given: readonly (Direction | undefined)[],
  source: string,
): void {
  objectives.forEach(({ name, better }, i) => {
    if (given[i] === undefined || given[i] === better) return;
    throw new AuspexError(
      'BETTER_CONTRADICTS',
      `--better ${given[i]} contradicts ${source}: for ${name}, ${better} is better`,
      { hint: 'leave out --better, or correct the label where it is stored' },
    );
  });
}

/** What a command's labels are, as far as their names say; the rest is assumed, and said so. */
export function namedObjectives(
  labels: readonly string[],
  given: readonly Direction[],
  onNote: (note: string) => void,
): Objective[] {
  return labels.map((name, i) => {
    const { better, unit, from } = meaningOf(name);
    if (given[i] === undefined && from.length === 0) {
      onNote(`assuming that higher is better for '${name}'; use --better lower if it is not`);
    }
    return { name, better: given[i] ?? better, ...(unit === '' ? {} : { unit }) };
  });
}
