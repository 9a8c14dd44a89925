// What `auspex train` does: a predictor from a table of networks with labels.
import { ONNX, Resolver } from '../../networks/index.js';
import { readModel } from '../../onnx/file.js';
import type { PredictorKind } from '../../predictors/kind.js';
import { kindNamed } from '../../predictors/kinds/index.js';
import { tableNetworks } from '../../predictors/labelled-rows.js';
import type { OnBad, Predictor } from '../../predictors/predictor.js';
import type { TrainedMember, TrainingProgress } from '../../predictors/train.js';
import { digestOf, fingerprintOf, recipeSettings } from '../../store/fingerprint.js';
import { checkOutputs, type PlannedOutput } from '../../store/outputs.js';
import { TrainingCheckpoints } from '../../store/training-checkpoints.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import { bundledEmbedding, bundledTrunk, openPredictor } from '../bundled.js';
import type { Work } from '../work.js';
import { expectApplicable, expectCells, expectLabels, trunkFor } from './applicable.js';
import { dataOf, type TrainingRows } from './choose-rows.js';
import { ioTraining } from './io-training.js';
import type { SkippedNetwork, Trained, TrainRequest } from './request.js';
import { trainingRows } from './rows.js';
import { type UnlabelledRows, unlabelledRows } from './unlabelled.js';

export interface TrainWork extends Work {
  /** What was decided for the user, a sentence each, before the training begins. */
  readonly onNotes?: (notes: readonly string[], rows: number) => void;
  /** @param members how many are trained */
  readonly onTraining?: (progress: TrainingProgress, members: number) => void;
}

/**
 * Trains a predictor and writes it.
 *
 * @throws AuspexError PREDICTOR_UNKNOWN, MODEL_OPTION, BAD_OPTION, OUTPUT_…, TABLE_…, LABEL_…, CHECKPOINT_…, TRAINING_…
 */
export async function trainPredictor(request: TrainRequest, work: TrainWork = {}): Promise<Trained> {
  const kind = kindNamed(request.kind);
  expectLabels(kind, request.labels);
  expectApplicable(kind, request);
  const outputs = outputsOf(request);
  const inputs = [request.data, request.from, request.split, request.unlabelled, request.io];
  checkOutputs({ outputs, inputs, force: request.force });
  const rows = await trainingRows(request, work);
  if (rows.table.space === ONNX) {
    checkOutputs({ outputs, inputs: rows.table.architectures, force: true });
  }
  expectCells(kind, rows.table.space);
  const unlabelled = await unlabelledRows(kind, request, rows);
  const notes = [...rows.notes];
  if (kind.comparesFamilies && rows.table.space !== ONNX)
    notes.push(
      `all networks are of one family, ${rows.table.space}: how well the order holds in others is not known; give a table of several families with --space onnx`,
    );
  if (unlabelled)
    notes.push(
      `${unlabelled.rows.length.toLocaleString('en')} other networks are learned from without labels`,
    );
  const from =
    request.from === undefined
      ? kind.isOnEmbedding
        ? await openEmbedding(rows.table.space, notes)
        : await trunkFor(kind, request.changes, rows, bundledTrunk, notes)
      : await openPredictor(request.from);
  work.onNotes?.(notes, rows.train.length);
  const checkpoints = TrainingCheckpoints.open(request.output, { resume: request.resume });
  try {
    return await fitted(kind, request, { ...rows, unlabelled }, from, checkpoints, work);
  } catch (error) {
    throw checkpoints.ended(error);
  } finally {
    checkpoints.close();
    await from?.dispose();
  }
}

/** Where a kind learns from embeddings and none is named. */
async function openEmbedding(space: string, notes: string[]): Promise<Predictor | undefined> {
  const name = bundledEmbedding(space);
  if (name === undefined) return undefined;
  notes.push(`networks are embedded by ${name}`);
  return openPredictor(name);
}

