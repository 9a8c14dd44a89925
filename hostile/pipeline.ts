// What every hostile file is put through, and what may come of it: a result, or an error that says what is
// wrong and where. Everything else is a defect of auspex.
import { inferShapes } from '../src/analysis/infer.js';
import { inspect } from '../src/analysis/inspect.js';
import { inspectionJson } from '../src/cli/inspect-json.js';
import { inspectionText } from '../src/cli/inspect-text.js';
import { decodeModel } from '../src/onnx/read.js';
import { encodeModel } from '../src/onnx/write.js';
import { AuspexError } from '../src/util/errors.js';

export type Outcome =
  | { readonly kind: 'result' }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'defect'; readonly what: string };

/** Errors about a file as a whole: there is no place to tell. */
const WHOLE_FILE = new Set(['ONNX_EMPTY', 'ONNX_NO_GRAPH', 'ONNX_OTHER_FORMAT', 'ONNX_TOO_LARGE']);

/** Control characters: names in a file must not move the cursor of whoever reads about them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Reads, writes again, infers, counts, fingerprints and prints. */
export function runPipeline(bytes: Uint8Array): Outcome {
  try {
    const model = decodeModel(bytes);
    // What was read can always be written, and read again, whatever inference thinks of it.
    decodeModel(encodeModel(model));
    const inspection = inspect(model);
    const { cost, coverage } = inspection;
    if (Number.isNaN(cost.totals.macs) || Number.isNaN(cost.totals.flops)) {
      return { kind: 'defect', what: 'the costs are NaN' };
    }
    const printed = inspectionText(model, inspection, { file: 'model.onnx', nodes: true, tree: true });
    if (UNPRINTABLE.test(printed)) return { kind: 'defect', what: 'the text could steer a terminal' };
    JSON.stringify(inspectionJson(model, inspection, { file: 'model.onnx', tree: true }));
    inferShapes(model, { dims: Object.fromEntries(coverage.symbols.map(({ symbol }) => [symbol, 2])) });
    return { kind: 'result' };
  } catch (error) {
    return judge(error);
  }
}

/** Whether an error is one a user can do something with. */
export function judge(error: unknown): Outcome {
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
