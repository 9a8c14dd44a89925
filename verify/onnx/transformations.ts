// The sixth check of a test: every transformation of `auspex convert` gives a model that computes the same in ONNX Runtime,
// or refuses it. The data is that of the test; other samples of a batch are its numbers in the opposite order.
import { Tensor as OrtTensor } from 'onnxruntime-node';
import { type BatchPlaces, joined } from '../../src/app/convert/rows.js';
import { type ConvertOptions, stepsFor } from '../../src/app/convert/steps.js';
import type { Model } from '../../src/graph/graph.js';
import { isTensor } from '../../src/graph/types.js';
import { givenInputs } from '../../src/inputs/drawn.js';
import { encodeModel } from '../../src/onnx/write.js';
import { difference, numbersOf } from '../../src/runtime/difference.js';
import type { HostTensor } from '../../src/runtime/session.js';
import { batchedInputs } from '../../src/transform/batch/inputs.js';
import { withBatch } from '../../src/transform/batch.js';
import { withoutControlFlow } from '../../src/transform/control-flow.js';
import { inTurn, type Transformed } from '../../src/transform/transform.js';
import { AuspexError } from '../../src/util/errors.js';
import { sameTensor } from './ort-tensor.js';
import { load, run, type Session, usesRandomness } from './runtime.js';

/**
 * `unchanged`: nothing to do. `same`: equal results. `close`: they differ by rounding. `far`: by more, which `convert`
 * tells its user. `refused`: an error that says why. `not run`: ONNX Runtime does not run the original. `broken`: only the
 * original is run. `defect`: something was thrown that is no error for users.
 */
export type TransformOutcome =
  | 'unchanged'
  | 'same'
  | 'close'
  | 'far'
  | 'refused'
  | 'not run'
  | 'broken'
  | 'defect';

export interface TransformCheck {
  readonly transformation: string;
  readonly outcome: TransformOutcome;
  readonly reason?: string;
}

interface Transformation {
  readonly name: string;
  apply(model: Model): Promise<Transformed>;
  /** Largest relative difference, or the least cosine, that counts as close. */
  readonly tolerance: number;
  readonly cosine?: number;
  /** Whether a larger difference is a defect: not where numbers have fewer bits on purpose. */
  readonly isExact: boolean;
}

function converted(
  name: string,
  options: ConvertOptions,
  exactness: Omit<Transformation, 'name' | 'apply'>,
): Transformation {
  const apply = (model: Model): Promise<Transformed> =>
    inTurn(model, ...stepsFor(options, model).map((step) => (m: Model) => step.apply(m, options)));
  return { name, apply, ...exactness };
}

const EXACT = { tolerance: 1e-4, isExact: true };

export const TRANSFORMATIONS: readonly Transformation[] = [
  {
    name: 'twice the batch',
    apply: async (model) => withBatch(model, 2 * batchedInputs(givenInputs(model)).was),
    ...EXACT,
  },
  { name: 'open batch', apply: async (model) => withBatch(model, 'dynamic'), ...EXACT },
  {
    name: 'control flow',
    apply: async (model) => withoutControlFlow(model, { branches: 'decided' }),
    ...EXACT,
  },
  converted('simplify', { simplify: true }, EXACT),
  converted('cut', { cut: true }, EXACT),
  converted('float', { float: 'rounded' }, { tolerance: 1e-3, cosine: 0.99, isExact: false }),
  converted('plain', { float: 'plain' }, { tolerance: 1e-2, cosine: 0.95, isExact: false }),
  converted('fp16', { fp16: true }, { tolerance: 1e-2, cosine: 0.99, isExact: false }),
];

export type Feeds = Readonly<Record<string, OrtTensor>>;

/** @param feeds inputs of the model; a text where ONNX Runtime cannot be given them */
export async function checkTransformations(
  model: Model,
  feeds: Feeds | string,
): Promise<readonly TransformCheck[]> {
  const original = typeof feeds === 'string' ? feeds : await load(encodeModel(model));
  const checks: TransformCheck[] = [];
  try {
    for (const one of TRANSFORMATIONS) {
      checks.push({ transformation: one.name, ...(await check(one, model, original, feeds as Feeds)) });
    }
  } finally {
    if (typeof original !== 'string') await original.release();
  }
  return checks;
}

type Outcome = Omit<TransformCheck, 'transformation'>;

async function check(
  transformation: Transformation,
  model: Model,
  original: Session | string,
  feeds: Feeds,
): Promise<Outcome> {
  let after: Transformed & Partial<BatchPlaces>;
  let bytes: Uint8Array;
  try {
    after = await transformation.apply(model);
    if (after.changes.length === 0) return { outcome: 'unchanged' };
    bytes = encodeModel(after.model);
  } catch (error) {
    if (error instanceof AuspexError) return { outcome: 'refused', reason: error.describe() };
    return { outcome: 'defect', reason: (error as Error).stack ?? String(error) };
  }
  if (typeof original === 'string') return { outcome: 'not run', reason: original };
  const places = after.axes && after.was !== undefined ? (after as BatchPlaces) : undefined;
  const isCut = transformation.name === 'cut';
  const wanted = await expectedOf(isCut ? withOutputsOf(model, after.model) : original, feeds, places);
  if (typeof wanted === 'string') return { outcome: 'not run', reason: wanted };
  const session = await load(bytes);
  if (typeof session === 'string') return { outcome: 'broken', reason: session };
  try {
    const known = new Set(session.inputNames);
    const missing = session.inputNames.find((name) => !(name in wanted.feeds));
    if (missing !== undefined) return { outcome: 'not run', reason: `'${missing}' is a value inside` };
    const given = Object.entries(wanted.feeds).filter(([name]) => known.has(name));
    const found = await run(session, inTypesOf(after.model, given));
    if (typeof found === 'string') return { outcome: 'broken', reason: found };
    return compared(transformation, wanted.results, found as Feeds, !usesRandomness(model.graph));
  } finally {
    await session.release();
  }
}

