// One draw of a cell from its rows to its result: a predictor is trained, predicts all test rows and is compared.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Table } from '../datasets/table.js';
import { type Fitted, kindNamed } from '../predictors/kinds/index.js';
import { labelledRows } from '../predictors/labelled-rows.js';
import { decodePredictor } from '../predictors/load.js';
import type { Predictor } from '../predictors/predictor.js';
import { checkpointFile } from '../store/checkpoint-file.js';
import { lockFile } from '../store/lock.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import type { DataName } from './data.js';
import { type DrawnRows, drawRows } from './draw-rows.js';
import { type CellSettings, type Draw, type DrawResult, RESULT_SCHEMA } from './result.js';
import type { ResultFiles } from './result-files.js';
import { sourceRows } from './source-rows.js';
import { tested } from './test-draw.js';
import { trainingWork } from './training-work.js';

export interface DrawOptions {
  readonly settings: CellSettings;
  readonly files: ResultFiles;
  readonly data: { readonly file: string; readonly table: Table };
  /** Tables that cells are trained on besides. */
  readonly tableNamed?: (name: DataName) => Promise<Table>;
  /** A predictor of the package, by reference. */
  readonly openPredictor?: (reference: string) => Promise<Predictor>;
  readonly threads: number;
  /** What a kind of predictor has learned of a space before any label, if somebody has done that. */
  readonly pretrained?: (kind: string, space: string) => Promise<Predictor | undefined>;
  readonly version: string;
  /** @param part of this draw that is done, 0 to 1 */
  readonly onProgress?: (part: number, note: string) => void;
  readonly signal?: AbortSignal;
}

/** Does a draw and writes its result. Codes: TRAINING_STOPPED, OUTPUT_IN_USE and those of trainings, splits and metrics. */
export async function runDraw(draw: Draw, options: DrawOptions): Promise<DrawResult> {
  const { data, files } = options;
  const rows = drawRows(data.table, draw.cell, draw.seed);
  await files.prepare(draw);
  const lock = lockFile(files.pathOf(draw), 'OUTPUT_IN_USE');
  try {
    return await lockedDraw(draw, options, rows);
  } finally {
    lock.release();
  }
}

async function lockedDraw(draw: Draw, options: DrawOptions, rows: DrawnRows): Promise<DrawResult> {
  const { cell, seed, table } = draw;
  const { data, files, settings, threads, version } = options;
  const parts = partsOf(draw, options, rows);
  const isResumed = hasWork(draw, options);
  const start = performance.now();
  const from = await beginningOf(draw, rows, options, parts.trunk);
  const isFitted = cell.rows > 0 || cell.sources !== undefined;
  const fitted =
    from && !isFitted
      ? { predictor: from, members: [] }
      : await fit(draw, 'cell', rows, options, parts.train, from);
  if (fitted.predictor !== from) await from?.dispose();
  const { predictor, members } = fitted;
  const trained = performance.now();
  try {
    const labels = await tested(draw, predictor, rows.test, options, parts.test);
    const result: DrawResult = {
      schema: RESULT_SCHEMA,
      table: table.id,
      cell: cell.id,
      seed,
      settings,
      data: { file: basename(data.file), rows: data.table.rows },
      rows: {
        train: rows.train.length,
        validation: rows.validation.length,
        test: rows.test.length,
        development: rows.development,
      },
      labels,
      validation: members.flatMap(({ curves }) =>
        curves.validation.length === 0 ? [] : [Math.max(...curves.validation.map(({ score }) => score))],
      ),
      recipe: recipeOf(predictor),
      threads,
      seconds: { train: (trained - start) / 1000, test: (performance.now() - trained) / 1000 },
      isResumed,
      version,
    };
    await files.write(draw, result);
    await files.clear(draw);
    return result;
  } finally {
    await predictor.dispose();
  }
}

/** How it was trained in steps; of other kinds, the options. */
function recipeOf({ info }: Predictor): unknown {
  const { scales, decoder, ...recipe } = info.recipe as Readonly<Record<string, unknown>>;
  return recipe.steps === undefined ? recipe.model : recipe;
}

