// Kinds that fit one thing for every label, without steps: the rows that have it, and what is learned of them.
import { paced } from '../../util/pauses.js';
import type { Prepared } from '../fit.js';
import type { FitRun } from '../kind.js';
import { column, type LabelScale, learned } from '../labels.js';
import { expectGoing } from '../stopped.js';

/**
 * What was fitted, by label.
 *
 * @param fit yields the part that is done, often enough for others to have their turn
 * @param from the part of the whole work that is already done
 */
export async function fittedByLabel<T>(
  { labels, scales }: Pick<Prepared, 'labels' | 'scales'>,
  run: FitRun,
  fit: (rows: readonly number[], targets: Float64Array, scale: LabelScale) => Generator<number, T>,
  from = 0,
): Promise<T[]> {
  const fitted: T[] = [];
  for (const [label, scale] of scales.entries()) {
    const truths = column(labels, label);
    const known = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
    const targets = Float64Array.from(known, (row) => learned(truths[row]!, scale));
    fitted.push(
      await paced(
        fit(known, targets, scale),
        () => expectGoing(run.signal),
        (part) => run.onProgress?.({ part: from + ((1 - from) * (label + part)) / scales.length }),
      ),
    );
  }
  return fitted;
}
