// A network in a wider type of floats. Files for small devices are in float16, whose range scores leave and which ONNX
// Runtime has few kernels for; some scores leave that of float32.
import { codeOfDataType, type DataType } from '../graph/dtype.js';
import type { Attribute, Model, Node, ValueInfo } from '../graph/graph.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { isTensor, TensorType } from '../graph/types.js';
import { traitsOf } from '../ops/index.js';
import { floatData } from './tensor-data.js';

/** From the narrowest. */
const FLOATS = ['bfloat16', 'float16', 'float32', 'float64'] as const satisfies readonly DataType[];

type Wide = 'float32' | 'float64';

/** The model with all floats that are narrower than a type in that type. Functions and branches must be inlined already. */
export function widened(model: Model, to: Wide): Model {
  const narrow = new Set<DataType | undefined>(FLOATS.slice(0, FLOATS.indexOf(to)));
  const codes = new Set([...narrow].map((dtype) => codeOfDataType(dtype!)));
  const { graph } = model;
  return {
    ...model,
    graph: {
      ...graph,
      inputs: graph.inputs.map(wideInfo),
      outputs: graph.outputs.map(wideInfo),
      nodes: graph.nodes.map(wideNode),
      initializers: new Map([...graph.initializers].map(([name, tensor]) => [name, wideTensor(tensor)])),
    },
  };

  function wideInfo({ name, type }: ValueInfo): ValueInfo {
    const isNarrow = isTensor(type) && narrow.has(type.dtype);
    return { name, type: isNarrow ? new TensorType(to, type.shape) : type };
  }

  function wideTensor(tensor: Tensor): Tensor {
    if (!narrow.has(tensor.dtype)) return tensor;
    const { name, dims, metadata } = tensor;
    return { ...fromNumbers(name, to, dims, floatData(tensor)), ...(metadata && { metadata }) };
  }

  function wideNode(node: Node): Node {
    const name = traitsOf(node).typeAttribute;
    const attributes = new Map<string, Attribute>();
    for (const [key, attribute] of node.attributes) {
      const isCode = key === name && attribute.type === 'int' && codes.has(Number(attribute.value));
      if (isCode) attributes.set(key, { type: 'int', value: codeOfDataType(to) });
      else if (attribute.type === 'tensor')
        attributes.set(key, { type: 'tensor', value: wideTensor(attribute.value) });
      else attributes.set(key, attribute);
    }
    return { ...node, attributes };
  }
}
