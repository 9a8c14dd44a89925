// What a Loop starts with, and what one look at its body tells.
import { type Dim, isKnown } from '../../../graph/dim.js';
import type { Graph } from '../../../graph/graph.js';
import { isTensor, optionalType, TensorType, type ValueType } from '../../../graph/types.js';
import type { Call, InferredBody } from '../../operator.js';

const TRUE = new TensorType('bool', [], [1]);
const SOME_ITERATION = new TensorType('int64', []);

/** What a loop starts with. */
export interface Start {
  readonly body: Graph;
  /** Most iterations; undefined when there is no limit or it is not known, which `isBounded` tells apart. */
  readonly limit: Dim | undefined;
  readonly isBounded: boolean;
  /** Whether the condition holds at first; undefined when that is not known. */
  readonly enters: boolean | undefined;
  readonly initial: readonly ValueType[];
}

/** A look at the body, and what it was given. */
export interface Look {
  readonly carried: readonly ValueType[];
  readonly body: InferredBody;
}

export function startOf(call: Call): Start {
  const count = call.has('M') ? call.scalar('M') : undefined;
  // Exporters write the greatest 64-bit integer for "no limit".
  const isEndless = !call.has('M') || (isKnown(count) && count > Number.MAX_SAFE_INTEGER);
  const condition = call.has('cond') ? call.tensor('cond').elements?.[0] : 1;
  const initial = call.inputs
    .slice(2)
    .map((type) => type ?? call.fail('an initial value is missing', 'OP_INPUT'));
  return {
    body: call.graph('body'),
    limit: isEndless || count === undefined ? undefined : isKnown(count) ? Math.max(count, 0) : count,
    isBounded: !isEndless,
    enters: isKnown(condition) ? condition !== 0 : undefined,
    initial,
  };
}

/** Infers the body; an iteration only runs when the condition holds. */
export function look(call: Call, values: readonly ValueType[], iteration = SOME_ITERATION): Look {
  const formals = call.graph('body').inputs.slice(2);
  const carried = values.map((type, i) => (formals[i]?.type.kind === 'optional' ? asOptional(type) : type));
  const body = call.inferBody('body', [iteration, TRUE, ...carried]);
  if (body.outputTypes.length < 1 + carried.length) {
    call.fail(
      `the body gives ${body.outputTypes.length} values, but carries ${carried.length}`,
      'GRAPH_BODY',
    );
  }
  return { carried, body };
}

/** A body may take an optional value and give one that is there: the next iteration takes it for present. */
export function asOptional(type: ValueType): ValueType {
  return type.kind === 'optional' || type.kind === 'unknown' ? type : optionalType(type, true);
}

/**
 * Whether the condition holds after an iteration; undefined when that is not known. A condition that is not
 * given at the start counts as one that holds, and what the body makes of it matters, as in ONNX Runtime.
 */
export function goesOn({ body }: Look): boolean | undefined {
  const condition = body.outputTypes[0];
  const value = isTensor(condition) && condition.mayBeKnown ? condition.elements?.[0] : undefined;
  return isKnown(value) ? value !== 0 : undefined;
}

/** What goes into the next iteration, or comes out of the last. */
export function carriedOut({ carried, body }: Look): readonly ValueType[] {
  return body.outputTypes.slice(1, 1 + carried.length);
}

/** What is stacked up from all iterations. */
export function collected({ carried, body }: Look): readonly ValueType[] {
  return body.outputTypes.slice(1 + carried.length);
}
