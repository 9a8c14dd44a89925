// Loop: runs a body until it has run a number of times, or until a condition fails. Values that the body
// carries from one iteration to the next may change their type; values it collects get a dimension in front,
// one element per iteration.
//
// Three ways to find out what comes out, from exact to general:
// 1. Nothing that the body carries changes its type: one look at the body tells all.
// 2. Types or known numbers change, but few iterations are known to run: the body is followed through each.
// 3. Otherwise sizes that change are given a name for "the size in this iteration", until nothing changes.
import { add, type Dim, isKnown, multiply, sameDim, subtract, symbol } from '../graph/dim.js';
import { type Graph, subgraphs } from '../graph/graph.js';
import {
  isTensor,
  MAX_KNOWN_ELEMENTS,
  sameShape,
  sameType,
  sequenceType,
  TensorType,
  type ValueType,
} from '../graph/types.js';
import { FREE } from './cost.js';
import { mergeTypes, sameElements, sameKnowledge, withoutShape } from './merge.js';
import type { Call, InferredBody, Operator } from './operator.js';
import type { OperatorTable } from './registry.js';

/** Loops with more iterations are not followed through each. */
const MAX_FOLLOWED = 64;
/** Nor are loops whose bodies would have more nodes visited than this, with the loops inside them. */
const MAX_FOLLOWED_NODES = 20_000;
/** Rounds in which changing sizes are looked for, before all shapes are given up. */
const MAX_ROUNDS = 4;

const TRUE = new TensorType('bool', [], [1]);
const SOME_ITERATION = new TensorType('int64', []);

/** What a loop starts with. */
interface Start {
  readonly body: Graph;
  /** Most iterations; undefined when there is no limit or it is not known, which `isBounded` tells apart. */
  readonly limit: Dim | undefined;
  readonly isBounded: boolean;
  /** Whether the condition holds at first; undefined when that is not known. */
  readonly enters: boolean | undefined;
  readonly initial: readonly ValueType[];
}

/** A look at the body, and what it was given. */
interface Look {
  readonly carried: readonly ValueType[];
  readonly body: InferredBody;
}