async function fitted(
  kind: PredictorKind,
  request: TrainRequest,
  rows: TrainingRows & { readonly unlabelled: UnlabelledRows | undefined },
  from: Predictor | undefined,
  checkpoints: TrainingCheckpoints,
  work: TrainWork,
): Promise<Trained> {
  const { output, seed, threads, changes } = request;
  const recipe = kind.recipe?.(rows.train.length, changes, from, rows.scale);
  checkpoints.expect(fingerprint(request, rows, from, recipe ?? changes));
  const skipped: SkippedNetwork[] = [];
  const start = performance.now();
  const io = request.io === undefined ? undefined : ioTraining(request.io, request.images, rows.table.space);
  const resolver = new Resolver({ open: readModel });
  const { unlabelled } = rows;
  const { predictor, members, excluded } = await kind.fit(
    {
      ...dataOf(rows, resolver, from),
      ...(unlabelled ? { unlabelled: tableNetworks(unlabelled.table, unlabelled.rows, resolver) } : {}),
      ...(io ? { io } : {}),
    },
    changes,
    {
      seed,
      threads,
      checkpoint: (part) => checkpoints.store(part),
      onProgress: (progress) => work.onTraining?.(progress, recipe?.members ?? 1),
      ...(work.signal ? { signal: work.signal } : {}),
      onBad: request.skipBad ? collect(rows, skipped) : refused,
    },
  );
  const seconds = (performance.now() - start) / 1000;
  await writeOutput(output, predictor.toOnnx());
  if (request.curves !== undefined) await writeOutput(request.curves, curvesText(members));
  checkpoints.remove();
  // Those that were made: unlabelled rows add to what a recipe of the labelled ones says.
  const { steps = recipe?.steps } = predictor.info.recipe as { readonly steps?: number };
  return { kind, predictor, members, excluded, skipped, seconds, output, steps };
}

/** A bad row ends the training; what would leave it out is said. */
function refused(_: number, error: AuspexError): never {
  const { code, message, kind, where, hint } = error;
  const skip = '--skip-bad leaves out rows that cannot be used';
  const hints = hint === undefined ? skip : `${hint}; ${skip}`;
  throw new AuspexError(code, message, { kind, where, hint: hints, cause: error });
}

/** Bad rows, with the set they are of: rows of the training come first. */
function collect({ table, train, validation }: TrainingRows, skipped: SkippedNetwork[]): OnBad {
  let latest = -1;
  let set: SkippedNetwork['set'] = 'train';
  return (row, error) => {
    // Rows of each set come in their order.
    if (row <= latest) set = 'validation';
    latest = row;
    const rows = set === 'train' ? train : validation;
    skipped.push({ ref: table.arch(rows[row]!), set, error });
  };
}

function fingerprint(
  request: TrainRequest,
  rows: TrainingRows & { readonly unlabelled: UnlabelledRows | undefined },
  from: Predictor | undefined,
  recipe: object,
) {
  const { table, names, scale, train, validation, unlabelled } = rows;
  const content = [train, validation].flatMap((of) => [
    Array.from(of, (row) => table.arch(row)).join('\n'),
    ...names.map((name) => new Uint8Array(Float64Array.from(of, (row) => table.column(name)[row]!).buffer)),
  ]);
  if (unlabelled) content.push(Array.from(unlabelled.rows, (row) => unlabelled.table.arch(row)).join('\n'));
  return fingerprintOf(
    {
      ...recipeSettings(request.kind, recipe),
      '--space': table.space,
      '--label': names,
      '--scale': scale,
      '--seed': request.seed,
      '--train': train.length,
      '--validation': validation.length,
      '--scratch': request.changes.isFromScratch,
      '--from': from && digestOf([from.toOnnx()]).slice(0, 12),
      '--io': request.io,
    },
    { '--data': digestOf(content) },
  );
}

function outputsOf({ output, curves }: TrainRequest): PlannedOutput[] {
  return [
    { path: output, kind: 'predictor' },
    ...(curves === undefined ? [] : [{ path: curves, kind: 'curves' } as const]),
  ];
}

function curvesText(members: readonly TrainedMember[]): string {
  const text = JSON.stringify({
    schema: 'auspex.curves/1',
    members: members.map(({ curves, ended }) => ({ ended, ...curves })),
  });
  return `${text}\n`;
}
