// From a `Model` back to the messages of a file: the mirror image of read.ts.
import { codeOfDataType } from '../graph/dtype.js';
import type { Attribute, FunctionDefinition, Graph, Model, Node, Text, ValueInfo } from '../graph/graph.js';
import { hasData, type SparseTensor, type Tensor, tensorBytes } from '../graph/tensor.js';
import type { Shape, ValueType } from '../graph/types.js';
import { ByteRange } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import { encode } from './codec.js';
import { type Decoded, MODEL, TENSOR } from './proto.js';
import { ATTRIBUTE_FIELDS, attributeTypeCode, UNNAMED } from './read.js';
import type { WireWriter } from './wire.js';

/** Protobuf messages end at 2 GiB; larger models keep their weights in a file beside them. */
export const MAX_MESSAGE_BYTES = 2 ** 31 - 1;

/** Puts a tensor's data somewhere else than into the model; returns undefined to keep it inside. */
type Placement = (tensor: Tensor) => { location: string; offset: number; length: number } | undefined;

/** A model as the bytes of an `.onnx` file, weights included. */
export function encodeModel(model: Model): Uint8Array {
  const writer = modelMessage(model);
  if (writer.length > MAX_MESSAGE_BYTES) {
    throw new AuspexError(
      'ONNX_TOO_LARGE',
      `the model takes ${writer.length} bytes; one file can hold 2 GiB`,
      {
        hint: 'write it to a path with external data',
      },
    );
  }
  return writer.finish();
}

/** A model as pieces of bytes, with tensors placed as `place` says. */
export function modelMessage(model: Model, place: Placement = () => undefined): WireWriter {
  return encode(MODEL, new ModelWriter(place).model(model));
}

/** One TensorProto on its own. */
export function encodeTensor(tensor: Tensor): Uint8Array {
  return encode(TENSOR, new ModelWriter(() => undefined).tensor(tensor)).finish();
}

const utf8 = new TextEncoder();

