// The fourth check of a test: ONNX Runtime computes the same, to the bit, from the file and from what auspex
// writes of it.
import { env, InferenceSession, type OnnxValue, Tensor as OrtTensor } from 'onnxruntime-node';
import { type Graph, type Model, subgraphs } from '../../src/graph/graph.js';
import { type DataSet, freeInputs } from './corpus.js';
import { sameTensor, toOrt } from './ort-tensor.js';

// Kernels warn of attributes that are deprecated; what counts is what they compute.
env.logLevel = 'fatal';

/**
 * `same`: equal results. `loaded`: both files load, but cannot be run from JavaScript. `refused`: both are
 * refused with the same message. `different`: anything else.
 */
export type RuntimeOutcome = 'same' | 'loaded' | 'refused' | 'different';

export interface RuntimeResult {
  readonly outcome: RuntimeOutcome;
  /** Why it is not `same`. */
  readonly reason?: string;
}

export type Session = InferenceSession;
export type Results = Readonly<Record<string, OnnxValue>>;

/** Operators whose results are drawn anew in each run: only their types are compared. */
const RANDOM = new Set([
  'Bernoulli',
  'Dropout',
  'Multinomial',
  'RandomNormal',
  'RandomNormalLike',
  'RandomUniform',
  'RandomUniformLike',
]);

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'disabled',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Only what is fatal; refusals come back as errors.
  logSeverityLevel: 4,
};

/** Of an operator that ONNX Runtime knows, but cannot run for its types or version. */
export const NO_KERNEL = /NOT_IMPLEMENTED|Could not find an implementation|not supported/i;

/** What ONNX Runtime says when it does not take a file, in a few words. */
const REFUSALS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [NO_KERNEL, 'no kernel for the operator and its types'],
  [/is under development|not in range|unsupported .* version|IR version/i, 'version too new'],
  [/is not a registered function\/op|No opset import|No Op registered/i, 'operator unknown'],
  [/construct locale/, 'a locale is not installed'],
  [/Type Error|type inference|TypeInferenceError|Invalid model|invalid type/i, 'type not allowed'],
];

export async function checkRuntime(
  model: Model,
  original: Uint8Array,
  rewritten: Uint8Array,
  dataSets: readonly DataSet[],
): Promise<RuntimeResult> {
  const first = await load(original);
  const second = await load(rewritten);
  if (typeof first === 'string' || typeof second === 'string') {
    for (const session of [first, second]) if (typeof session !== 'string') await session.release();
    return compareRefusals(first, second);
  }
  try {
    const exact = !usesRandomness(model.graph);
    for (const data of dataSets) {
      const result = await runBoth(model, first, second, data, exact);
      if (result.outcome !== 'same') return result;
    }
    return { outcome: 'same' };
  } finally {
    await first.release();
    await second.release();
  }
}

/** The outcome where at least one of the two files gave an error. */
function compareRefusals(first: InferenceSession | string, second: InferenceSession | string): RuntimeResult {
  if (typeof first !== 'string') return { outcome: 'different', reason: `the copy does not load: ${second}` };
  if (first !== second) return { outcome: 'different', reason: `the original does not load: ${first}` };
  // This error comes after the file was loaded, when onnxruntime-node describes its inputs and outputs.
  if (/Unsupported data type/.test(first))
    return { outcome: 'loaded', reason: 'element types JavaScript lacks' };
  return { outcome: 'refused', reason: refusal(first) };
}

/** A session, or what ONNX Runtime says. */
export async function load(bytes: Uint8Array): Promise<InferenceSession | string> {
  try {
    return await InferenceSession.create(bytes, SESSION_OPTIONS);
  } catch (error) {
    return message(error);
  }
}

async function runBoth(
  model: Model,
  first: InferenceSession,
  second: InferenceSession,
  data: DataSet,
  exact: boolean,
): Promise<RuntimeResult> {
  const feeds = feedsOf(model, data);
  if (typeof feeds === 'string') return { outcome: 'loaded', reason: feeds };
  const expected = await run(first, feeds);
  if (typeof expected === 'string') return { outcome: 'loaded', reason: 'fails when run' };
  const found = await run(second, feeds);
  if (typeof found === 'string') return { outcome: 'different', reason: `the copy does not run: ${found}` };
  const differing = first.outputNames.find((name) => !sameValue(expected[name], found[name], exact));
  return differing === undefined
    ? { outcome: 'same' }
    : { outcome: 'different', reason: `output '${differing}'` };
}

/** The inputs of a data set, or why they cannot be given from JavaScript. */
export function feedsOf(model: Model, data: DataSet): Record<string, OrtTensor> | string {
  const feeds: Record<string, OrtTensor> = {};
  for (const [i, { name }] of freeInputs(model).entries()) {
    const value = data.inputs[i]!;
    if (value.kind !== 'tensor') return `${value.kind} inputs`;
    const tensor = toOrt(value.tensor);
    if (tensor === undefined) return `${value.tensor.dtype} inputs`;
    feeds[name] = tensor;
  }
  const isPlain = model.graph.outputs.every((output) => output.type.kind === 'tensor');
  return isPlain ? feeds : 'outputs that are no tensors';
}

export async function run(
  session: InferenceSession,
  feeds: Record<string, OrtTensor>,
): Promise<Results | string> {
  try {
    return await session.run(feeds);
  } catch (error) {
    return message(error);
  }
}

function sameValue(a: OnnxValue | undefined, b: OnnxValue | undefined, exact: boolean): boolean {
  return a instanceof OrtTensor && b instanceof OrtTensor && sameTensor(a, b, exact);
}

export function usesRandomness(graph: Graph): boolean {
  return graph.nodes.some(
    (node) => RANDOM.has(node.opType) || [...subgraphs(node)].some(([, inner]) => usesRandomness(inner)),
  );
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refusal(text: string): string {
  return REFUSALS.find(([pattern]) => pattern.test(text))?.[1] ?? `other: ${text}`;
}
