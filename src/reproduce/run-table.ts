// Runs what is not yet done of a table, draw by draw; what fails does not keep the others from being done.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '../datasets/table.js';
import { readTableFile } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { DATA, type DataName, fileNames } from './data.js';
import { type Draw, type DrawResult, settingsOf } from './result.js';
import { ResultFiles } from './result-files.js';
import { type DrawOptions, runDraw } from './run-draw.js';
import type { ReproducedTable, ResultCell } from './table.js';
import { trainingWork } from './training-work.js';

export interface RunOptions extends Pick<TableChoice, 'only' | 'draws' | 'steps'> {
  /** The folder of the benchmark tables. */
  readonly data: string;
  /** The folder of the results. */
  readonly out: string;
  readonly threads: number;
  readonly pretrained?: NonNullable<DrawOptions['pretrained']>;
  readonly openPredictor?: NonNullable<DrawOptions['openPredictor']>;
  readonly version: string;
  /** Does again what is done. */
  readonly isForced?: boolean;
  /** @param part of what this run does, 0 to 1 */
  readonly onProgress?: (part: number, note: string) => void;
  /** Called after every draw. */
  readonly onDone?: (done: DrawResult | FailedDraw) => void;
  readonly signal?: AbortSignal;
}

/** Which draws of a table. */
export interface TableChoice {
  /** Only cells whose id it matches. */
  readonly only?: RegExp;
  /** Seeds 0 to draws − 1. */
  readonly draws: number;
  /** Of every training, instead of the recipes': to try things out. */
  readonly steps?: number;
}

export interface FailedDraw {
  readonly cell: string;
  readonly seed: number;
  readonly error: AuspexError;
}

export interface RanTable {
  /** What was done now. */
  readonly results: readonly DrawResult[];
  /** Draws that had been done before. */
  readonly skipped: number;
  readonly failures: readonly FailedDraw[];
}

function cellsOf(table: ReproducedTable, only?: RegExp): readonly ResultCell[] {
  const cells = only === undefined ? table.cells : table.cells.filter(({ id }) => only.test(id));
  if (cells.length > 0) return cells;
  throw new AuspexError('REPRODUCE_NO_CELL', `no cell of ${table.id} matches ${only}`, {
    hint: `choose from ${table.cells.map(({ id }) => id).join(', ')}`,
  });
}

/** All draws of a table, cell by cell. */
export function drawsOf(table: ReproducedTable, { only, draws }: TableChoice): Draw[] {
  return cellsOf(table, only).flatMap((cell) =>
    Array.from({ length: draws }, (_, seed) => ({ table, cell, seed })),
  );
}

/**
 * Codes: REPRODUCE_DATA where a table is not in the folder or is another, REPRODUCE_SETTINGS where the folder of results
 * has some that were made otherwise, TRAINING_STOPPED.
 */
export async function runTable(table: ReproducedTable, options: RunOptions): Promise<RanTable> {
  const { out, draws, steps, isForced = false, onProgress, onDone, signal } = options;
  const files = new ResultFiles(out);
  const all = drawsOf(table, { draws, ...(options.only ? { only: options.only } : {}) });
  const pending = isForced ? all : all.filter((draw) => !isDone(files, draw, steps));
  // All that will be needed is looked for before anything takes hours.
  const names = [
    ...new Set(pending.flatMap(({ cell }) => [cell.data, ...(cell.sources ?? []).map(({ data }) => data)])),
  ];
  const paths = new Map(names.map((name) => [name, findData(options.data, name)]));
  const work = pending.map(({ cell }) => workOf(cell, steps));
  const whole = work.reduce((sum, w) => sum + w, 0);
  const results: DrawResult[] = [];
  const failures: FailedDraw[] = [];
  let before = 0;
  let open: { readonly name: DataName; readonly table: Table } | undefined;
  const sources = new Map<DataName, Promise<Table>>();
  const tableNamed = (name: DataName): Promise<Table> => {
    if (!sources.has(name)) sources.set(name, readData(paths.get(name)!, name));
    return sources.get(name)!;
  };
  for (const [i, draw] of pending.entries()) {
    const { cell, seed } = draw;
    const file = paths.get(cell.data)!;
    // One at a time: the largest has hundreds of thousands of rows. Those that others are trained on stay.
    if (open?.name !== cell.data) open = { name: cell.data, table: await readData(file, cell.data) };
    if (isForced) await files.clear(draw);
    try {
      const result = await runDraw(draw, {
        ...options,
        settings: settingsOf(cell, steps),
        files,
        data: { file, table: open.table },
        tableNamed,
        onProgress: (part, note) => onProgress?.((before + part * work[i]!) / whole, note),
      });
      results.push(result);
      onDone?.(result);
    } catch (error) {
      if (!(error instanceof AuspexError) || error.code === 'TRAINING_STOPPED' || signal?.aborted)
        throw error;
      failures.push({ cell: cell.id, seed, error });
      onDone?.(failures.at(-1)!);
    }
    before += work[i]!;
  }
  return { results, skipped: all.length - pending.length, failures };
}

/** Whether a draw is done as this run would do it. A result of other settings is somebody's work: it is not replaced. */
function isDone(files: ResultFiles, draw: Draw, steps: number | undefined): boolean {
  const result = files.read(draw);
  if (result === undefined) return false;
  if (files.readWith(draw, settingsOf(draw.cell, steps)) !== undefined) return true;
  throw new AuspexError('REPRODUCE_SETTINGS', `${draw.cell.id} has a result with other settings`, {
    where: { file: files.pathOf(draw) },
    hint: 'give another folder with --out, or repeat it with --force',
  });
}

/** Tests are a small part of most draws; how many rows they have is only known once a table is open. */
function workOf(cell: ResultCell, steps: number | undefined): number {
  const { kind, drawn, trunk, recipe, sources } = cell;
  const rows = sources?.reduce((sum, source) => sum + source.rows, 0) ?? cell.rows;
  if (rows === 0) return 1;
  const changes = { ...recipe, ...(steps === undefined ? {} : { steps }) };
  const own = trainingWork(kind, rows, changes);
  return trunk ? own + trainingWork(kind, drawn?.rows ?? rows, changes) : own;
}

function findData(folder: string, name: DataName): string {
  const paths = fileNames(name).map((file) => join(folder, file));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const { title, origin } = DATA[name];
  throw new AuspexError('REPRODUCE_DATA', `the folder has no ${fileNames(name).join(', ')}: ${title}`, {
    where: { file: folder },
    hint: origin,
  });
}

async function readData(path: string, name: DataName): Promise<Table> {
  const table = await readTableFile(path);
  if (table.space === DATA[name].space) return table;
  throw new AuspexError('REPRODUCE_DATA', `the table contains ${table.space}, not ${DATA[name].space}`, {
    where: { file: path },
    hint: DATA[name].origin,
  });
}
