// Who tells the true value of an architecture: a table, or what is taken for the truth.
import type { Table } from '../datasets/table.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { type Evaluator, objectivesOf, type Scorer } from './contract.js';
import { scored } from './scorers.js';
import { TableRows } from './table-rows.js';

/**
 * Looks labels of a table up; with several, each is an objective. An architecture that is not in it is an error:
 * search in `tableSpace` to meet none.
 */
export function tableEvaluator(space: AnySpace, table: Table, labels: readonly string[]): Evaluator {
  const columns = labels.map((label) => table.column(label));
  const objectives = labels.map((name) => ({
    name,
    better: table.label(name).better,
  }));
  const first = objectives[0];
  if (first === undefined) throw new AuspexError('LABEL_MISSING', 'no label to search by was given');
  const rows = TableRows.of(space, table, labels);
  return {
    name: `table ${labels.join(',')}`,
    better: first.better,
    objectives,
    async evaluate(arch) {
      const row = rows.rowOf(arch);
      if (row === undefined) {
        throw new AuspexError('ARCH_NOT_IN_TABLE', `'${printableStart(arch, 80)}' is not in the table`);
      }
      return { objectives: columns.map((column) => column[row]!) };
    },
  };
}

/** Takes a guess for the truth: the search then spends its budget on a proxy or a predictor. */
export function scorerEvaluator(scorer: Scorer): Evaluator {
  return {
    name: scorer.name,
    better: scorer.better,
    evaluate: async (arch, signal) => (await scored(scorer, [arch], signal))[0]!,
  };
}

/** All objectives of all evaluators, such as an accuracy from a table and a latency from a predictor. */
export function joinedEvaluator(evaluators: readonly Evaluator[]): Evaluator {
  const first = evaluators[0];
  if (first === undefined) throw new AuspexError('EVALUATOR_MISSING', 'no evaluator was given');
  return {
    name: evaluators.map(({ name }) => name).join(' and '),
    better: first.better,
    objectives: evaluators.flatMap(objectivesOf),
    async evaluate(arch, signal) {
      const objectives: number[] = [];
      for (const evaluator of evaluators) {
        const value = await evaluator.evaluate(arch, signal);
        objectives.push(...(typeof value === 'number' ? [value] : value.objectives));
      }
      return { objectives };
    },
  };
}
