// Checkpoints: all that a training needs to go on as if it had never stopped. A checkpoint is an ONNX file without
// nodes: tensors and curves as initializers, everything else as JSON in its metadata, so that any ONNX tool can
// look inside.
import { makeGraph, makeModel } from '../graph/graph.js';
import { type Tensor, tensorBytes } from '../graph/tensor.js';
import { decodeModel } from '../onnx/read.js';
import { encodeModel } from '../onnx/write.js';
import { ByteRange } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import type { TrainingRecord, Validation } from './record.js';
import type { PlateauState } from './schedules.js';

/** Where the latest checkpoint of a training is kept. */
export interface CheckpointStore {
  /** Undefined where nothing was saved yet. */
  load(): Promise<Uint8Array | undefined>;
  /** Replaces what is there; a crash must leave the old or the new one, never half of one. */
  save(bytes: Uint8Array): Promise<void>;
}

/** What must be the same for a training to go on. */
export interface TrainingIdentity {
  readonly seed: number;
  readonly optimiser: string;
  readonly optimiserFingerprint: string;
  readonly clipNorm: number | undefined;
  readonly emaDecay: number | undefined;
  /** The weights that are validated, and so those that are kept as the best. */
  readonly evaluateWith: string;
  /** Fingerprints of the objective by the shapes of the batches that were seen. */
  readonly objective: Readonly<Record<string, string>>;
}

export interface StoredTensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

export interface Checkpoint {
  readonly identity: TrainingIdentity;
  readonly record: TrainingRecord;
  /** Parameters, the optimiser's slots and averages. */
  readonly state: ReadonlyMap<string, StoredTensor>;
  /** The best weights; empty before the first validation. */
  readonly best: ReadonlyMap<string, StoredTensor>;
}

/** A checkpoint of something else. */
export function checkpointMismatch(what: string, cause?: unknown): AuspexError {
  return new AuspexError('CHECKPOINT_MISMATCH', `the checkpoint ${what}`, {
    hint: 'continue with the same settings and data, or delete the checkpoint to start over',
    cause,
  });
}

/** @throws AuspexError CHECKPOINT_MISMATCH, naming what differs; objectives are for others to compare. */
export function expectSameTraining(then: TrainingIdentity, now: TrainingIdentity): void {
  for (const key of ['seed', 'optimiser', 'clipNorm', 'emaDecay', 'evaluateWith'] as const) {
    if (then[key] === now[key]) continue;
    throw checkpointMismatch(`was made with ${key} ${then[key] ?? 'none'}; here it is ${now[key] ?? 'none'}`);
  }
  if (then.optimiserFingerprint !== now.optimiserFingerprint) {
    throw checkpointMismatch(`was made with other settings of the optimiser ${now.optimiser}`);
  }
}

const FORMAT = 'auspex.checkpoint/1';
const FORMAT_KEY = 'auspex.format';
const TRAINING_KEY = 'auspex.training';

/** Curves with a number for every step: too long for JSON. */
const STEP_CURVES = ['loss', 'learningRate', 'gradientNorm'] as const;

export function encodeCheckpoint({ identity, record, state, best }: Checkpoint): Uint8Array {
  const { curves, ...rest } = record;
  const tensors: Tensor[] = [];
  for (const [name, { dims, data }] of state) tensors.push(rawTensor(`state/${name}`, 'float32', dims, data));
  for (const [name, { dims, data }] of best) tensors.push(rawTensor(`best/${name}`, 'float32', dims, data));
  for (const name of STEP_CURVES) {
    const data = Float64Array.from(curves[name]);
    tensors.push(rawTensor(`curve/${name}`, 'float64', [data.length], data));
  }
  const initializers = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const graph = makeGraph({ name: 'checkpoint', nodes: [], inputs: [], outputs: [], initializers });
  const training = { identity, record: { ...rest, validation: curves.validation } };
  const metadata = new Map([
    [FORMAT_KEY, FORMAT],
    [TRAINING_KEY, JSON.stringify(training, finiteOrText)],
  ]);
  return encodeModel(makeModel(graph, { metadata }));
}

function rawTensor(
  name: string,
  dtype: 'float32' | 'float64',
  dims: readonly number[],
  { buffer, byteOffset, byteLength }: Float32Array | Float64Array,
): Tensor {
  const bytes = ByteRange.of(new Uint8Array(buffer, byteOffset, byteLength));
  return { name, dtype, dims, data: { kind: 'raw', bytes } };
}

/** JSON has no NaN and no infinity; a score may be one. */
function finiteOrText(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** @throws AuspexError CHECKPOINT_UNREADABLE */
export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  try {
    return decoded(bytes);
  } catch (cause) {
    if (cause instanceof AuspexError && cause.code === 'CHECKPOINT_UNREADABLE') throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unreadable(`the checkpoint cannot be read: ${why}`, cause);
  }
}

