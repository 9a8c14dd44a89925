// Tables that integer inputs are looked up in: embeddings, one-hot vectors. They say how many different tokens there are.
import type { Model, Node } from '../graph/graph.js';
import { isTensor, type ValueType } from '../graph/types.js';
import { traitsOf } from '../ops/index.js';
import type { Arithmetic, Movement } from '../ops/traits.js';

/** A table that a network reads by an integer input. */
export interface Lookup {
  /** What was read: a float value. */
  readonly output: string;
  readonly input: string;
  /** Rows of the table. */
  readonly rows: number;
  /** Whether the input is the index as it is, so that it must be smaller than `rows`. */
  readonly isDirect: boolean;
  /** The table, where it is a value; rows of the identity matrix are not. */
  readonly table?: string;
}

/** The same indices, elsewhere. */
const PASSES: ReadonlySet<Movement | undefined> = new Set(['same', 'type', 'shape', 'axes', 'broadcast']);
/** Indices made from others. */
const SHIFTS: ReadonlySet<Arithmetic | undefined> = new Set([
  // Products: TensorFlow chooses between an index and one that is counted from the end by masks of 0 and 1.
  ...(['add', 'subtract', 'multiply', 'maximum', 'minimum', 'remainder', 'select'] as const),
]);

interface Source {
  readonly input: string;
  readonly isDirect: boolean;
}

/** Where integer inputs are looked up. */
export function findLookups({ graph }: Model, types: ReadonlyMap<string, ValueType>): Lookup[] {
  const from = new Map<string, Source>();
  const marked = new Map<string, Source & { rows: number }>();
  for (const { name, type } of graph.inputs) {
    if (isTensor(type) && /^u?int/.test(type.dtype ?? '')) from.set(name, { input: name, isDirect: true });
  }
  const found: Lookup[] = [];
  for (const node of graph.nodes) {
    const { moves, arithmetic, activation, marks } = traitsOf(node);
    const [output = ''] = node.outputs;
    if (moves === 'rows') {
      const lookup = tableRead(node, from, types);
      if (lookup) found.push(lookup);
      continue;
    }
    if (marks !== undefined) {
      const mark = markedBy(node, from, types);
      if (mark && isFloat(types.get(output))) found.push({ output, ...mark });
      else if (mark) marked.set(output, mark);
      continue;
    }
    const mark = moves === 'type' ? marked.get(node.inputs[0]!) : undefined;
    if (mark && isFloat(types.get(output))) found.push({ output, ...mark });
    const isPart = moves === 'part' && node.outputs.length === 1;
    const isShift = isPart || SHIFTS.has(arithmetic) || activation === 'clip';
    if (!isShift && !PASSES.has(moves)) continue;
    const source = node.inputs.map((name) => from.get(name)).find((s) => s !== undefined);
    if (source) from.set(output, { input: source.input, isDirect: source.isDirect && !isShift });
  }
  return found;
}

function isFloat(type: ValueType | undefined): boolean {
  return isTensor(type) && /float/.test(type.dtype ?? '');
}

/** Rows of a table of floats. */
function tableRead(
  node: Node,
  from: ReadonlyMap<string, Source>,
  types: ReadonlyMap<string, ValueType>,
): Lookup | undefined {
  const [table = '', indices = ''] = node.inputs;
  const source = from.get(indices);
  const type = types.get(table);
  if (source === undefined || !isTensor(type) || !isFloat(type)) return undefined;
  const axis = node.attributes.get('axis');
  const rows = type.shape?.at(axis?.type === 'int' ? Number(axis.value) : 0);
  return typeof rows === 'number' ? { output: node.outputs[0]!, ...source, rows, table } : undefined;
}

/** A one-hot vector, or what is equal to 0, 1, 2 …, for every index. */
function markedBy(
  node: Node,
  from: ReadonlyMap<string, Source>,
  types: ReadonlyMap<string, ValueType>,
): (Source & { rows: number }) | undefined {
  const slot = node.inputs.findIndex((name) => from.has(name));
  if (slot < 0) return undefined;
  const source = from.get(node.inputs[slot]!)!;
  const elements = (name: string): readonly unknown[] | undefined => {
    const type = types.get(name);
    return isTensor(type) ? type.elements : undefined;
  };
  const isDepth = traitsOf(node).marks === 'index';
  const given = elements(node.inputs[isDepth ? 1 : 1 - slot]!);
  const rows = isDepth ? given?.[0] : given?.every((e, i) => e === i) ? given.length : undefined;
  return typeof rows === 'number' && rows > 1 ? { ...source, rows } : undefined;
}