function startOf(call: Call): Start {
  const count = call.has(0) ? call.scalar(0) : undefined;
  // Exporters write the greatest 64-bit integer for "no limit".
  const isEndless = !call.has(0) || (isKnown(count) && count > Number.MAX_SAFE_INTEGER);
  const condition = call.has(1) ? call.tensor(1).elements?.[0] : 1;
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
function look(call: Call, carried: readonly ValueType[], iteration = SOME_ITERATION): Look {
  const body = call.inferBody('body', [iteration, TRUE, ...carried]);
  if (body.outputTypes.length < 1 + carried.length) {
    call.fail(
      `the body gives ${body.outputTypes.length} values, but carries ${carried.length}`,
      'GRAPH_BODY',
    );
  }
  return { carried, body };
}

/**
 * Whether the condition holds after an iteration; undefined when that is not known. A condition that is not
 * given at the start counts as one that holds, and what the body makes of it matters, as in ONNX Runtime.
 */
function goesOn({ body }: Look): boolean | undefined {
  const condition = body.outputTypes[0];
  const value = isTensor(condition) && condition.mayBeKnown ? condition.elements?.[0] : undefined;
  return isKnown(value) ? value !== 0 : undefined;
}

function carriedOut({ carried, body }: Look): readonly ValueType[] {
  return body.outputTypes.slice(1, 1 + carried.length);
}

function collected({ carried, body }: Look): readonly ValueType[] {
  return body.outputTypes.slice(1 + carried.length);
}

const Loop: Operator = {
  infer: (call) => {
    const start = startOf(call);
    const first = look(call, start.initial);
    const isSteady = carriedOut(first).every((type, i) => !isWorthFollowing(start.initial[i]!, type));
    if (!isSteady || goesOn(first) === undefined) {
      const followed = follow(call, start);
      if (followed !== undefined) return followed;
    }
    return generalise(call, start, first);
  },
  cost: FREE,
};

/** Whether following a carried value tells more: its shape, its length or known numbers change. */
function isWorthFollowing(before: ValueType, after: ValueType): boolean {
  if (isTensor(before) && isTensor(after)) {
    if (!sameShape(before.shape, after.shape)) return true;
    return before.mayBeKnown && after.mayBeKnown && !sameElements(before, after);
  }
  if (before.kind === 'sequence' && after.kind === 'sequence') {
    return before.items !== undefined && before.items.length !== after.items?.length;
  }
  return !sameType(before, after);
}

// Iteration by iteration --------------------------------------------------------------------------------

/** Goes through the iterations one by one; undefined when it cannot be told when they end. */
function follow(call: Call, { body, limit, isBounded, enters, initial }: Start): ValueType[] | undefined {
  if (enters !== true || (isBounded && !isKnown(limit))) return undefined;
  const most = Math.min(isKnown(limit) ? limit : MAX_FOLLOWED, MAX_FOLLOWED);
  if (most === 0 || most * weight(body) > MAX_FOLLOWED_NODES) return undefined;
  const looks: Look[] = [];
  let carried = initial;
  for (let i = 0; i < most; i++) {
    const iteration = look(call, carried, new TensorType('int64', [], [i]));
    looks.push(iteration);
    carried = carriedOut(iteration);
    const on = goesOn(iteration);
    if (i + 1 === limit || on === false) {
      for (const { body: graph } of looks) call.recordBody('body', graph);
      return [...carried, ...stack(call, looks)];
    }
    if (on === undefined) return undefined;
  }
  return undefined;
}

/** Nodes that are visited when a graph is followed, as far as its loops are. */
function weight(graph: Graph): number {
  let total = 0;
  for (const node of graph.nodes) {
    total++;
    for (const [, inner] of subgraphs(node)) {
      total += weight(inner) * (node.opType === 'Loop' ? MAX_FOLLOWED : 1);
      if (total > MAX_FOLLOWED_NODES) return total;
    }
  }
  return total;
}

/** What was collected in each iteration, one below the other. */
function stack(call: Call, looks: readonly Look[]): ValueType[] {
  const firstOutput = looks[0]!.carried.length;
  return collected(looks[0]!).map((_, i) => {
    const rows = looks.map((each) => collected(each)[i]!);
    const unknown = (axis: number): Dim => call.unknownSize(firstOutput + i, axis + 1);
    const row = rows.reduce((a, b) => mergeTypes(call, a, b, unknown));
    if (!isTensor(row)) return row;
    const shape = row.shape && [rows.length, ...row.shape];
    return new TensorType(row.dtype, shape, stackedElements(rows));
  });
}

function stackedElements(rows: readonly ValueType[]): readonly Dim[] | undefined {
  const all: Dim[] = [];
  for (const row of rows) {
    const elements = isTensor(row) && row.mayBeKnown ? row.elements : undefined;
    if (elements === undefined || all.length + elements.length > MAX_KNOWN_ELEMENTS) return undefined;
    all.push(...elements);
  }
  return all;
}

// All iterations at once --------------------------------------------------------------------------------

/** Sizes that change from one iteration to the next, each named after the body's input that has it. */
class ChangingSizes {
  readonly #inputs: readonly string[];
  readonly #named = new Set<string>();

  constructor(body: Graph) {
    this.#inputs = body.inputs.slice(2).map((input) => input.name);
  }

  /** The size of a carried value in this iteration. */
  now(carried: number, axis: number): Dim {
    const name = `${this.#inputs[carried]}[${axis}].now`;
    this.#named.add(name);
    return symbol(name);
  }

  /** Whether a size depends on the iteration. */
  has(size: Dim): boolean {
    const text = String(size);
    return [...this.#named].some((name) => text.includes(name));
  }
}

/** Finds types for the carried values that hold in all iterations, and looks at the body with these. */
function settle(call: Call, first: Look, changing: ChangingSizes): Look {
  let at = first;
  for (let round = 0; ; round++) {
    const next = carriedOut(at).map((type, i) =>
      round < MAX_ROUNDS
        ? mergeTypes(call, at.carried[i]!, type, (axis) => changing.now(i, axis))
        : withoutShape(at.carried[i]!),
    );
    if (next.every((type, i) => sameKnowledge(type, at.carried[i]!))) return at;
    at = look(call, next);
  }
}

/** How often the body runs; undefined when that is not known. */
function iterations({ limit, enters }: Start, settled: Look, runs: boolean): Dim | undefined {
  if (enters === false || limit === 0) return 0;
  if (enters === undefined) return undefined;
  const on = goesOn(settled);
  return on === true ? limit : on === false && runs ? 1 : undefined;
}

function generalise(call: Call, start: Start, first: Look): ValueType[] {
  const { initial, limit } = start;
  const changing = new ChangingSizes(start.body);
  const settled = settle(call, first, changing);
  const runs = start.enters === true && (start.isBounded ? isKnown(limit) && limit > 0 : true);
  const times = iterations(start, settled, runs);
  call.recordBody('body', settled.body, { times });

  const carried = carriedOut(settled).map((after, i): ValueType => {
    const before = initial[i]!;
    if (times === 0) return before;
    const unknown = (axis: number): Dim => call.unknownSize(i, axis);
    if (!isTensor(before) || !isTensor(after)) {
      const type = withoutChanging(after, changing, unknown);
      return runs ? type : mergeTypes(call, before, type, unknown);
    }
    const shape = after.shape?.map((size, axis) => {
      const from = before.shape?.[axis];
      if (!changing.has(size))
        return runs || (from !== undefined && sameDim(from, size)) ? size : unknown(axis);
      return grown(from, subtract(size, changing.now(i, axis)), times, changing) ?? unknown(axis);
    });
    const isCertain = runs ? isFixed(after, changing) : sameElements(before, after);
    const elements = isCertain ? after.elements : undefined;
    return new TensorType(after.dtype, runs || before.rank === after.rank ? shape : undefined, elements);
  });
  const scans = collected(settled).map((type, i): ValueType => {
    const output = carried.length + i;
    const row = withoutChanging(type, changing, (axis) => call.unknownSize(output, axis + 1));
    if (!isTensor(row)) return row;
    return new TensorType(row.dtype, row.shape && [times ?? call.unknownSize(output, 0), ...row.shape]);
  });
  return [...carried, ...scans];
}

/** A size that every iteration adds the same to. */
function grown(
  from: Dim | undefined,
  step: Dim,
  times: Dim | undefined,
  changing: ChangingSizes,
): Dim | undefined {
  if (from === undefined || times === undefined || changing.has(step)) return undefined;
  return add(from, multiply(times, step));
}

/** Whether the elements of a value are known, and the same in all iterations. */
function isFixed(type: TensorType, changing: ChangingSizes): boolean {
  return type.mayBeKnown && type.elements?.some((element) => changing.has(element)) === false;
}

/** A type as seen from outside: sizes that depend on the iteration are unknown there. */
function withoutChanging(
  type: ValueType,
  changing: ChangingSizes,
  unknown: (axis: number) => Dim,
): ValueType {
  const outside = (inner: ValueType): ValueType => withoutChanging(inner, changing, unknown);
  switch (type.kind) {
    case 'tensor': {
      const shape = type.shape?.map((size, axis) => (changing.has(size) ? unknown(axis) : size));
      return new TensorType(type.dtype, shape, isFixed(type, changing) ? type.elements : undefined);
    }
    case 'sequence':
      return sequenceType(outside(type.element), type.items?.map(outside));
    case 'optional':
      return { ...type, element: outside(type.element) };
    default:
      return type;
  }
}

export const loopOperators: OperatorTable = { Loop };
