// Loops with a known number of runs as their bodies, one after the other.
import { isKnown } from '../graph/dim.js';
import { type Graph, makeNode, type Node, nodeLabel } from '../graph/graph.js';
import { inlined } from '../graph/inline.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { isTensor, type ValueType } from '../graph/types.js';
import type { Call } from '../ops/operator.js';

/** Where nodes in place of a loop are written. */
export interface Unrolling {
  readonly opset: number;
  readonly nodes: Node[];
  readonly initializers: Map<string, Tensor>;
  fresh(name: string): string;
}

/** How often a node's body runs; undefined where that is not known. */
export function runsOf(call: Call): number | undefined {
  let runs = 0;
  for (const { times } of call.bodies) {
    if (times === undefined || !isKnown(times)) return undefined;
    runs += times;
  }
  return call.bodies.length === 0 ? undefined : runs;
}

/** A loop by what its body takes: a count and a condition, slices of tensors, or elements of sequences. */
type LoopForm = 'counted' | 'scanned' | 'mapped';

export function loopForm(call: Call): LoopForm | undefined {
  if (call.hasAttribute('num_scan_inputs')) return call.opset >= 9 ? 'scanned' : undefined;
  // A count is a tensor.
  return call.inputs[0]?.kind === 'sequence' ? 'mapped' : 'counted';
}

/** Writes a loop; whether it could be. */
export function unroll(call: Call, form: LoopForm, runs: number, to: Unrolling): boolean {
  const body = call.graph('body');
  if (form === 'counted') return unrollCounted(call.node, body, runs, to);
  if (form === 'scanned') return unrollScanned(call, body, runs, to);
  return unrollMapped(call.node, body, runs, call.inputs, to);
}

/** Body: iteration, condition, carried values → condition, carried values, rows. */
function unrollCounted(node: Node, body: Graph, runs: number, to: Unrolling): boolean {
  const [, condition = '', ...initial] = node.inputs;
  const rows: string[][] = body.outputs.slice(1 + initial.length).map(() => []);
  if (runs === 0 && rows.length > 0) return false;
  let carried = initial;
  let on = condition === '' ? constant(to, node, 'true', 'bool', [], [1]) : condition;
  for (let i = 0; i < runs; i++) {
    const iteration = constant(to, node, `${i}`, 'int64', [], [i]);
    const outputs = write(node, body, [iteration, on, ...carried], i, to);
    on = outputs[0]!;
    carried = outputs.slice(1, 1 + initial.length);
    outputs.slice(1 + initial.length).forEach((name, row) => void rows[row]!.push(name));
  }
  carried.forEach((name, i) => void rename(node.outputs[i], name, to));
  rows.forEach((names, i) => void stacked(node, node.outputs[initial.length + i], names, 0, to));
  return true;
}

/** Body: states, slices → states, slices. */
function unrollScanned(call: Call, body: Graph, runs: number, to: Unrolling): boolean {
  const { node } = call;
  const scanned = call.required(call.int('num_scan_inputs'), 'num_scan_inputs');
  const states = node.inputs.length - scanned;
  const sources = node.inputs.slice(states);
  const outputs = body.outputs.slice(states);
  if (runs === 0) return false;
  const isBackward = (list: string, i: number): boolean => call.ints(list)?.[i] === 1;
  const rows: string[][] = outputs.map(() => []);
  let carried = node.inputs.slice(0, states);
  for (let run = 0; run < runs; run++) {
    const slices = sources.map((source, i) => {
      const index = isBackward('scan_input_directions', i) ? runs - 1 - run : run;
      const at = constant(to, node, `${index}`, 'int64', [], [index]);
      const slice = to.fresh(`${source}/${index}`);
      const axis = { type: 'int', value: call.ints('scan_input_axes')?.[i] ?? 0 } as const;
      to.nodes.push(makeNode('Gather', [source, at], [slice], { axis }, { name: slice }));
      return slice;
    });
    const given = write(node, body, [...carried, ...slices], run, to);
    carried = given.slice(0, states);
    given.slice(states).forEach((name, i) => void rows[i]!.push(name));
  }
  carried.forEach((name, i) => void rename(node.outputs[i], name, to));
  rows.forEach((names, i) => {
    const ordered = isBackward('scan_output_directions', i) ? names.reverse() : names;
    stacked(node, node.outputs[states + i], ordered, call.ints('scan_output_axes')?.[i] ?? 0, to);
  });
  return true;
}

/** Body: elements of sequences, and whole tensors → elements of sequences. */
function unrollMapped(
  node: Node,
  body: Graph,
  runs: number,
  types: readonly (ValueType | undefined)[],
  to: Unrolling,
): boolean {
  if (runs === 0) return false;
  const results: string[][] = body.outputs.map(() => []);
  for (let run = 0; run < runs; run++) {
    const elements = node.inputs.map((name, i) => {
      if (isTensor(types[i])) return name;
      const at = constant(to, node, `${run}`, 'int64', [], [run]);
      const element = to.fresh(`${name}/${run}`);
      to.nodes.push(makeNode('SequenceAt', [name, at], [element], {}, { name: element }));
      return element;
    });
    write(node, body, elements, run, to).forEach((name, i) => void results[i]!.push(name));
  }
  results.forEach((names, i) => {
    const output = node.outputs[i] ?? '';
    if (output !== '') to.nodes.push(makeNode('SequenceConstruct', names, [output], {}, { name: output }));
  });
  return true;
}

/** One run of a body. */
function write(
  node: Node,
  body: Graph,
  inputs: readonly string[],
  run: number,
  to: Unrolling,
): readonly string[] {
  const given = new Map(body.inputs.map(({ name }, i) => [name, inputs[i]!]));
  const graph = { ...body, outputs: body.outputs.map(({ name }) => name) };
  const { nodes, initializers, outputs } = inlined(graph, given, (name) =>
    to.fresh(`${nodeLabel(node)}/${run}/${name}`),
  );
  to.nodes.push(...nodes);
  for (const [name, tensor] of initializers) to.initializers.set(name, tensor);
  return outputs;
}

function constant(
  to: Unrolling,
  node: Node,
  hint: string,
  dtype: 'int64' | 'bool',
  dims: readonly number[],
  numbers: readonly number[],
): string {
  const name = to.fresh(`${nodeLabel(node)}/${hint}`);
  to.initializers.set(name, fromNumbers(name, dtype, dims, numbers));
  return name;
}

/** Gives a value the name of an output. */
export function rename(output: string | undefined, name: string, to: Pick<Unrolling, 'nodes'>): void {
  if (output) to.nodes.push(makeNode('Identity', [name], [output], {}, { name: output }));
}

/** Values one behind the other along a new axis. */
function stacked(
  node: Node,
  output: string | undefined,
  names: readonly string[],
  axis: number,
  to: Unrolling,
): void {
  if (!output) return;
  const axes = to.opset < 13 ? '' : constant(to, node, 'axes', 'int64', [1], [axis]);
  const attributes = axes === '' ? { axes: { type: 'ints', value: [axis] } as const } : {};
  const rows = names.map((name) => {
    const row = to.fresh(`${name}/row`);
    to.nodes.push(
      makeNode('Unsqueeze', axes === '' ? [name] : [name, axes], [row], attributes, { name: row }),
    );
    return row;
  });
  to.nodes.push(makeNode('Concat', rows, [output], { axis: { type: 'int', value: axis } }, { name: output }));
}
