// Loop: runs a body until it has run a number of times, or until a condition fails. Values that the body
// carries from one iteration to the next may change their type; values it collects get a dimension in front,
// one element per iteration.
//
// A loop that is known to run a few times is followed through each iteration, so that all numbers it computes
// shapes from are known. Of others, what holds in all iterations is searched for (loop-general.ts).
import { type Dim, isKnown } from '../../../graph/dim.js';
import { type Graph, subgraphs } from '../../../graph/graph.js';
import {
  isTensor,
  MAX_KNOWN_ELEMENTS,
  sameShape,
  sameType,
  TensorType,
  type ValueType,
} from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { carriedOut, collected, goesOn, type Look, look, type Start, startOf } from './loop-body.js';
import { generalise } from './loop-general.js';
import { mergeTypes, sameElements } from './merge.js';

/** Loops with more iterations are not followed through each. */
const MAX_FOLLOWED = 64;
/** Nor are loops whose bodies would have more nodes visited than this, with the loops inside them. */
const MAX_FOLLOWED_NODES = 10_000;

const Loop: Operator = {
  infer: (call) => {
    const start = startOf(call);
    const first = look(call, start.initial);
    const isShort = isKnown(start.limit) && start.limit <= MAX_FOLLOWED;
    const isSteady = carriedOut(first).every((type, i) => !isWorthFollowing(start.initial[i]!, type));
    const isWhile = goesOn(first) === undefined;
    const followed = isShort || isWhile || !isSteady ? follow(call, start) : undefined;
    return followed ?? generalise(call, start, first);
  },
  cost: FREE,
  traits: { controlFlow: 'loop' },
};

/** Whether following a carried value tells more: its shape, its length or known numbers change. */
function isWorthFollowing(before: ValueType, after: ValueType): boolean {
  if (isTensor(before) && isTensor(after)) {
    if (after.shape !== undefined && !sameShape(before.shape, after.shape)) return true;
    return before.mayBeKnown && after.mayBeKnown && !sameElements(before, after);
  }
  if (before.kind === 'sequence' && after.kind === 'sequence') {
    return (
      before.items !== undefined && after.items !== undefined && before.items.length !== after.items.length
    );
  }
  return !sameType(before, after);
}

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
      call.recordRuns(
        'body',
        looks.map((each) => each.body),
      );
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

export const loopOperators: OperatorTable = { Loop };