function orNone(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function entries(map: ReadonlyMap<string, string> | undefined): Decoded[] | undefined {
  return map && [...map].map(([key, value]) => ({ key, value }));
}

function opsets(map: ReadonlyMap<string, number>): Decoded[] {
  return [...map].map(([domain, version]) => ({ domain, version }));
}

function bytesOf(text: Text): Uint8Array {
  return typeof text === 'string' ? utf8.encode(text) : text;
}

class ModelWriter {
  readonly #place: Placement;

  constructor(place: Placement) {
    this.#place = place;
  }

  model(model: Model): Decoded {
    return {
      irVersion: model.irVersion,
      opsetImport: opsets(model.opsetImports),
      producerName: orNone(model.producerName),
      producerVersion: orNone(model.producerVersion),
      domain: orNone(model.domain),
      modelVersion: model.modelVersion === 0 ? undefined : model.modelVersion,
      docString: orNone(model.docString),
      graph: this.#graph(model.graph),
      metadataProps: entries(model.metadata),
      trainingInfo: model.trainingInfo,
      functions: model.functions.map((f) => this.#function(f)),
      configuration: model.deviceConfigurations,
    };
  }

  #graph(graph: Graph): Decoded {
    return {
      name: orNone(graph.name),
      node: graph.nodes.map((n) => this.#node(n)),
      initializer: [...graph.initializers].map(([name, t]) => this.tensor({ ...t, name })),
      sparseInitializer: [...graph.sparseInitializers.values()].map((t) => this.#sparse(t)),
      input: graph.inputs.map((v) => this.#valueInfo(v)),
      output: graph.outputs.map((v) => this.#valueInfo(v)),
      valueInfo: [...graph.valueInfo.values()].map((v) => this.#valueInfo(v)),
      docString: graph.docString,
      metadataProps: entries(graph.metadata),
      quantizationAnnotation: graph.quantizationAnnotations,
    };
  }

  #node(node: Node): Decoded {
    return {
      input: node.inputs,
      output: node.outputs,
      name: orNone(node.name),
      opType: node.opType,
      domain: orNone(node.domain),
      overload: node.overload,
      attribute: [...node.attributes].map(([name, a]) => this.#attribute(name, a)),
      docString: node.docString,
      metadataProps: entries(node.metadata),
      deviceConfigurations: node.deviceConfigurations,
    };
  }

  #attribute(name: string, attribute: Attribute): Decoded {
    if (attribute.type === 'reference') {
      return { name, refAttrName: attribute.value, type: attributeTypeCode(attribute.of) };
    }
    return {
      name,
      type: attributeTypeCode(attribute.type),
      [ATTRIBUTE_FIELDS[attribute.type]]: this.#attributeValue(attribute),
    };
  }

  #attributeValue(attribute: Exclude<Attribute, { type: 'reference' }>): unknown {
    switch (attribute.type) {
      case 'string':
        return bytesOf(attribute.value);
      case 'strings':
        return attribute.value.map(bytesOf);
      case 'tensor':
        return this.tensor(attribute.value);
      case 'tensors':
        return attribute.value.map((t) => this.tensor(t));
      case 'graph':
        return this.#graph(attribute.value);
      case 'graphs':
        return attribute.value.map((g) => this.#graph(g));
      case 'sparse_tensor':
        return this.#sparse(attribute.value);
      case 'sparse_tensors':
        return attribute.value.map((t) => this.#sparse(t));
      case 'type_proto':
        return this.#type(attribute.value);
      case 'type_protos':
        return attribute.value.map((t) => this.#type(t));
      default:
        return attribute.value;
    }
  }

  tensor(tensor: Tensor): Decoded {
    return {
      dims: tensor.dims,
      dataType: codeOfDataType(tensor.dtype),
      name: orNone(tensor.name),
      docString: tensor.docString,
      metadataProps: entries(tensor.metadata),
      ...this.#data(tensor),
    };
  }

  #data(tensor: Tensor): Decoded {
    const { data } = tensor;
    if (data.kind === 'strings') return { stringData: data.values };
    const placed = this.#place(tensor);
    if (placed) return external(placed.location, placed.offset, placed.length);
    switch (data.kind) {
      case 'raw':
        return { rawData: data.bytes };
      case 'fields':
        return { [camelCase(data.field)]: data.chunks };
      case 'external':
        // Weights whose file is not at hand stay where they are said to be.
        return hasData(tensor)
          ? { rawData: ByteRange.of(tensorBytes(tensor)) }
          : external(data.location, data.offset, data.length, data.checksum);
    }
  }

  #sparse(tensor: SparseTensor): Decoded {
    return { values: this.tensor(tensor.values), indices: this.tensor(tensor.indices), dims: tensor.dims };
  }

  #valueInfo(info: ValueInfo): Decoded {
    return {
      name: info.name,
      type: info.type.kind === 'unknown' && !info.type.name ? undefined : this.#type(info.type),
      docString: info.docString,
      metadataProps: entries(info.metadata),
    };
  }

  #type(type: ValueType): Decoded {
    switch (type.kind) {
      case 'tensor':
        return { tensorType: { elemType: codeOfDataType(type.dtype), shape: shapeMessage(type.shape) } };
      case 'sparse':
        return {
          sparseTensorType: { elemType: codeOfDataType(type.dtype), shape: shapeMessage(type.shape) },
        };
      case 'sequence':
        return { sequenceType: { elemType: this.#type(type.element) } };
      case 'optional':
        return { optionalType: { elemType: this.#type(type.element) } };
      case 'map':
        return { mapType: { keyType: codeOfDataType(type.key), valueType: this.#type(type.value) } };
      case 'unknown':
        return type.name ? { opaqueType: { domain: type.domain, name: type.name } } : {};
    }
  }

  #function(f: FunctionDefinition): Decoded {
    return {
      name: f.name,
      domain: orNone(f.domain),
      overload: f.overload,
      input: f.inputs,
      output: f.outputs,
      attribute: f.attributes,
      attributeProto: [...f.attributeDefaults].map(([name, a]) => this.#attribute(name, a)),
      node: f.nodes.map((n) => this.#node(n)),
      opsetImport: opsets(f.opsetImports),
      valueInfo: [...f.valueInfo.values()].map((v) => this.#valueInfo(v)),
      docString: f.docString,
      metadataProps: entries(f.metadata),
    };
  }
}

function external(location: string, offset: number, length: number | undefined, checksum?: string): Decoded {
  const fields = { location, offset: String(offset), length: length?.toString(), checksum };
  return {
    dataLocation: 1,
    externalData: Object.entries(fields).flatMap(([key, value]) =>
      value === undefined ? [] : [{ key, value }],
    ),
  };
}

function shapeMessage(shape: Shape | undefined): Decoded | undefined {
  return (
    shape && {
      dim: shape.map((d) =>
        typeof d === 'number'
          ? { dimValue: d }
          : d.toString() === UNNAMED.toString()
            ? {}
            : { dimParam: d.toString() },
      ),
    }
  );
}

function camelCase(field: string): string {
  return field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
