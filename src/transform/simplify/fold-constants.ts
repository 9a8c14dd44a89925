// What depends on constants only is computed once, by ONNX Runtime. Values that would take more room than what they are
// made of are left alone: masks and tables that a file writes as a formula, weights that it keeps in eight bits.
import type { DataType } from '../../graph/dtype.js';
import {
  type Graph,
  hasSubgraphs,
  makeGraph,
  type Node,
  nodeLabel,
  operatorName,
} from '../../graph/graph.js';
import { fromBytes, hasData, type Tensor, tensorByteLength } from '../../graph/tensor.js';
import { constantTensor, operatorFor, traitsOf } from '../../ops/index.js';
import { type HostTensor, Session } from '../../runtime/session.js';
import { AuspexError } from '../../util/errors.js';
import type { Change } from '../transform.js';
import type { Edit, GraphView } from './pass.js';
import { NOTHING } from './pass.js';

/** Results up to so many bytes are kept, whatever they are made of. */
const SMALL_BYTES = 4096;

export async function withFoldedConstants(view: GraphView): Promise<Edit> {
  const nodes = foldableNodes(view);
  if (nodes.length === 0) return NOTHING;
  const folded = await computed(view, nodes);
  const replacements = new Map<Node, readonly Node[]>();
  const constants = new Map<string, Tensor>();
  const changes: Change[] = [];
  for (const node of nodes) {
    const tensors = node.outputs.flatMap((name) => folded.get(name) ?? []);
    if (tensors.length < node.outputs.filter((name) => name !== '').length) continue;
    replacements.set(node, []);
    for (const tensor of tensors) constants.set(tensor.name, tensor);
    const what = 'replaced by a constant: all it reads is constant';
    changes.push({ transform: 'simplify', what, node: nodeLabel(node), operator: operatorName(node) });
  }
  return { replacements, constants, changes };
}

/** Nodes that can be computed beforehand, in the order in which they run. */
function foldableNodes(view: GraphView): Node[] {
  const computed = new Set<string>();
  const isKnown = (name: string): boolean => {
    if (computed.has(name)) return true;
    const tensor = view.constant(name);
    return tensor !== undefined && hasData(tensor);
  };
  const found: Node[] = [];
  for (const node of view.graph.nodes) {
    const isFoldable =
      node.inputs.some((name) => name !== '') &&
      node.inputs.every((name) => name === '' || isKnown(name)) &&
      node.outputs.every((name) => name === '' || !view.isOutput(name)) &&
      constantTensor(node) === undefined &&
      !hasSubgraphs(node) &&
      traitsOf(node).draws === undefined &&
      operatorFor(node) !== undefined &&
      !view.model.functions.some((f) => f.name === node.opType && f.domain === node.domain) &&
      isWorthIt(node, view);
    if (!isFoldable) continue;
    found.push(node);
    for (const name of node.outputs) computed.add(name);
  }
  return found;
}

/** Whether the result takes no more room than what it is made of. */
function isWorthIt(node: Node, view: GraphView): boolean {
  let bytes = 0;
  for (const name of node.outputs) {
    if (name === '') continue;
    const type = view.tensor(name);
    if (type?.dtype === undefined || !RETURNED.has(type.dtype) || typeof type.bytes !== 'number')
      return false;
    bytes += type.bytes;
  }
  const given = node.inputs.reduce((sum, name) => {
    const tensor = view.constant(name);
    const type = view.tensor(name);
    return sum + (tensor ? tensorByteLength(tensor) : typeof type?.bytes === 'number' ? type.bytes : 0);
  }, 0);
  return bytes <= Math.max(SMALL_BYTES, given);
}

/** Element types that ONNX Runtime for JavaScript hands out as bytes. */
const RETURNED: ReadonlySet<DataType> = new Set<DataType>([
  ...(['float32', 'float64', 'float16', 'bool'] as const),
  ...(['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64'] as const),
]);

/** The outputs of nodes that nothing but constants leads to. What ONNX Runtime does not compute is left out. */
async function computed(view: GraphView, nodes: readonly Node[]): Promise<Map<string, Tensor>> {
  const outputs = nodes.flatMap((node) => node.outputs.filter((name) => name !== ''));
  try {
    return await run(view, nodes, outputs);
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    if (nodes.length === 1) return new Map();
    // One of them cannot be computed: halves that need nothing of it still can.
    const half = Math.ceil(nodes.length / 2);
    const first = await computed(view, nodes.slice(0, half));
    const made = new Set(nodes.slice(0, half).flatMap((node) => node.outputs));
    const rest = nodes.slice(half).filter(({ inputs }) => !inputs.some((name) => made.has(name)));
    return rest.length === 0 ? first : new Map([...first, ...(await computed(view, closed(rest)))]);
  }
}

/** Those of some nodes whose inputs are constants or made by earlier ones of them. */
function closed(nodes: readonly Node[]): readonly Node[] {
  const all = new Set(nodes.flatMap(({ outputs }) => outputs));
  const made = new Set<string>();
  return nodes.filter(({ inputs, outputs }) => {
    if (inputs.some((name) => all.has(name) && !made.has(name))) return false;
    for (const name of outputs) made.add(name);
    return true;
  });
}

async function run(
  view: GraphView,
  nodes: readonly Node[],
  outputs: readonly string[],
): Promise<Map<string, Tensor>> {
  const initializers = new Map<string, Tensor>();
  for (const node of nodes) {
    for (const name of node.inputs) {
      const tensor = view.constant(name);
      if (tensor) initializers.set(name, { ...tensor, name });
    }
  }
  const graph: Graph = makeGraph({
    nodes,
    inputs: [],
    outputs: outputs.map((name) => ({ name, type: view.type(name)! })),
    initializers,
  });
  const session = await Session.create({ ...view.model, graph }, { optimization: 'disabled', threads: 1 });
  try {
    const results = await session.run({});
    return new Map(outputs.map((name) => [name, tensorOf(name, results[name]!)]));
  } finally {
    await session.dispose();
  }
}

function tensorOf(name: string, { type, dims, data }: HostTensor): Tensor {
  // The memory of a result may be used again by the runtime.
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  return fromBytes(name, type, dims, bytes);
}
