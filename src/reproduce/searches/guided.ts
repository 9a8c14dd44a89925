// A search that is guided by a predictor: random rows of a table are evaluated, a predictor is trained on them, and the others are
// evaluated in the order of its predictions.
import type { Table } from '../../datasets/table.js';
import { kindNamed } from '../../predictors/kinds/index.js';
import { labelledRows, tableNetworks } from '../../predictors/labelled-rows.js';
import { predictionsOf } from '../../predictors/predictions.js';
import type { Predictor } from '../../predictors/predictor.js';
import type { Strategy } from '../../search/contract.js';
import type { TableRows } from '../../search/table-rows.js';
import type { Guide } from './experiment.js';

/** Evaluations that are proposed at once, once the order is known. */
const AT_ONCE = 100;

interface GuidedOptions {
  readonly table: Table;
  readonly rows: TableRows;
  readonly label: string;
  readonly guide: Guide;
  readonly seed: number;
  /** What the predictor begins with. */
  open(): Promise<Predictor>;
}

export function guidedSearch(options: GuidedOptions): Strategy {
  const { rows, guide } = options;
  return {
    name: 'guided',
    options: { kind: guide.kind, rows: guide.rows },
    async *propose({ candidates, random }) {
      const first = guide.rows === 0 ? [] : await candidates.pool(guide.rows, random);
      if (first.length > 0) yield first.map((arch) => ({ arch, by: 'sample', round: 0 }));
      const known = first.map((arch) => rows.rowOf(arch)!);
      const values = await predictedFrom(known, options);
      const order = rows.texts.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
      for (let at = 0; at < order.length; at += AT_ONCE) {
        yield order
          .slice(at, at + AT_ONCE)
          .map((i) => ({ arch: rows.texts[i]!, by: 'prediction', round: 1 }));
      }
    },
  };
}

/** Predictions for all rows, higher being better. */
async function predictedFrom(
  known: readonly number[],
  { table, rows, label, guide, seed, open }: GuidedOptions,
): Promise<Float64Array> {
  const from = await open();
  const data = { ...labelledRows(table, known, [label]), from };
  const predictor =
    known.length === 0
      ? from
      : (await kindNamed(guide.kind).fit(data, guide.recipe ?? {}, { seed, threads: 1 })).predictor;
  const places = rows.texts.map((text) => rows.rowOf(text)!);
  const { values } = await predictionsOf(predictor, tableNetworks(table, places), {});
  await predictor.dispose();
  if (predictor !== from) await from.dispose();
  return table.label(label).better === 'higher' ? values : values.map((value) => -value);
}