/** How a part of the work reports: its own part that is done. */
type Report = (part: number, note: string) => void;

/** Reports of the parts as parts of the whole, by how much work they are. */
function partsOf(
  { cell, seed }: Draw,
  { settings, onProgress }: DrawOptions,
  rows: DrawnRows,
): Record<'trunk' | 'train' | 'test', Report> {
  const work = {
    trunk: cell.trunk ? trainingWork(cell.kind, rows.trunk.train.length, settings.recipe) : 0,
    train: trainingWork(cell.kind, cell.rows, settings.recipe),
    test: rows.test.length,
  };
  const all = work.trunk + work.train + work.test;
  const report =
    (before: number, share: number): Report =>
    (part, note) =>
      onProgress?.((before + part * share) / all, `${cell.id}, seed ${seed}: ${note}`);
  return {
    trunk: report(0, work.trunk),
    train: report(work.trunk, work.train),
    test: report(work.trunk + work.train, work.test),
  };
}

function hasWork(draw: Draw, { files, settings }: DrawOptions): boolean {
  const paths = [
    files.trunkOf(draw, settings),
    files.checkpointOf(draw, settings, 'trunk', 'member0'),
    files.checkpointOf(draw, settings, 'cell', 'member0'),
    files.checkpointOf(draw, settings, 'cell', 'pretraining0'),
  ];
  return paths.some((path) => existsSync(path));
}

/** What a cell begins with, where it does not begin with nothing. */
async function beginningOf(
  draw: Draw,
  rows: DrawnRows,
  options: DrawOptions,
  report: Report,
): Promise<Predictor | undefined> {
  const { isPretrained, trunk, from } = draw.cell;
  if (isPretrained) return pretrainedFor(draw, options);
  if (trunk) return trunkOf(draw, trunk, rows, options, report);
  return from === undefined ? undefined : options.openPredictor?.(from);
}

async function pretrainedFor(
  { cell: { kind } }: Draw,
  { data, pretrained }: DrawOptions,
): Promise<Predictor> {
  const { space } = data.table;
  const found = await pretrained?.(kind, space);
  if (found !== undefined) return found;
  throw new AuspexError('REPRODUCE_TRUNK', `there is no bundled pretrained ${kind} for ${space}`, {
    hint: 'create it with auspex pretrain and put it into the bundled/ folder of the package',
  });
}

/** The trunk as an earlier run left it, or trained now and kept. */
async function trunkOf(
  draw: Draw,
  labels: readonly string[],
  rows: DrawnRows,
  options: DrawOptions,
  report: Report,
): Promise<Predictor> {
  const path = options.files.trunkOf(draw, options.settings);
  if (existsSync(path)) return decodePredictor(await readFile(path), { threads: options.threads });
  const { predictor } = await fit(draw, 'trunk', rows, options, report, undefined, labels);
  await writeOutput(path, predictor.toOnnx());
  return predictor;
}

async function fit(
  draw: Draw,
  part: 'trunk' | 'cell',
  rows: DrawnRows,
  options: DrawOptions,
  report: Report,
  from?: Predictor,
  names: readonly string[] = draw.cell.labels.map(({ train }) => train),
): Promise<Fitted> {
  const { cell, seed } = draw;
  const { data, files, settings, threads, signal } = options;
  const { train, validation } = part === 'trunk' ? rows.trunk : rows;
  const of = (some: Uint32Array) => labelledRows(data.table, some, names, { transform: cell.scale });
  const known = {
    ...(cell.sources ? await sourceRows(draw, cell.sources, names, options) : of(train)),
    ...(validation.length > 0 ? { validation: of(validation) } : {}),
    ...(from ? { from } : {}),
  };
  return kindNamed(cell.kind).fit(known, settings.recipe, {
    seed,
    threads,
    checkpoint: (name) => checkpointFile(files.checkpointOf(draw, settings, part, name)),
    onProgress: ({ part: done, loss }) =>
      report(done, `${part === 'trunk' ? 'trunk, ' : ''}loss ${loss?.toPrecision(3) ?? '–'}`),
    ...(signal ? { signal } : {}),
  });
}
