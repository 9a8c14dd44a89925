// What a measurement is compared with: an earlier one, from its JSON document.
import { basename } from 'node:path';
import type { Machine } from '../../measure/machine.js';
import { type Clock, LEAST_BLOCKS } from '../../measure/regression.js';
import { readBytes } from '../../onnx/file.js';
import { AuspexError } from '../../util/errors.js';
import { type MeasureDocument, type MeasureRow, measureDocument } from '../documents/measure.js';

export interface Baseline {
  /** A JSON document of `auspex measure`, or a network, which is then measured in turn with the others. */
  readonly ref: string;
  /** 0.05: slower by more than 5% is a regression. */
  readonly limit: number;
  readonly clock: Clock;
}

export function isDocument(ref: string): boolean {
  return /\.json$/i.test(ref);
}

/** @throws AuspexError FILE_UNREADABLE, BASELINE_FORMAT, BASELINE_MACHINE */
export function readBaseline(path: string, machine: Machine, runner: string | undefined): MeasureDocument {
  const text = readBytes(path).toString('utf8');
  const wrong = (message: string): AuspexError =>
    new AuspexError('BASELINE_FORMAT', message, {
      where: { file: path },
      hint: 'write it with: auspex measure NETWORK --processes 5 --json > run.json',
    });
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw wrong('the baseline is not JSON');
  }
  const { success, data: found } = measureDocument.safeParse(data);
  if (!success) throw wrong('the baseline is not a document of auspex measure');
  const before = found.runner ?? found.machine.processor;
  const now = runner ?? machine.processor;
  if (before !== now) {
    throw new AuspexError('BASELINE_MACHINE', `the baseline was measured on '${before}', not on '${now}'`, {
      where: { file: path },
      hint: 'times of two machines cannot be compared; measure the baseline here',
    });
  }
  return found;
}

/**
 * The row of the baseline that measured the same: the same network by structure or by the name of its file, at the same sizes
 * and settings.
 *
 * @throws AuspexError BASELINE_NONE, BASELINE_BLOCKS
 */
export function baselineRow(document: MeasureDocument, row: MeasureRow): MeasureRow {
  const settings = ({ inputs, threads, provider, optimization }: MeasureRow): string =>
    JSON.stringify([inputs.map(({ shape }) => shape), threads, provider, optimization]);
  const alike = document.rows.filter((other) => settings(other) === settings(row));
  const found =
    alike.find(({ hash, network }) => hash === row.hash && network === row.network) ??
    alike.find(({ network }) => basename(network) === basename(row.network)) ??
    alike.find(({ hash }) => hash !== null && hash === row.hash);
  if (found === undefined) {
    throw new AuspexError(
      'BASELINE_NONE',
      `the baseline has no measurement of '${row.network}' with these sizes and settings`,
      {
        hint: 'measure the baseline with the same options, or give the network to compare with as --baseline',
      },
    );
  }
  if (found.blocks.length >= LEAST_BLOCKS) return found;
  throw new AuspexError(
    'BASELINE_BLOCKS',
    'the baseline was measured in one process, which does not tell how far processes differ',
    { hint: 'measure it with --processes 5' },
  );
}