/** Halves as the floats that a network takes instead. */
function inTypesOf({ graph }: Model, feeds: readonly [string, OrtTensor][]): Record<string, OrtTensor> {
  const isWide = (name: string): boolean =>
    graph.inputs.some(({ name: own, type }) => own === name && isTensor(type) && type.dtype === 'float32');
  return Object.fromEntries(
    feeds.map(([name, tensor]) => {
      if (tensor.type !== 'float16' || !isWide(name)) return [name, tensor];
      const numbers = Float32Array.from(numbersOf(tensor as never) as ArrayLike<number>);
      return [name, new OrtTensor('float32', numbers, tensor.dims)];
    }),
  );
}

/** The original with the values as outputs that the part of it has. */
function withOutputsOf({ graph, ...rest }: Model, part: Model): Model {
  const own = new Set(graph.nodes.flatMap(({ outputs }) => outputs));
  const outputs = part.graph.outputs.filter(({ name }) => own.has(name));
  return { ...rest, graph: { ...graph, outputs } };
}

interface Expected {
  readonly feeds: Feeds;
  readonly results: Feeds;
}

/** What the original gives, for every part of a batch alone. */
async function expectedOf(
  original: Session | Model,
  feeds: Feeds,
  places: BatchPlaces | undefined,
): Promise<Expected | string> {
  const isOwn = 'graph' in original;
  const session = isOwn ? await load(encodeModel(original)) : original;
  if (typeof session === 'string') return session;
  try {
    if (places === undefined) {
      const results = await run(session, feeds as Record<string, OrtTensor>);
      return typeof results === 'string' ? results : { feeds, results: results as Feeds };
    }
    const samples = [feeds, await reversed(session, feeds, places)];
    const results: Feeds[] = [];
    for (const sample of samples) {
      const result = await run(session, sample as Record<string, OrtTensor>);
      if (typeof result === 'string') return result;
      results.push(result as Feeds);
    }
    return {
      feeds: asOrt(joined(samples as never, places)),
      results: asOrt(joined(results as never, places)),
    };
  } finally {
    if (isOwn) await session.release();
  }
}

function asOrt(
  tensors: Readonly<Record<string, Pick<HostTensor, 'dims'> & { type: string; data: unknown }>>,
): Feeds {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { type, data, dims }]) => [
      name,
      new OrtTensor(type as 'float32', data as Float32Array, dims),
    ]),
  );
}

/** Another sample: numbers in the opposite order, where the network takes them so. */
async function reversed(session: Session, feeds: Feeds, { axes }: BatchPlaces): Promise<Feeds> {
  const other = asOrt(
    Object.fromEntries(
      Object.entries(feeds).map(([name, { type, dims, data }]) => {
        const isKept = !axes.has(name) || Array.isArray(data);
        return [name, { type, dims, data: isKept ? data : (data as Float32Array).slice().reverse() }];
      }),
    ),
  );
  return typeof (await run(session, other as Record<string, OrtTensor>)) === 'string' ? feeds : other;
}

function compared(
  { tolerance, cosine }: Transformation,
  wanted: Feeds,
  found: Feeds,
  isFixed: boolean,
): Outcome {
  let worst: Outcome = { outcome: 'same' };
  for (const [name, first] of Object.entries(wanted)) {
    const second = found[name];
    if (second === undefined) return { outcome: 'far', reason: `output '${name}' is gone` };
    if (sameTensor(first, second, isFixed)) continue;
    // Integers come as the numbers that they stand for.
    if (first.type !== second.type && first.dims.join() === second.dims.join()) {
      worst = { outcome: 'close', reason: `output '${name}' is ${second.type} in place of ${first.type}` };
      continue;
    }
    const { relative, cosine: angle } = difference(name, first as never, second as never);
    const isClose = relative <= tolerance || (cosine !== undefined && angle >= cosine);
    if (!isClose)
      return { outcome: 'far', reason: `output '${name}' differs by ${relative.toExponential(1)}` };
    worst = { outcome: 'close', reason: `output '${name}' differs by ${relative.toExponential(1)}` };
  }
  return worst;
}

/** Whether an outcome is wrong. */
export function isTransformWrong({ transformation, outcome }: TransformCheck): boolean {
  if (outcome === 'broken' || outcome === 'defect') return true;
  return outcome === 'far' && TRANSFORMATIONS.find(({ name }) => name === transformation)!.isExact;
}
