// What every hostile file is put through, and what may come of it: a result, or an error that says what is
// wrong and where. Everything else is a defect of auspex.
import { inferShapes } from '../../src/analysis/infer.js';
import { inspect } from '../../src/analysis/inspect.js';
import { inspectDocumentOf } from '../../src/app/documents/inspect.js';
import { inspectionText } from '../../src/cli/text/inspect.js';
import type { Model } from '../../src/graph/graph.js';
import { decodeModel } from '../../src/onnx/read.js';
import { encodeModel } from '../../src/onnx/write.js';
import { withBatch } from '../../src/transform/batch.js';
import { withoutControlFlow } from '../../src/transform/control-flow.js';
import { differentiablePart } from '../../src/transform/cut.js';
import { inFloat } from '../../src/transform/dequantise.js';
import { inFloat16 } from '../../src/transform/narrower-floats.js';
import { withOpset } from '../../src/transform/opset.js';
import { simplified } from '../../src/transform/simplify/simplify.js';
import type { Transformed } from '../../src/transform/transform.js';
import { inFloat32 } from '../../src/transform/wider-floats.js';
import type { ByteSource } from '../../src/util/bytes.js';
import { AuspexError } from '../../src/util/errors.js';

export type Outcome =
  | { readonly kind: 'result' }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'defect'; readonly what: string };

/** The opset that every model is brought to. */
const CONVERTED_TO = 18;

/** Errors about a file as a whole: there is no place to tell. */
const WHOLE_FILE = new Set([
  'BAD_OPSET',
  'BATCH_NONE',
  'NO_GRADIENTS',
  'ONNX_EMPTY',
  'ONNX_NO_GRAPH',
  'ONNX_OTHER_FORMAT',
  'ONNX_TOO_LARGE',
  'OPSET_TOO_OLD',
]);

/** Control characters: names in a file must not move the cursor of whoever reads about them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Something that is wrong although nothing was thrown. */
class Defect extends Error {}

/** Reads, writes again, infers, counts, fingerprints and prints. */
export function runPipeline(bytes: Uint8Array): Outcome {
  try {
    const model = readTwice(bytes);
    // What was read can always be written, and read again, whatever inference thinks of it.
    decodeModel(encodeModel(model));
    const inspection = inspect(model);
    const { macs, flops } = inspection.cost.totals;
    if (Number.isNaN(macs) || Number.isNaN(flops)) throw new Defect('the costs are NaN');
    const text = inspectionText({ model, inspection }, { file: 'model.onnx', nodes: true, tree: true });
    if (UNPRINTABLE.test(text)) throw new Defect('the text could steer a terminal');
    JSON.stringify(inspectDocumentOf({ model, inspection }, { file: 'model.onnx', tree: true }));
    const { symbols } = inspection.coverage;
    inferShapes(model, { dims: Object.fromEntries(symbols.map(({ symbol }) => [symbol, 2])) });
    return { kind: 'result' };
  } catch (error) {
    return judge(error);
  }
}

type Transform = (model: Model) => Transformed | Promise<Transformed>;

/** Every transformation of a network. */
export const TRANSFORMS: Readonly<Record<string, Transform>> = {
  opset: (model) => withOpset(model, CONVERTED_TO),
  batch: (model) => withBatch(model, 'dynamic'),
  'control flow': (model) => withoutControlFlow(model, { maxNodes: 1000 }),
  float: (model) => inFloat(model, { rounding: 'straight-through' }),
  float32: inFloat32,
  float16: inFloat16,
  cut: (model) => differentiablePart(model),
  simplify: (model) => simplified(model),
};

/** A transformation of a file that can be read: what is transformed can be written and read, or the error says why not. */
export async function runTransformation(bytes: Uint8Array, name: string): Promise<Outcome> {
  try {
    decodeModel(encodeModel((await TRANSFORMS[name]!(decodeModel(bytes))).model));
    return { kind: 'result' };
  } catch (error) {
    const outcome = judge(error);
    return outcome.kind === 'defect' ? { kind: 'defect', what: `${name}: ${outcome.what}` } : outcome;
  }
}

/** Bytes that are handed out a few at a time, as from a file on disk. */
class WindowedSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = 64;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#bytes.slice(offset, offset + length);
  }
}

/** Larger files are not read a second time. */
const MAX_TWICE_BYTES = 100_000;

/** Reads a model from memory; reading it piece by piece must give the same model, or the same error. */
function readTwice(bytes: Uint8Array): Model {
  const whole = attempt(() => decodeModel(bytes));
  if (bytes.length <= MAX_TWICE_BYTES) {
    const pieces = attempt(() => decodeModel(new WindowedSource(bytes)));
    if (!isSame(whole, pieces)) throw new Defect(`another outcome when read piece by piece: ${pieces.error}`);
  }
  if (whole.error !== undefined) throw whole.error;
  return whole.model!;
}

interface Attempt {
  readonly model?: Model;
  readonly error?: unknown;
}

function attempt(read: () => Model): Attempt {
  try {
    return { model: read() };
  } catch (error) {
    return { error };
  }
}

function isSame(a: Attempt, b: Attempt): boolean {
  if (a.model && b.model) return Buffer.compare(encodeModel(a.model), encodeModel(b.model)) === 0;
  const told = ({ error }: Attempt): string =>
    error instanceof AuspexError ? error.describe() : String(error);
  return told(a) === told(b);
}

/** Whether an error is one a user can do something with. */
export function judge(error: unknown): Outcome {
  if (error instanceof Defect) return { kind: 'defect', what: error.message };
  if (!(error instanceof AuspexError)) {
    const text = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    return { kind: 'defect', what: text.split('\n').slice(0, 4).join('\n') };
  }
  const { code, message, where } = error;
  if (!/^[A-Z][A-Z_]+$/.test(code)) return { kind: 'defect', what: `the code of an error is '${code}'` };
  if (message.trim() === '') return { kind: 'defect', what: `${code} has no message` };
  const isPlaced = [where.node, where.operator, where.path, where.offset].some((part) => part !== undefined);
  if (!isPlaced && !WHOLE_FILE.has(code)) {
    return { kind: 'defect', what: `${code} does not say where: ${message.slice(0, 200)}` };
  }
  return { kind: 'error', code };
}
