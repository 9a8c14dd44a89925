// The result of one draw as it is kept: a JSON file for every cell and seed, described in docs/json/reproduce.md.
import type { MeasuredCoverage } from '../predictors/evaluate.js';
import { digest } from '../util/digest.js';
import type { ReproducedTable, ResultCell } from './table.js';

export const RESULT_SCHEMA = 'auspex.reproduce.result/1';

export interface DrawResult {
  readonly schema: typeof RESULT_SCHEMA;
  readonly table: string;
  readonly cell: string;
  readonly seed: number;
  readonly settings: CellSettings;
  /** The file it was made from, without its folder, and how many rows that has. */
  readonly data: { readonly file: string; readonly rows: number };
  readonly rows: {
    readonly train: number;
    readonly validation: number;
    readonly test: number;
    readonly development: number;
  };
  readonly labels: readonly LabelResult[];
  /** The best that members scored on the validation rows; empty without any. */
  readonly validation: readonly number[];
  /** All of the recipe, where the kind has one. */
  readonly recipe: unknown;
  readonly threads: number;
  readonly seconds: { readonly train: number; readonly test: number };
  /** The training had been stopped before; its seconds are those of the last part. */
  readonly isResumed: boolean;
  /** Of auspex. */
  readonly version: string;
}

export interface LabelResult {
  readonly train: string;
  readonly test: string;
  readonly unit: string;
  /** By name; `null` where a metric has no value. */
  readonly metrics: Readonly<Record<string, MetricValue | null>>;
  /** Whether intervals hold the truths; `null` for predictions without. */
  readonly coverage: MeasuredCoverage | null;
}

export interface MetricValue {
  readonly estimate: number;
  /** Interval of 95%: how much the test rows alone make it uncertain. */
  readonly low?: number;
  readonly high?: number;
}

/** What was done: a result counts for a cell only if this is the same. */
export type CellSettings = Pick<ResultCell, 'data' | 'kind' | 'rows' | 'validation' | 'labels' | 'scale'> &
  Partial<
    Pick<
      ResultCell,
      'drawn' | 'tested' | 'above' | 'decodes' | 'trunk' | 'isPretrained' | 'without' | 'sources' | 'from'
    >
  > & {
    readonly recipe: NonNullable<ResultCell['recipe']>;
  };

/** @param steps of every training; the recipe's own unless told */
export function settingsOf(cell: ResultCell, steps?: number): CellSettings {
  const { data, kind, rows, validation, labels, scale, drawn, tested, trunk, isPretrained, recipe } = cell;
  const { without, sources, from, above, decodes } = cell;
  return {
    data,
    kind,
    rows,
    validation,
    labels,
    scale,
    ...(drawn ? { drawn } : {}),
    ...(tested ? { tested } : {}),
    ...(above === undefined ? {} : { above }),
    ...(decodes === undefined ? {} : { decodes }),
    ...(trunk ? { trunk } : {}),
    ...(isPretrained ? { isPretrained } : {}),
    ...(without === undefined ? {} : { without }),
    ...(sources ? { sources } : {}),
    ...(from === undefined ? {} : { from }),
    recipe: { ...recipe, ...(steps === undefined ? {} : { steps }) },
  };
}

/** A short text that is the same for the same settings. */
export function settingsKey(settings: CellSettings): string {
  return digest(sortedJson(settings)).slice(0, 12);
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** One draw of a cell, the unit of work. */
export interface Draw {
  readonly table: ReproducedTable;
  readonly cell: ResultCell;
  readonly seed: number;
}
