// What `auspex convert` does: transformations one after another, a file that is written beside its place, verified, and
// only then put there.
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Graph, Model } from '../../graph/graph.js';
import { subgraphs } from '../../graph/graph.js';
import { readModel, writeModel } from '../../onnx/file.js';
import { checkOutputs } from '../../store/outputs.js';
import type { Rebatched } from '../../transform/batch.js';
import { type Change, inTurn } from '../../transform/transform.js';
import { attempt } from '../../util/attempt.js';
import { AuspexError } from '../../util/errors.js';
import type { BatchPlaces } from './rows.js';
import { type ConvertOptions, stepsFor } from './steps.js';
import { type Verification, verified } from './verify.js';

interface ConvertRequest {
  readonly input: string;
  /** Undefined: nothing is written. */
  readonly output?: string | undefined;
  readonly options: ConvertOptions;
  /** All weights go into a file beside the model; they do anyway where it would pass 2 GiB. */
  readonly externalData?: boolean;
  readonly isVerified?: boolean;
  readonly force?: boolean | undefined;
}

/** A file, or what it would be. */
export interface ConvertedFile {
  readonly file: string;
  /** With the weights beside it; undefined where it was not written. */
  readonly bytes: number | undefined;
  readonly opset: number | undefined;
  readonly irVersion: number;
  /** With those of graphs that nodes run, and of functions. */
  readonly nodes: number;
}

export interface Converted {
  readonly input: ConvertedFile;
  readonly output: ConvertedFile | undefined;
  readonly model: Model;
  readonly changes: readonly Change[];
  /** Largest relative difference that counts as the same. */
  readonly tolerance: number;
  /** Or the least cosine, where outputs are close on purpose only. */
  readonly cosine: number | undefined;
  /** Undefined where nothing was run. */
  readonly verification: Verification | undefined;
}

/**
 * Converts a file.
 *
 * @throws AuspexError what a transformation refuses; CONVERT_DIFFERS and CONVERT_BROKEN, and nothing is written then
 */
export async function convert(request: ConvertRequest): Promise<Converted> {
  const { input, output, options, externalData = false, isVerified = true } = request;
  const original = readModel(input);
  if (output !== undefined) checkOutput(output, original, request);
  if (output !== undefined && externalData) checkWeights(output, original, request);
  const steps = stepsFor(options, original);
  let batch: BatchPlaces | undefined;
  const { model, changes } = await inTurn(
    original,
    ...steps.map((step) => async (m: Model) => {
      const result = await step.apply(m, options);
      if ('axes' in result) batch = result as Rebatched;
      return result;
    }),
  );
  const tolerance = Math.max(0, ...steps.map((step) => step.tolerance));
  const cosines = steps.flatMap((step) => step.cosine ?? []);
  const cosine = cosines.length > 0 ? Math.min(...cosines) : undefined;
  const before = described(input, original, sizeOf(input, original));
  const plan = { input: before, model, changes, tolerance, cosine };
  if (output === undefined) return { ...plan, output: undefined, verification: undefined };
  const folder = mkdtempSync(join(dirname(output), '.auspex-convert-'));
  try {
    const staged = join(folder, basename(output));
    writeModel(model, staged, { externalData: externalData ? 'always' : 'auto' });
    const reference = options.cut ? withOutputsOf(original, model, join(folder, 'original.onnx')) : undefined;
    const comparison = {
      models: [reference?.model ?? original, model] as const,
      files: [reference?.file ?? input, staged] as const,
    };
    const given = options.sizes;
    const verification = isVerified
      ? await verified({ ...comparison, tolerance, cosine, given, batch })
      : undefined;
    if (verification?.status === 'different') throw differs(verification, plan);
    const isSplit = statSync(dataFileOf(staged), { throwIfNoEntry: false }) !== undefined;
    if (isSplit) checkWeights(output, original, request);
    const bytes = sizeOf(staged, undefined);
    for (const file of [dataFileOf(staged), staged]) {
      if (statSync(file, { throwIfNoEntry: false })) renameSync(file, join(dirname(output), basename(file)));
    }
    return { ...plan, output: described(output, model, bytes), verification };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The original, written with the outputs of the part that is left of it; they are values inside. */
function withOutputsOf({ graph, ...rest }: Model, part: Model, file: string): { model: Model; file: string } {
  const own = new Set([
    ...graph.inputs.map(({ name }) => name),
    ...graph.nodes.flatMap(({ outputs }) => outputs),
  ]);
  const outputs = part.graph.outputs.filter(({ name }) => own.has(name));
  const model = { ...rest, graph: { ...graph, outputs: outputs.length > 0 ? outputs : graph.outputs } };
  writeModel(model, file);
  return { model, file };
}

function checkOutput(output: string, original: Model, { input, force }: ConvertRequest): void {
  checkOutputs({ outputs: [{ path: output, kind: 'network' }], inputs: inputsOf(input, original), force });
}

/** What the file of weights would replace: nothing but that of the network that is replaced. */
function checkWeights(output: string, original: Model, { input, force }: ConvertRequest): void {
  const path = dataFileOf(output);
  const replaced = attempt(() => readModel(output));
  const isOwn = replaced !== undefined && externalFiles(replaced.graph).has(basename(path));
  checkOutputs({
    outputs: [{ path, kind: 'text' }],
    inputs: inputsOf(input, original),
    force: force || isOwn,
  });
}

function inputsOf(input: string, { graph }: Model): string[] {
  return [input, ...[...externalFiles(graph)].map((name) => join(dirname(input), name))];
}

/** Where writeModel puts the weights of a model. */
function dataFileOf(path: string): string {
  return `${path}.data`;
}

function differs(
  { outputs }: Verification & { status: 'same' | 'different' },
  { tolerance, cosine }: Pick<Converted, 'tolerance' | 'cosine'>,
): AuspexError {
  const worst = outputs.reduce((a, b) => (b.relative > a.relative ? b : a));
  const allowed = cosine === undefined ? tolerance : `a cosine of ${cosine}`;
  const far = Number.isFinite(worst.relative)
    ? `by ${worst.absolute.toExponential(1)} (${worst.relative.toExponential(1)} of its largest number, cosine ` +
      `${worst.cosine.toFixed(4)}; the limit is ${allowed})`
    : 'in type, shape or numbers that are not finite';
  return new AuspexError(
    'CONVERT_DIFFERS',
    `output '${worst.name}' differs from the original ${far}; nothing was written`,
    { kind: 'failure', hint: 'to write it anyway, use --no-verify' },
  );
}

function described(file: string, model: Model, bytes: number | undefined): ConvertedFile {
  const { irVersion, opsetImports, graph, functions } = model;
  const nodes = nodesOf(graph) + functions.reduce((n, f) => n + nodesOf(f), 0);
  return { file, bytes, opset: opsetImports.get(''), irVersion, nodes };
}

function nodesOf({ nodes }: Pick<Graph, 'nodes'>): number {
  return nodes.reduce(
    (n, node) => [...subgraphs(node)].reduce((m, [, graph]) => m + nodesOf(graph), n + 1),
    0,
  );
}

/** Of a file and the weights beside it: of a model that was read, all that it names. */
function sizeOf(path: string, model: Model | undefined): number {
  const beside = model ? externalFiles(model.graph) : new Set([basename(dataFileOf(path))]);
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return [...beside].reduce((sum, name) => sum + size(join(dirname(path), name)), size(path));
}

function externalFiles({ initializers }: Graph): Set<string> {
  const names = new Set<string>();
  for (const { data } of initializers.values()) if (data.kind === 'external') names.add(data.location);
  return names;
}
