// Rows of several tables as one list that a predictor is trained on, for cells that see nothing of the table they are tested on.
import { averageRanks } from '../metrics/order.js';
import { lazily } from '../networks/networks.js';
import type { TrainingData } from '../predictors/kind.js';
import { labelledRows } from '../predictors/labelled-rows.js';
import type { Labels } from '../predictors/labels.js';
import { Random } from '../util/random.js';
import type { Draw } from './result.js';
import type { DrawOptions } from './run-draw.js';

/** Rows of other tables as one; units are left out, as they may differ. */
export async function sourceRows(
  { cell, seed }: Draw,
  sources: NonNullable<Draw['cell']['sources']>,
  names: readonly string[],
  { tableNamed, data }: Pick<DrawOptions, 'tableNamed' | 'data'>,
): Promise<TrainingData & { readonly labels: Labels }> {
  const parts: (TrainingData & { readonly labels: Labels })[] = [];
  for (const source of sources) {
    const table = (await tableNamed?.(source.data)) ?? data.table;
    const rows = table.rowsWith(source.labels);
    const chosen = Random.seeded(seed, 31)
      .sample(rows.length, source.rows)
      .map((place) => rows[place]!);
    parts.push(labelledRows(table, chosen, source.labels, { transform: cell.scale }));
  }
  const starts = parts.map((_, i) =>
    parts.slice(0, i).reduce((sum, { networks }) => sum + networks.count, 0),
  );
  const partOf = (row: number): number => starts.findLastIndex((start) => start <= row);
  const count = parts.reduce((sum, { networks }) => sum + networks.count, 0);
  const values = new Float64Array(count * names.length);
  parts.forEach(({ labels }, i) => {
    // Accuracies of several tables are of several units and tasks: what they share is the order within each.
    const own =
      parts.length === 1 || cell.isOneUnit ? labels.values : rankShares(labels.values, names.length);
    values.set(own, starts[i]! * names.length);
  });
  return {
    networks: lazily(
      count,
      (row) => parts[partOf(row)]!.networks.at(row - starts[partOf(row)]!),
      (row) => `row ${row + 1} of the tables`,
    ),
    labels: {
      names,
      better: parts[0]!.labels.better!,
      transforms: names.map(() => cell.scale),
      values,
    },
  };
}

/** Each label as the share of its table's rows up to it, row by row. */
function rankShares(values: Float64Array, labels: number): Float64Array {
  const count = values.length / labels;
  const shares = new Float64Array(values.length);
  for (let label = 0; label < labels; label++) {
    const ranks = averageRanks(
      Float64Array.from({ length: count }, (_, row) => values[row * labels + label]!),
    );
    ranks.forEach((rank, row) => {
      shares[row * labels + label] = rank / count;
    });
  }
  return shares;
}
