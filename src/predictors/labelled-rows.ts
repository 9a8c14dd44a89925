// Architectures with labels. Those that are held out choose weights, and tell how wide intervals must be.
import type { Table } from '../datasets/table.js';
import { kendallTauB, mae } from '../metrics/index.js';
import { conformalInterval, type ErrorScale } from './conformal.js';
import { column, type Labels } from './labels.js';
import type { LabelInfo, Predictor, PredictorInfo } from './predictor.js';

/** Architectures with what is to be predicted of them. */
export interface LabelledRows {
  /** Texts of the space. */
  readonly architectures: readonly string[];
  readonly labels: Labels;
}

/** Rows of a table with the labels named. */
export function labelledRows(table: Table, rows: ArrayLike<number>, names: readonly string[]): LabelledRows {
  const columns = names.map((name) => table.column(name));
  const values = new Float64Array(rows.length * names.length);
  values.forEach((_, i) => {
    values[i] = columns[i % names.length]![rows[Math.floor(i / names.length)]!]!;
  });
  return {
    architectures: Array.from(rows, (row) => table.arch(row)),
    labels: { names, units: names.map((name) => table.label(name).unit), values },
  };
}

/** What a predictor's file says of labels that were learned on a scale. */
export function labelInfos({ names, units }: Labels, scale: ErrorScale): LabelInfo[] {
  return names.map((name, i) => ({ name, unit: units?.[i] ?? '', scale }));
}

/** A predictor with intervals as wide as held-out rows ask for; without such rows it has none. */
export async function calibrated<Info extends PredictorInfo, P extends Predictor>(
  info: Info,
  held: LabelledRows | undefined,
  create: (info: Info) => Promise<P>,
): Promise<P> {
  const plain = await create(info);
  if (held === undefined) return plain;
  const found = await plain.values(held.architectures);
  await plain.dispose();
  return create({ ...info, labels: calibratedLabels(info.labels, found, held) });
}

/** Labels with intervals as wide as held-out rows ask for, given what was predicted of them. */
function calibratedLabels(
  labels: readonly LabelInfo[],
  found: Float64Array,
  held: LabelledRows,
): LabelInfo[] {
  return labels.map((label, place) => {
    const { predictions, truths } = known(found, held.labels, place);
    return { ...label, interval: conformalInterval(predictions, truths, { scale: label.scale }) };
  });
}

/** How good predictions are, higher being better: τ-b, of logarithms the negative mean error; the mean over labels. */
export function validationScore(scale: ErrorScale): (found: Float64Array, labels: Labels) => number {
  return (found, labels) => {
    const scores = labels.names.map((_, place) => {
      const { predictions, truths } = known(found, labels, place);
      return scale === 'log' ? -mae(predictions, truths) : kendallTauB(predictions, truths);
    });
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  };
}

/** One label of the rows that have it, and what was predicted of these rows. */
function known(
  found: Float64Array,
  labels: Labels,
  place: number,
): { predictions: Float64Array; truths: Float64Array } {
  const truths = column(labels, place);
  const isKnown = (_: number, row: number): boolean => !Number.isNaN(truths[row]);
  return {
    predictions: column({ names: labels.names, values: found }, place).filter(isKnown),
    truths: truths.filter(isKnown),
  };
}
