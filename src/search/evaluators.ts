// Evaluators: a table, a score that is taken for the truth, several evaluators together.
import type { Table } from '../datasets/table.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { Evaluated, Evaluator, Outcome, Scorer } from './contract.js';
import { type Cost, costScorer } from './costs.js';
import { inBatches } from './evaluating.js';
import { scored } from './scorers.js';
import { TableRows } from './table-rows.js';

/**
 * Looks labels up in a table; each is an objective. An architecture that is not in it is an error: search in
 * `tableSpace` to meet none.
 */
export function tableEvaluator(space: AnySpace, table: Table, labels: readonly string[]): Evaluator {
  if (labels.length === 0) throw new AuspexError('LABEL_MISSING', 'no label to search by was given');
  const columns = labels.map((label) => table.column(label));
  const objectives = labels.map((name) => {
    const { better, unit } = table.label(name);
    return { name, better, ...(unit === '' ? {} : { unit }) };
  });
  const rows = TableRows.of(space, table, labels);
  return inBatches({ name: `table ${labels.join(',')}`, objectives }, async (networks) =>
    networks.map(({ arch, ref }): Outcome => {
      const row = arch && rows.rowOf(arch.text, arch.value);
      if (row !== undefined) return { values: columns.map((column) => column[row]!) };
      const message = `'${printableStart(arch?.text ?? ref, 80)}' is not in the table`;
      return { error: { code: 'ARCH_NOT_IN_TABLE', message } };
    }),
  );
}

/**
 * Takes a score for the truth: the search then spends its budget on a proxy.
 *
 * @param size of batches: few where a score is expensive, as a batch is lost when a search is killed
 */
export function scorerEvaluator(scorer: Scorer, size?: number): Evaluator {
  return inBatches(
    { name: scorer.name, objectives: [{ name: scorer.name, better: scorer.better }] },
    async (networks, signal) => {
      const scores = await scored(scorer, networks, signal);
      // Asked for one network alone, a proxy says why there is no score.
      if (networks.length > 1 && scores.some(Number.isNaN)) throw new Error('some have no score');
      return Array.from(scores, (value) => ({ values: [value] }));
    },
    size,
  );
}

/** What networks cost, less being better. */
export function costEvaluator(what: Cost): Evaluator {
  return scorerEvaluator({ ...costScorer(what, 'lower'), name: what });
}

/** All objectives of all evaluators, such as an accuracy from a table and a latency from a predictor. */
export function joinedEvaluator(evaluators: readonly Evaluator[]): Evaluator {
  const [first, ...others] = evaluators;
  if (first === undefined) throw new AuspexError('EVALUATOR_MISSING', 'no evaluator was given');
  if (others.length === 0) return first;
  const rest = joinedEvaluator(others);
  return {
    name: evaluators.map(({ name }) => name).join(' and '),
    objectives: evaluators.flatMap(({ objectives }) => objectives),
    async *evaluate(networks, signal) {
      for await (const group of first.evaluate(networks, signal)) {
        const failed = group.filter(({ outcome }) => 'error' in outcome);
        if (failed.length > 0) yield failed;
        const left = group.filter(({ outcome }) => 'values' in outcome);
        const again = left.map(({ place }) => networks[place]!);
        if (left.length === 0) continue;
        for await (const found of rest.evaluate(again, signal)) {
          yield found.map((other) => joined(left[other.place]!, other));
        }
      }
    },
  };
}

function joined(one: Evaluated, other: Evaluated): Evaluated {
  const outcome: Outcome =
    'values' in one.outcome && 'values' in other.outcome
      ? { values: [...one.outcome.values, ...other.outcome.values] }
      : other.outcome;
  return { place: one.place, outcome, seconds: one.seconds + other.seconds };
}
