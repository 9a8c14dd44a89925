// One draw of a cell from its rows to its result: a predictor is trained, predicts all test rows and is compared.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Table } from '../datasets/table.js';
import { evaluate } from '../predictors/evaluate.js';
import { type FittedPredictor, kindNamed } from '../predictors/kinds.js';
import { labelledRows } from '../predictors/labelled-rows.js';
import { decodePredictor } from '../predictors/load.js';
import { type Predictor, withInterval } from '../predictors/predictor.js';
import { checkpointFile } from '../store/checkpoint-file.js';
import { lockFile } from '../store/lock.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { type DrawnRows, drawRows } from './draw-rows.js';
import { type CellSettings, type Draw, type DrawResult, type LabelResult, RESULT_SCHEMA } from './result.js';
import type { ResultFiles } from './result-files.js';
import { trainingWork } from './work.js';

export interface DrawOptions {
  readonly settings: CellSettings;
  readonly files: ResultFiles;
  readonly data: { readonly file: string; readonly table: Table };
  readonly threads: number;
  /** What a kind of predictor has learned of a space before any label, if somebody has done that. */
  readonly pretrained?: (kind: string, space: string) => Promise<Predictor | undefined>;
  readonly version: string;
  /** @param part of this draw that is done, 0 to 1 */
  readonly onProgress?: (part: number, note: string) => void;
  readonly signal?: AbortSignal;
}

/** Architectures that are predicted at once. */
const CHUNK = 4096;
/** Enough for an interval of a metric that is only looked at beside the spread over draws. */
const RESAMPLES = 100;

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
  const from = cell.isPretrained
    ? await pretrainedFor(draw, options)
    : cell.trunk && (await trunkOf(draw, cell.trunk, rows, options, parts.trunk));
  const fitted = await fit(draw, 'cell', rows, options, parts.train, from);
  await from?.dispose();
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

/** What kinds that are trained in steps call their recipe, and others their options. */
function recipeOf({ info }: Predictor): unknown {
  const { recipe, options } = info as { recipe?: unknown; options?: unknown };
  return recipe ?? options ?? null;
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

async function pretrainedFor(
  { cell: { kind } }: Draw,
  { data, pretrained }: DrawOptions,
): Promise<Predictor> {
  const { space } = data.table;
  const found = await pretrained?.(kind, space);
  if (found !== undefined) return found;
  throw new AuspexError('REPRODUCE_TRUNK', `nothing was learned of ${space} for ${kind} before any label`, {
    hint: 'auspex pretrain makes it; it belongs into the folder predictors of the package',
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
): Promise<FittedPredictor> {
  const { cell, seed } = draw;
  const { data, files, settings, threads, signal } = options;
  const { train, validation } = part === 'trunk' ? rows.trunk : rows;
  return kindNamed(cell.kind).fit(labelledRows(data.table, train, names), {
    space: data.table.space,
    changes: settings.recipe,
    scale: cell.scale,
    seed,
    threads,
    ...(validation.length > 0 ? { validation: labelledRows(data.table, validation, names) } : {}),
    ...(from ? { from } : {}),
    checkpoint: (name) => checkpointFile(files.checkpointOf(draw, settings, part, name)),
    onProgress: ({ part: done, loss }) =>
      report(done, `${part === 'trunk' ? 'trunk, ' : ''}loss ${loss.toPrecision(3)}`),
    ...(signal ? { signal } : {}),
  });
}

async function tested(
  { cell }: Draw,
  predictor: Predictor,
  rows: Uint32Array,
  { data: { table }, signal }: DrawOptions,
  report: Report,
): Promise<LabelResult[]> {
  const { labels: infos } = predictor.info;
  const values = new Float64Array(rows.length * infos.length);
  for (let start = 0; start < rows.length; start += CHUNK) {
    if (signal?.aborted) {
      throw new AuspexError('TRAINING_STOPPED', 'the test was stopped', { kind: 'failure' });
    }
    report(start / rows.length, 'testing');
    const texts = Array.from(rows.subarray(start, start + CHUNK), (row) => table.arch(row));
    values.set(await predictor.values(texts), start * infos.length);
  }
  return cell.labels.map(({ train, test }, output) => {
    const column = table.column(test);
    const { unit, better } = table.label(test);
    const predictions = Array.from(rows, (_, i) =>
      withInterval(values[i * infos.length + output]!, infos[output]!),
    );
    const truths = Float64Array.from(rows, (row) => column[row]!);
    const { metrics, coverage } = evaluate(predictions, truths, { better, resamples: RESAMPLES });
    return {
      train,
      test,
      unit,
      metrics: Object.fromEntries(
        metrics.map(({ name, estimate, low, high }) => [
          name,
          estimate === undefined
            ? null
            : { estimate, ...(low === undefined || high === undefined ? {} : { low, high }) },
        ]),
      ),
      coverage: coverage ?? null,
    };
  });
}
