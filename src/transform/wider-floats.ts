// A network in a wider type of floats. Files for small devices are in float16, whose range scores leave and which ONNX
// Runtime has few kernels for; some scores leave that of float32.
import { computedTensor, numbersIn } from '../graph/computed-tensor.js';
import { codeOfDataType, type DataType } from '../graph/dtype.js';
import type { Attribute, FunctionDefinition, Graph, Model, Node, ValueInfo } from '../graph/graph.js';
import type { Tensor } from '../graph/tensor.js';
import { TensorType, type ValueType } from '../graph/types.js';
import { traitsOf } from '../ops/index.js';
import type { Transformed } from './transform.js';

/** From the narrowest. */
const FLOATS = ['bfloat16', 'float16', 'float32', 'float64'] as const satisfies readonly DataType[];

type Wide = 'float32' | 'float64';

/** The network with all its floats in float32 or wider, inputs and outputs too; the one that was given where they are. */
export function inFloat32(model: Model): Transformed {
  const widening = new Widening('float32');
  const wide = widening.model(model);
  const { values } = widening;
  if (values === 0) return { model, changes: [] };
  const what = `${values} inputs, outputs, constants and types of float16 or bfloat16 are float32`;
  return { model: wide, changes: [{ transform: 'float32', what }] };
}

/** The model with all floats that are narrower than a type in that type. */
export function widened(model: Model, to: Wide): Model {
  return new Widening(to).model(model);
}

class Widening {
  /** How many types and tensors were narrower. */
  values = 0;
  readonly #to: Wide;
  readonly #narrow: ReadonlySet<DataType | undefined>;
  readonly #codes: ReadonlySet<number>;

  constructor(to: Wide) {
    this.#to = to;
    this.#narrow = new Set<DataType | undefined>(FLOATS.slice(0, FLOATS.indexOf(to)));
    this.#codes = new Set([...this.#narrow].map(codeOfDataType));
  }

  model(model: Model): Model {
    const functions = model.functions.map((definition) => this.#function(definition));
    return { ...model, graph: this.#graph(model.graph), functions };
  }

  #function(definition: FunctionDefinition): FunctionDefinition {
    return {
      ...definition,
      attributeDefaults: this.#attributes(definition.attributeDefaults, undefined),
      nodes: definition.nodes.map((node) => this.#node(node)),
      valueInfo: this.#infos(definition.valueInfo),
    };
  }

  #graph(graph: Graph): Graph {
    return {
      ...graph,
      inputs: graph.inputs.map((info) => this.#info(info)),
      outputs: graph.outputs.map((info) => this.#info(info)),
      nodes: graph.nodes.map((node) => this.#node(node)),
      initializers: new Map([...graph.initializers].map(([name, tensor]) => [name, this.#tensor(tensor)])),
      sparseInitializers: new Map(
        [...graph.sparseInitializers].map(([name, sparse]) => [
          name,
          { ...sparse, values: this.#tensor(sparse.values) },
        ]),
      ),
      valueInfo: this.#infos(graph.valueInfo),
    };
  }

  #infos(infos: ReadonlyMap<string, ValueInfo>): ReadonlyMap<string, ValueInfo> {
    return new Map([...infos].map(([name, info]) => [name, this.#info(info)]));
  }

  #info(info: ValueInfo): ValueInfo {
    const type = this.#type(info.type);
    return type === info.type ? info : { ...info, type };
  }

  #type(type: ValueType): ValueType {
    switch (type.kind) {
      case 'tensor':
        if (!this.#narrow.has(type.dtype)) return type;
        this.values++;
        return new TensorType(this.#to, type.shape);
      case 'sparse':
        return this.#narrow.has(type.dtype) ? { ...type, dtype: this.#to } : type;
      case 'sequence':
      case 'optional': {
        const element = this.#type(type.element);
        return element === type.element ? type : { kind: type.kind, element };
      }
      case 'map':
        return { ...type, value: this.#type(type.value) };
      case 'unknown':
        return type;
    }
  }

  #tensor(tensor: Tensor): Tensor {
    if (!this.#narrow.has(tensor.dtype)) return tensor;
    this.values++;
    const { name, dims, metadata } = tensor;
    const wide = computedTensor(name, this.#to, dims, (from, to) => numbersIn(tensor, from, to));
    return { ...wide, ...(metadata && { metadata }) };
  }

  #node(node: Node): Node {
    return { ...node, attributes: this.#attributes(node.attributes, traitsOf(node).typeAttribute) };
  }

  #attributes(
    attributes: ReadonlyMap<string, Attribute>,
    typeAttribute: string | undefined,
  ): ReadonlyMap<string, Attribute> {
    if (attributes.size === 0) return attributes;
    return new Map(
      [...attributes].map(([key, attribute]) => [key, this.#attribute(attribute, key === typeAttribute)]),
    );
  }

  #attribute(attribute: Attribute, isType: boolean): Attribute {
    switch (attribute.type) {
      case 'int':
        if (!isType || !this.#codes.has(Number(attribute.value))) return attribute;
        this.values++;
        return { type: 'int', value: codeOfDataType(this.#to) };
      case 'tensor':
        return { type: 'tensor', value: this.#tensor(attribute.value) };
      case 'tensors':
        return { type: 'tensors', value: attribute.value.map((tensor) => this.#tensor(tensor)) };
      case 'graph':
        return { type: 'graph', value: this.#graph(attribute.value) };
      case 'graphs':
        return { type: 'graphs', value: attribute.value.map((graph) => this.#graph(graph)) };
      case 'type_proto':
        return { type: 'type_proto', value: this.#type(attribute.value) };
      default:
        return attribute;
    }
  }
}
