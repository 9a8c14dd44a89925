// The version of ONNX's file format that goes with a version of its operators, and what changes with it.
import type { Model } from '../graph/graph.js';
import type { Change } from './transform.js';

/** The opsets that came with a version of the format, from the first. */
const OPSETS: readonly (readonly [irVersion: number, since: number])[] = [
  [3, 1],
  [4, 9],
  [5, 10],
  [6, 11],
  [7, 12],
  [8, 15],
  [9, 19],
  [10, 21],
  [11, 23],
  [12, 24],
  [13, 25],
];

/** Functions of a model. */
const FUNCTIONS_SINCE = 8;
/** Weights need not be listed among the inputs. */
const FREE_WEIGHTS_SINCE = 4;

function pairedWith(opset: number): number {
  return OPSETS.findLast(([, since]) => since <= opset)![0];
}

/** The format of a model that goes to another opset: raised as far as needed, or lowered for the readers of old opsets. */
export function irVersionFor({ irVersion, functions }: Model, from: number, to: number): number {
  const paired = pairedWith(to);
  if (to > from) return Math.max(irVersion, paired);
  return Math.min(irVersion, Math.max(paired, functions.length > 0 ? FUNCTIONS_SINCE : 0));
}

/**
 * A model whose format was raised from one in which all weights are inputs: they are no longer, as they were constants to
 * runtimes and would be inputs that a caller may set.
 */
export function withoutWeightInputs(
  model: Model,
  before: number,
): { model: Model; changes: readonly Change[] } {
  const { graph, irVersion } = model;
  if (before >= FREE_WEIGHTS_SINCE || irVersion < FREE_WEIGHTS_SINCE) return { model, changes: [] };
  const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  const count = graph.inputs.length - inputs.length;
  if (count === 0) return { model, changes: [] };
  const what = `${count} weight${count === 1 ? ' is' : 's are'} no longer listed among the inputs`;
  return { model: { ...model, graph: { ...graph, inputs } }, changes: [{ transform: 'opset', what }] };
}
