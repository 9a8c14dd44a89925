// Values that follow from shapes alone become constants: exporters leave Shape, Gather, Concat and their like for sizes
// that are known. Constant nodes become initializers.
import { type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import { constantTensor, traitsOf } from '../../ops/index.js';
import { attempt } from '../../util/attempt.js';
import type { Change } from '../transform.js';
import type { Edit, GraphView } from './pass.js';

export function withKnownValues(view: GraphView): Edit {
  const replacements = new Map<Node, readonly Node[]>();
  const constants = new Map<string, Tensor>();
  const changes: Change[] = [];
  for (const node of view.graph.nodes) {
    const [output] = node.outputs;
    if (!output || view.isOutput(output)) continue;
    const written = constantTensor(node);
    if (written !== undefined) {
      replacements.set(node, []);
      constants.set(output, { ...written, name: output });
      continue;
    }
    const tensors = view.options.isRepeated ? undefined : knownOutputs(node, view);
    if (tensors === undefined) continue;
    replacements.set(node, []);
    for (const tensor of tensors) constants.set(tensor.name, tensor);
    const what = 'replaced by a constant: its value follows from known sizes';
    changes.push({ transform: 'simplify', what, node: nodeLabel(node), operator: operatorName(node) });
  }
  return { replacements, constants, changes };
}

/** All outputs of a node that somebody reads, if inference knows every element of them. */
function knownOutputs(node: Node, view: GraphView): Tensor[] | undefined {
  if (traitsOf(node).draws === 'always') return undefined;
  const found: Tensor[] = [];
  for (const name of node.outputs) {
    if (name === '' || view.uses(name) === 0) continue;
    const type = view.tensor(name);
    const { dtype, shape, elements } = type ?? {};
    if (dtype === undefined || !shape?.every(isNumber) || !elements?.every(isExact) || view.isOutput(name)) {
      return undefined;
    }
    const tensor = attempt(() => fromNumbers(name, dtype, shape as readonly number[], elements as number[]));
    if (tensor === undefined) return undefined;
    found.push(tensor);
  }
  return found.length > 0 ? found : undefined;
}

const isNumber = (d: unknown): d is number => typeof d === 'number';

/** Integers beyond ±2^53 are rounded when they are read, and stay as they are. */
const isExact = (d: unknown): boolean =>
  isNumber(d) && (!Number.isInteger(d) || Math.abs(d) <= Number.MAX_SAFE_INTEGER);
