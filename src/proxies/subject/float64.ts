// A model in float64, for scores that leave the range of float32.
import { inferShapes } from '../../analysis/infer.js';
import { codeOfDataType, isFloat } from '../../graph/dtype.js';
import { type Model, makeNode, type Node } from '../../graph/graph.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { inFloat64Parts } from '../../ops/float64.js';
import { traitsOf } from '../../ops/index.js';
import { rewriteNodes } from '../../transform/rewrite.js';
import { widened } from '../../transform/wider-floats.js';
import { product, valueSizes } from './value-links.js';

/** The same network in float64. */
export function inFloat64(model: Model): Model {
  return rewriteNodes(widened(withNamedTypes(model), 'float64'), inFloat64Parts);
}

/** Nodes that make float32 because no attribute says otherwise (ConstantOfShape) get a Cast, whose type can be widened. */
function withNamedTypes(model: Model): Model {
  const { types } = inferShapes(model).graph;
  const isOfFloats = (type: ValueType | undefined): boolean =>
    type !== undefined && isTensor(type) && type.dtype !== undefined && isFloat(type.dtype);
  const { graph } = model;
  const nodes = graph.nodes.flatMap((node): readonly Node[] => {
    const [output = ''] = node.outputs;
    const isSource =
      isOfFloats(types.get(output)) && !node.inputs.some((name) => isOfFloats(types.get(name)));
    if (!isSource || saysType(node)) return [node];
    const narrow = `${output}/float32`;
    const to = { to: { type: 'int', value: codeOfDataType('float32') } } as const;
    return [{ ...node, outputs: [narrow] }, makeNode('Cast', [narrow], [output], to)];
  });
  return { ...model, graph: { ...graph, nodes } };
}

function saysType(node: Node): boolean {
  const { typeAttribute = '' } = traitsOf(node);
  return (
    node.attributes.has(typeAttribute) || [...node.attributes.values()].some(({ type }) => type === 'tensor')
  );
}

const BYTES = 8;

/** Of the largest convolution: float64 has no kernel for it, so that what lies under all windows is written down. */
export function windowBytes(model: Model): number {
  const { types } = inferShapes(model).graph;
  let most = 0;
  for (const node of model.graph.nodes) {
    if (traitsOf(node).convolution !== 'plain') continue;
    const [batch = 1, , ...positions] = valueSizes(types, node.outputs[0]!);
    const [, channels = 1] = valueSizes(types, node.inputs[0]!);
    const [, , ...kernel] = valueSizes(types, node.inputs[1]!);
    most = Math.max(most, product([batch, channels, ...positions, ...kernel]) * BYTES);
  }
  return most;
}