function unreadable(message: string, cause?: unknown): AuspexError {
  const hint = 'delete it to start over';
  return new AuspexError('CHECKPOINT_UNREADABLE', message, { hint, cause });
}

function decoded(bytes: Uint8Array): Checkpoint {
  const { metadata, graph } = decodeModel(bytes);
  const format = metadata.get(FORMAT_KEY);
  if (format !== FORMAT) {
    throw unreadable(
      format === undefined
        ? 'the file is not a training checkpoint'
        : `the checkpoint has format '${format}'; this version reads '${FORMAT}'`,
    );
  }
  const json = fields(JSON.parse(metadata.get(TRAINING_KEY) ?? 'null'), 'training');
  const sections = { state: new Map<string, StoredTensor>(), best: new Map<string, StoredTensor>() };
  for (const [full, tensor] of graph.initializers) {
    const [, section, name] = /^(state|best)\/(.*)$/s.exec(full) ?? [];
    if (section === undefined) continue;
    const data = new Float32Array(elements(tensor, 'float32'));
    sections[section as 'state' | 'best'].set(name!, { dims: tensor.dims, data });
  }
  const curve = (name: string): number[] => {
    const tensor = graph.initializers.get(`curve/${name}`);
    if (tensor === undefined) throw new Error(`the curve of '${name}' is missing`);
    return Array.from(new Float64Array(elements(tensor, 'float64')));
  };
  return { identity: identityOf(json.identity), record: recordOf(json.record, curve), ...sections };
}

/** A copy of the elements: the bytes of a file need not lie where floats can. */
function elements(tensor: Tensor, dtype: 'float32' | 'float64'): ArrayBuffer {
  if (tensor.dtype !== dtype) throw new Error(`tensor '${tensor.name}' holds ${tensor.dtype}, not ${dtype}`);
  return Uint8Array.from(tensorBytes(tensor)).buffer;
}

// What the JSON says, checked: files get damaged, and a number that is none would train on silently -----------

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`'${what}' is missing`);
}

function text(from: Fields, key: string): string {
  const value = from[key];
  if (typeof value === 'string') return value;
  throw new Error(`'${key}' is not a text`);
}

function number(from: Fields, key: string): number {
  const value = from[key];
  if (typeof value === 'number') return value;
  throw new Error(`'${key}' is not a number`);
}

/** A number that may be NaN or infinite. */
function score(from: Fields, key: string): number {
  const value = from[key];
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : number(from, key);
}

function count(from: Fields, key: string): number {
  const value = number(from, key);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`'${key}' is not a count`);
}

function optionalNumber(from: Fields, key: string): number | undefined {
  return from[key] === undefined ? undefined : number(from, key);
}

function identityOf(value: unknown): TrainingIdentity {
  const from = fields(value, 'identity');
  const objective = fields(from.objective, 'objective');
  return {
    seed: number(from, 'seed'),
    optimiser: text(from, 'optimiser'),
    optimiserFingerprint: text(from, 'optimiserFingerprint'),
    clipNorm: optionalNumber(from, 'clipNorm'),
    emaDecay: optionalNumber(from, 'emaDecay'),
    evaluateWith: text(from, 'evaluateWith'),
    objective: Object.fromEntries(Object.keys(objective).map((key) => [key, text(objective, key)])),
  };
}

function recordOf(value: unknown, curve: (name: string) => number[]): TrainingRecord {
  const from = fields(value, 'record');
  const { validation } = from;
  if (!Array.isArray(validation)) throw new Error("'validation' is not a list");
  const step = count(from, 'step');
  const [loss, learningRate, gradientNorm] = STEP_CURVES.map(curve) as [number[], number[], number[]];
  if ([loss, learningRate, gradientNorm].some(({ length }) => length !== step)) {
    throw new Error(`the length of its curves is not its ${step} steps`);
  }
  return {
    step,
    epoch: count(from, 'epoch'),
    batch: count(from, 'batch'),
    best: from.best === undefined ? undefined : validationOf(from.best),
    sinceBest: count(from, 'sinceBest'),
    plateau: plateauOf(from.plateau),
    curves: { loss, learningRate, gradientNorm, validation: validation.map(validationOf) },
  };
}

function validationOf(value: unknown): Validation {
  const from = fields(value, 'validation');
  return { step: count(from, 'step'), epoch: count(from, 'epoch'), score: score(from, 'score') };
}

function plateauOf(value: unknown): PlateauState {
  const from = fields(value, 'plateau');
  const best = from.best === null ? null : score(from, 'best');
  return { rate: number(from, 'rate'), best, stale: count(from, 'stale') };
}
