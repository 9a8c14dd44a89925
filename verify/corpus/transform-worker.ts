// One transformation of one file, compared with the original in ONNX Runtime. Prints a TransformResult as JSON, or what
// refused it. Run by checks.ts in a process of its own: `node transform-worker.js FILE CHECK`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatchPlaces } from '../../src/app/convert/rows.js';
import { type ConvertOptions, stepsFor } from '../../src/app/convert/steps.js';
import { verified } from '../../src/app/convert/verify.js';
import type { Model } from '../../src/graph/graph.js';
import { isTensor } from '../../src/graph/types.js';
import { givenInputs } from '../../src/inputs/drawn.js';
import { readModel, writeModel } from '../../src/onnx/file.js';
import type { Rebatched } from '../../src/transform/batch.js';
import { hasQuantised } from '../../src/transform/dequantise.js';
import { inTurn } from '../../src/transform/transform.js';
import { AuspexError } from '../../src/util/errors.js';
import type { Check, Reason, TransformResult } from './results.js';

/** Samples of the batch that is tried. */
const SAMPLES = 3;

const OPTIONS: Partial<Record<Check, ConvertOptions>> = {
  opset17: { opset: 17 },
  opset21: { opset: 21 },
  batch: { batch: SAMPLES },
  float: { float: 'rounded' },
  plain: { float: 'plain' },
  simplify: { simplify: true },
};

/** Whether a check has something to do. */
function isNeeded(model: Model, options: ConvertOptions): boolean {
  if (options.opset !== undefined) return (model.opsetImports.get('') ?? options.opset) < options.opset;
  if (options.float !== undefined) return hasQuantised(model.graph);
  return options.batch === undefined || hasFixedBatch(model);
}

function hasFixedBatch(model: Model): boolean {
  return givenInputs(model).every(({ type }) => {
    const [first] = (isTensor(type) ? type.shape : undefined) ?? [];
    return first === undefined || typeof first === 'number';
  });
}

interface Result {
  readonly model: Model;
  readonly batch: BatchPlaces | undefined;
}

async function applied(original: Model, options: ConvertOptions): Promise<Result> {
  let batch: BatchPlaces | undefined;
  const steps = stepsFor(options, original).map((step) => async (model: Model) => {
    const after = await step.apply(model, options);
    if ('axes' in after) batch = after as Rebatched;
    return after;
  });
  const { model } = await inTurn(original, ...steps);
  return { model, batch };
}

/** @param before what the file is converted to first; the result is compared with that */
async function transformed(
  file: string,
  options: ConvertOptions,
  before?: ConvertOptions,
): Promise<TransformResult> {
  const read = readModel(file);
  const original = before ? (await applied(read, before)).model : read;
  const { model, batch } = await applied(original, options);
  const folder = mkdtempSync(join(tmpdir(), 'auspex-corpus-'));
  try {
    const [reference, written] = ['reference.onnx', 'transformed.onnx'].map((name) => join(folder, name));
    if (before) writeModel(original, reference!);
    writeModel(model, written!);
    const found = await verified({
      models: [original, model],
      files: [before ? reference! : file, written!],
      tolerance: Number.POSITIVE_INFINITY,
      batch,
    });
    const nodes = [original.graph.nodes.length, model.graph.nodes.length] as [number, number];
    if (found.status === 'not run') return { status: 'not run', why: found.reason, nodes };
    const relative = Math.max(0, ...found.outputs.map((output) => output.relative));
    const cosine = Math.min(1, ...found.outputs.map((output) => output.cosine));
    return { status: 'compared', nodes, relative: Number.isFinite(relative) ? relative : null, cosine };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a batch may need first. Samples of the file as it becomes are compared with single ones of it. */
const BEFORE_BATCH: readonly (readonly [string, ConvertOptions])[] = [
  ['opset 17 and floats', { opset: 17, float: 'plain' }],
  ['opset 17, floats and cutting', { opset: 17, float: 'plain', cut: true }],
];

async function checked(file: string, check: Check): Promise<TransformResult> {
  const options = OPTIONS[check]!;
  if (!isNeeded(readModel(file), options)) return { status: 'unchanged' };
  try {
    return await transformed(file, options);
  } catch (error) {
    if (!(error instanceof AuspexError) || check !== 'batch') throw error;
    let problem = error;
    for (const [after, before] of BEFORE_BATCH) {
      try {
        return { ...(await transformed(file, options, before)), after };
      } catch (again) {
        if (!(again instanceof AuspexError)) throw again;
        // What prevents it once it is in floats says more.
        if (again.code === error.code) problem = again;
      }
    }
    throw problem;
  }
}

const [file = '', check = ''] = process.argv.slice(2);
try {
  process.stdout.write(JSON.stringify(await checked(file, check as Check)));
} catch (error) {
  const { message, stack } = error as Error;
  const reason: Reason =
    error instanceof AuspexError
      ? { code: error.code, message: error.describe() }
      : { code: 'DEFECT', message: (stack ?? message).slice(0, 600) };
  process.stdout.write(JSON.stringify({ error: reason }));
  process.exitCode = 1;
}
