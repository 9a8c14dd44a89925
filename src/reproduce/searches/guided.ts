// A search that is guided by a predictor: random rows of a table are evaluated, a predictor is trained on them, and the others are
// evaluated in the order of its predictions.
import type { Table } from '../../datasets/table.js';
import { kindNamed } from '../../predictors/kinds/index.js';
import { labelledRows, tableNetworks } from '../../predictors/labelled-rows.js';
import { predictionsOf } from '../../predictors/predictions.js';
import type { Predictor } from '../../predictors/predictor.js';
import type { Strategy } from '../../search/contract.js';
import type { TableRows } from '../../search/table-rows.js';

interface GuidedOptions {
  readonly table: Table;
  readonly rows: TableRows;
  readonly label: string;
  readonly kind: string;
  /** How many rows it is trained on. */
  readonly count: number;
  readonly seed: number;
  /** What the predictor begins with. */
  open(): Promise<Predictor>;
}

export function guidedSearch(options: GuidedOptions): Strategy {
  const { rows, kind, count } = options;
  return {
    name: 'guided',
    options: { kind, rows: count },
    async *propose({ candidates, random }) {
      const first = await candidates.pool(count, random);
      yield first.map((arch) => ({ arch, by: 'sample', round: 0 }));
      const known = first.map((arch) => rows.rowOf(arch)!);
      const values = await predictedFrom(known, options);
      const order = rows.texts.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
      for (let at = 0; at < order.length; at += count) {
        yield order.slice(at, at + count).map((i) => ({ arch: rows.texts[i]!, by: 'prediction', round: 1 }));
      }
    },
  };
}

/** Predictions for all rows, higher being better. */
async function predictedFrom(
  known: readonly number[],
  { table, rows, label, kind, seed, open }: GuidedOptions,
): Promise<Float64Array> {
  const from = await open();
  const data = { ...labelledRows(table, known, [label]), from };
  const { predictor } = await kindNamed(kind).fit(data, {}, { seed, threads: 1 });
  const places = rows.texts.map((text) => rows.rowOf(text)!);
  const { values } = await predictionsOf(predictor, tableNetworks(table, places), {});
  await predictor.dispose();
  await from.dispose();
  return table.label(label).better === 'higher' ? values : values.map((value) => -value);
}
