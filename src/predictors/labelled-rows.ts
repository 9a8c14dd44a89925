// Rows of a table as what predictors are trained on: networks and their labels.
import type { Table } from '../datasets/table.js';
import { lazily, type Networks } from '../networks/networks.js';
import { Resolver } from '../networks/resolver.js';
import type { TrainingData } from './kind.js';
import type { Labels } from './labels.js';

/** The networks of a table's rows, made when they are asked for. */
export function tableNetworks(
  table: Pick<Table, 'arch' | 'space'>,
  rows: ArrayLike<number>,
  resolver = new Resolver(),
): Networks {
  const { space } = table;
  return lazily(
    rows.length,
    (i) => resolver.network(table.arch(rows[i]!), { space }),
    (i) => `row ${rows[i]! + 1} of the table`,
  );
}

/**
 * Rows of a table with the labels named.
 *
 * @param transform how all labels are learned; see `TargetTransform`
 */
export function labelledRows(
  table: Table,
  rows: ArrayLike<number>,
  names: readonly string[],
  { transform = 'linear', resolver }: { transform?: string; resolver?: Resolver } = {},
): TrainingData & { readonly labels: Labels } {
  const columns = names.map((name) => table.column(name));
  const values = new Float64Array(rows.length * names.length);
  values.forEach((_, i) => {
    values[i] = columns[i % names.length]![rows[Math.floor(i / names.length)]!]!;
  });
  return {
    networks: tableNetworks(table, rows, resolver),
    labels: {
      names,
      units: names.map((name) => table.label(name).unit),
      better: names.map((name) => table.label(name).better),
      transforms: names.map(() => transform),
      values,
    },
  };
}
