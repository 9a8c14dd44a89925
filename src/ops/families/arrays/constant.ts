// Constants: values that are written into the graph.
import type { Node } from '../../../graph/graph.js';
import {
  elementCount,
  hasData,
  type SparseTensor,
  type Tensor,
  tensorNumbers,
} from '../../../graph/tensor.js';
import { MAX_KNOWN_ELEMENTS, TensorType } from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import type { Operator } from '../../operator.js';
import { type OperatorTable, traitsOf } from '../../registry.js';

const Constant: Operator = {
  infer: (call) => {
    const value = call.node.attributes.get('value');
    if (value?.type === 'tensor') return [constantType(value.value)];
    const [entry] = call.node.attributes;
    if (entry === undefined) return [new TensorType(undefined, undefined)];
    const [name, attribute] = entry;
    switch (attribute.type) {
      case 'reference':
        return [new TensorType(undefined, undefined)];
      case 'sparse_tensor':
        return [sparseType(attribute.value)];
      case 'int':
        return [new TensorType('int64', [], [Number(attribute.value)])];
      case 'float':
        return [new TensorType('float32', [], [attribute.value])];
      case 'ints':
        return [new TensorType('int64', [attribute.value.length], attribute.value.map(Number))];
      case 'floats':
        return [new TensorType('float32', [attribute.value.length], attribute.value)];
      case 'string':
        return [new TensorType('string', [])];
      case 'strings':
        return [new TensorType('string', [attribute.value.length])];
      default:
        return call.fail(`attribute '${name}' of type ${attribute.type} is not a constant`, 'OP_ATTRIBUTE');
    }
  },
  cost: FREE,
  traits: { isConstant: true },
};

/** The tensor that a Constant node holds; undefined for other nodes, and where it holds something else. */
export function constantTensor(node: Node): Tensor | undefined {
  const value = traitsOf(node).isConstant ? node.attributes.get('value') : undefined;
  return value?.type === 'tensor' ? value.value : undefined;
}

function sparseType(tensor: SparseTensor): TensorType {
  return new TensorType(tensor.values.dtype, tensor.dims);
}

/** The type of a tensor with data. Its elements are read when first asked for, if there are few. */
export function constantType(tensor: Tensor): TensorType {
  const readable =
    elementCount(tensor) <= MAX_KNOWN_ELEMENTS &&
    tensor.dtype !== 'string' &&
    tensor.dtype !== 'complex64' &&
    tensor.dtype !== 'complex128' &&
    hasData(tensor);
  return new TensorType(tensor.dtype, tensor.dims, readable ? () => readableElements(tensor) : undefined);
}

function readableElements(tensor: Tensor): readonly number[] | undefined {
  try {
    return tensorNumbers(tensor);
  } catch (error) {
    // A weight file that is not there leaves the values unknown; anything else is the file's fault.
    if ((error as { code?: string }).code === 'DATA_MISSING') return undefined;
    throw error;
  }
}

export const constantOperators: OperatorTable = { Constant };
