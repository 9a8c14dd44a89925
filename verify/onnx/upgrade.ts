// The fifth check of a test: brought to a newer opset, the model computes the same in ONNX Runtime, to the bit. Of models
// that it does not run any more, the results are held against the values that the test says must come out.
import { type OnnxValue, Tensor as OrtTensor } from 'onnxruntime-node';
import type { Model } from '../../src/graph/graph.js';
import { encodeModel } from '../../src/onnx/write.js';
import { withOpset } from '../../src/transform/opset.js';
import { AuspexError } from '../../src/util/errors.js';
import type { DataSet } from './corpus.js';
import { closeTensor, sameTensor, toOrt } from './ort-tensor.js';
import { feedsOf, load, NO_KERNEL, type Results, run, type Session, usesRandomness } from './runtime.js';

/** The opset that all older models are brought to. */
const UPGRADE_TO = 21;

/** ONNX's own tolerance for the values of its tests. */
const TEST_TOLERANCE = 1e-3;
/** What another kernel may round differently: ONNX Runtime sums in another order in AveragePool since opset 19. */
const ROUNDING = 1e-6;

/**
 * `same`: equal results. `rounded`: they differ in the last bits. `expected`: ONNX Runtime does not run the original, but
 * the values are those of the test. `refused`: auspex does not convert it. `not run`: there is nothing to compare.
 * `different`: anything else.
 */
export type UpgradeOutcome = 'same' | 'rounded' | 'expected' | 'refused' | 'not run' | 'different';

export interface UpgradeResult {
  readonly outcome: UpgradeOutcome;
  /** Why it is not `same`. */
  readonly reason?: string;
}

/** Undefined for a model that is new enough. */
export async function checkUpgrade(
  model: Model,
  original: Uint8Array,
  dataSets: readonly DataSet[],
): Promise<UpgradeResult | undefined> {
  const opset = model.opsetImports.get('');
  if (opset === undefined || opset >= UPGRADE_TO) return undefined;
  let upgraded: Uint8Array;
  try {
    upgraded = encodeModel(withOpset(model, UPGRADE_TO).model);
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return { outcome: 'refused', reason: error.describe() };
  }
  const before = await load(original);
  const after = await load(upgraded);
  try {
    if (typeof after === 'string') {
      const isNotRun = typeof before === 'string' || NO_KERNEL.test(after);
      return { outcome: isNotRun ? 'not run' : 'different', reason: after };
    }
    return await compareAll(model, typeof before === 'string' ? undefined : before, after, dataSets);
  } finally {
    for (const session of [before, after]) if (typeof session !== 'string') await session.release();
  }
}

const RANKS: readonly UpgradeOutcome[] = ['same', 'rounded', 'expected', 'not run', 'different'];

/** The worst of all data sets. */
async function compareAll(
  model: Model,
  before: Session | undefined,
  after: Session,
  dataSets: readonly DataSet[],
): Promise<UpgradeResult> {
  let worst: UpgradeResult = { outcome: before ? 'same' : 'expected' };
  for (const data of dataSets) {
    const result = await compare(model, before, after, data);
    if (RANKS.indexOf(result.outcome) > RANKS.indexOf(worst.outcome)) worst = result;
  }
  return worst;
}

async function compare(
  model: Model,
  before: Session | undefined,
  after: Session,
  data: DataSet,
): Promise<UpgradeResult> {
  const feeds = feedsOf(model, data);
  if (typeof feeds === 'string') return { outcome: 'not run', reason: feeds };
  const wanted = before ? await run(before, feeds) : expectedOf(model, data);
  if (typeof wanted === 'string') return { outcome: 'not run', reason: wanted };
  const found = await run(after, feeds);
  if (typeof found === 'string') return { outcome: 'different', reason: found };
  const exact = !usesRandomness(model.graph);
  const differing = (isEqual: (a: OrtTensor, b: OrtTensor) => boolean): string | undefined =>
    Object.keys(wanted).find((name) => !both(wanted[name], found[name], isEqual));
  if (before && !differing((a, b) => sameTensor(a, b, exact))) return { outcome: 'same' };
  const tolerance = before ? ROUNDING : TEST_TOLERANCE;
  const far = differing((a, b) => (exact ? closeTensor(a, b, tolerance) : sameTensor(a, b, false)));
  if (far === undefined) return { outcome: before ? 'rounded' : 'expected' };
  return { outcome: 'different', reason: `output '${far}'` };
}

/** What a test says must come out. */
function expectedOf(model: Model, { outputs }: DataSet): Results | string {
  const tensors: Record<string, OrtTensor> = {};
  for (const [i, { name }] of model.graph.outputs.entries()) {
    const value = outputs[i]!;
    const tensor = value.kind === 'tensor' ? toOrt(value.tensor) : undefined;
    if (tensor === undefined) return `output '${name}' is no tensor that JavaScript knows`;
    tensors[name] = tensor;
  }
  return tensors;
}

function both(
  a: OnnxValue | undefined,
  b: OnnxValue | undefined,
  isEqual: (a: OrtTensor, b: OrtTensor) => boolean,
): boolean {
  return a instanceof OrtTensor && b instanceof OrtTensor && isEqual(a, b);
}
