// From the messages of a file to a `Model`. Checks what must hold for the rest to make sense (names are text,
// dimensions are sizes, types exist); whether the graph computes anything is for others to say.

import { type Dim, symbol } from '../graph/dim.js';
import { type DataType, dataTypeOfCode } from '../graph/dtype.js';
import type {
  Attribute,
  AttributeTypeName,
  FunctionDefinition,
  Graph,
  Int,
  Model,
  Node,
  Text,
  ValueInfo,
} from '../graph/graph.js';
import {
  type ExternalFiles,
  elementCount,
  type SparseTensor,
  type Tensor,
  type TensorData,
  type TypedField,
} from '../graph/tensor.js';
import {
  MAX_RANK,
  optionalType,
  type Shape,
  sequenceType,
  TensorType,
  UNKNOWN,
  type ValueType,
} from '../graph/types.js';
import { ByteRange, type ByteSource, MemorySource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import { DEFAULT_LIMITS, decode, type Limits } from './codec.js';
import { refuseOtherFormats } from './other-formats.js';
import { type Path, ROOT } from './path.js';
import { type Decoded, MODEL, NODE, TENSOR } from './proto.js';

export interface ReadOptions {
  /** Where tensors with external data find their files. */
  externalFiles?: ExternalFiles;
  limits?: Partial<Limits>;
}

/** Reads a model from a source. Weights are not read: tensors keep the place their data is at. */
export function decodeModel(source: ByteSource | Uint8Array, options: ReadOptions = {}): Model {
  const bytes = source instanceof Uint8Array ? new MemorySource(source) : source;
  refuseOtherFormats(bytes);
  const reader = new ModelReader(options.externalFiles, options.limits?.nodes);
  const conversions = new Map([[NODE, (node: Decoded) => reader.node(node)]]);
  const proto = decode(bytes, MODEL, { ...DEFAULT_LIMITS, ...options.limits }, conversions);
  if (proto.graph === undefined) {
    throw new AuspexError('ONNX_NO_GRAPH', 'the file contains no graph', {
      hint: 'it is probably not an ONNX model; check the path',
    });
  }
  return reader.model(proto);
}

/** Reads one TensorProto, the format of the `.pb` files that tests keep their data in. */
export function decodeTensor(source: ByteSource | Uint8Array, options: ReadOptions = {}): Tensor {
  const bytes = source instanceof Uint8Array ? new MemorySource(source) : source;
  const proto = decode(bytes, TENSOR, { ...DEFAULT_LIMITS, ...options.limits });
  return tensorFrom(proto, 'tensor', options);
}

/** A tensor from its decoded message. */
export function tensorFrom(proto: Decoded, path: string, options: ReadOptions = {}): Tensor {
  return new ModelReader(options.externalFiles).tensor(proto, ROOT.item(path));
}

const ATTRIBUTE_TYPES: readonly AttributeTypeName[] = [
  'undefined',
  'float',
  'int',
  'string',
  'tensor',
  'graph',
  'floats',
  'ints',
  'strings',
  'tensors',
  'graphs',
  'sparse_tensor',
  'sparse_tensors',
  'type_proto',
  'type_protos',
];

/** AttributeProto's field for each kind of attribute. */
export const ATTRIBUTE_FIELDS = {
  float: 'f',
  int: 'i',
  string: 's',
  tensor: 't',
  graph: 'g',
  sparse_tensor: 'sparseTensor',
  type_proto: 'tp',
  floats: 'floats',
  ints: 'ints',
  strings: 'strings',
  tensors: 'tensors',
  graphs: 'graphs',
  sparse_tensors: 'sparseTensors',
  type_protos: 'typeProtos',
} as const satisfies Record<Exclude<AttributeTypeName, 'undefined'>, string>;

export function attributeTypeCode(type: AttributeTypeName): number {
  return ATTRIBUTE_TYPES.indexOf(type);
}

const TYPED_FIELDS: readonly (readonly [proto: string, field: TypedField])[] = [
  ['floatData', 'float_data'],
  ['int32Data', 'int32_data'],
  ['int64Data', 'int64_data'],
  ['doubleData', 'double_data'],
  ['uint64Data', 'uint64_data'],
];

/** Kinds of attributes that are messages: without one there is nothing to go on with. */
const NEEDS_VALUE = new Set<AttributeTypeName>(['tensor', 'graph', 'sparse_tensor', 'type_proto']);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const NO_ENTRIES: ReadonlyMap<string, never> = new Map<string, never>();
const NO_LIST: readonly never[] = Object.freeze([]);

function text(value: unknown): string {
  return (value as string | undefined) ?? '';
}

function list<T>(value: unknown): readonly T[] {
  return (value as readonly T[] | undefined) ?? NO_LIST;
}

function fail(code: string, message: string, path: Path): never {
  throw new AuspexError(code, message, { where: { path: path.toString() } });
}

/** The two parts of almost every message that nobody computes with. */
function notes(proto: Decoded): { docString?: string; metadata?: ReadonlyMap<string, string> } | undefined {
  if (!proto.docString && !proto.metadataProps) return undefined;
  return {
    ...(proto.docString ? { docString: proto.docString as string } : undefined),
    ...(proto.metadataProps ? { metadata: entries(proto.metadataProps) } : undefined),
  };
}

function entries(value: unknown): ReadonlyMap<string, string> {
  const pairs = list<Decoded>(value);
  return pairs.length === 0 ? NO_ENTRIES : new Map(pairs.map((e) => [text(e.key), text(e.value)]));
}

class ModelReader {
  readonly #files: ExternalFiles | undefined;

  readonly #maxNodes: number;
  #nodes = 0;

  constructor(files: ExternalFiles | undefined, maxNodes = DEFAULT_LIMITS.nodes) {
    this.#files = files;
    this.#maxNodes = maxNodes;
  }

  model(proto: Decoded): Model {
    return {
      irVersion: Number(proto.irVersion ?? 0),
      opsetImports: this.#opsets(proto.opsetImport, ROOT.item('opset_import')),
      graph: this.#graph(proto.graph as Decoded, ROOT.item('graph')),
      functions: list<Decoded>(proto.functions).map((f, i) => this.#function(f, ROOT.item('functions', i))),
      producerName: text(proto.producerName),
      producerVersion: text(proto.producerVersion),
      domain: text(proto.domain),
      modelVersion: (proto.modelVersion as Int | undefined) ?? 0,
      docString: text(proto.docString),
      metadata: entries(proto.metadataProps),
      ...(proto.trainingInfo ? { trainingInfo: list(proto.trainingInfo) } : undefined),
      ...(proto.configuration ? { deviceConfigurations: list(proto.configuration) } : undefined),
    };
  }

  #opsets(value: unknown, path: Path): ReadonlyMap<string, number> {
    const versions = new Map<string, number>();
    for (const entry of list<Decoded>(value)) {
      const domain = text(entry.domain) === 'ai.onnx' ? '' : text(entry.domain);
      const version = Number(entry.version ?? 0);
      if (version < 0) fail('ONNX_MALFORMED', `opset version ${version} of domain '${domain}'`, path);
      versions.set(domain, version);
    }
    return versions;
  }

  #graph(proto: Decoded, path: Path): Graph {
    const initializers = new Map<string, Tensor>();
    list<Decoded>(proto.initializer).forEach((t, i) => {
      const tensor = this.tensor(t, path.item('initializer', i));
      if (initializers.has(tensor.name)) {
        fail(
          'GRAPH_DUPLICATE_NAME',
          `two initializers are called '${tensor.name}'`,
          path.item('initializer', i),
        );
      }
      initializers.set(tensor.name, tensor);
    });
    const sparse = new Map<string, SparseTensor>();
    list<Decoded>(proto.sparseInitializer).forEach((t, i) => {
      const here = path.item('sparse_initializer', i);
      const tensor = this.#sparse(t, here);
      const { name } = tensor.values;
      if (initializers.has(name) || sparse.has(name)) {
        fail('GRAPH_DUPLICATE_NAME', `two initializers are called '${name}'`, here);
      }
      sparse.set(name, tensor);
    });
    const infos = (field: string, label: string): ValueInfo[] =>
      list<Decoded>(proto[field]).map((v, i) => this.#valueInfo(v, path.item(label, i)));
    return {
      name: text(proto.name),
      nodes: list<Node>(proto.node),
      inputs: infos('input', 'input'),
      outputs: infos('output', 'output'),
      initializers,
      sparseInitializers: sparse,
      valueInfo: new Map(infos('valueInfo', 'value_info').map((v) => [v.name, v])),
      ...notes(proto),
      ...(proto.quantizationAnnotation
        ? { quantizationAnnotations: list(proto.quantizationAnnotation) }
        : undefined),
    };
  }

  /** A node; it is made while the file is read, and who reads it knows where it stands. */
  node(proto: Decoded): Node {
    if (++this.#nodes > this.#maxNodes) {
      throw new AuspexError('ONNX_LIMIT', `the model has more than ${this.#maxNodes} nodes`);
    }
    if (!proto.opType) throw new AuspexError('ONNX_MALFORMED', 'a node has no operator');
    const node = {
      name: text(proto.name),
      opType: proto.opType as string,
      domain: text(proto.domain),
      inputs: list<string>(proto.input),
      outputs: list<string>(proto.output),
      attributes: this.#attributes(proto.attribute, ROOT),
    };
    if (!proto.overload && !proto.docString && !proto.metadataProps && !proto.deviceConfigurations)
      return node;
    return {
      ...node,
      ...(proto.overload ? { overload: proto.overload as string } : undefined),
      ...notes(proto),
      ...(proto.deviceConfigurations
        ? { deviceConfigurations: list(proto.deviceConfigurations) }
        : undefined),
    };
  }

  #attributes(value: unknown, path: Path): ReadonlyMap<string, Attribute> {
    const protos = list<Decoded>(value);
    if (protos.length === 0) return NO_ENTRIES;
    const attributes = new Map<string, Attribute>();
    protos.forEach((proto, i) => {
      const here = path.item('attribute', i);
      const name = text(proto.name);
      if (attributes.has(name)) fail('ONNX_MALFORMED', `attribute '${name}' is given twice`, here);
      attributes.set(name, this.#attribute(proto, here));
    });
    return attributes;
  }

  #attribute(proto: Decoded, path: Path): Attribute {
    const code = (proto.type as number | undefined) ?? 0;
    const type =
      ATTRIBUTE_TYPES[code] ?? fail('ONNX_MALFORMED', `attribute type ${code} does not exist`, path);
    if (proto.refAttrName) return { type: 'reference', value: proto.refAttrName as string, of: type };
    // Files before IR version 2 leave the type out: it is the field that is set.
    const kind =
      type !== 'undefined'
        ? type
        : (Object.keys(ATTRIBUTE_FIELDS) as (keyof typeof ATTRIBUTE_FIELDS)[]).find(
            (k) => proto[ATTRIBUTE_FIELDS[k]] !== undefined,
          );
    const value = kind && proto[ATTRIBUTE_FIELDS[kind]];
    if (value === undefined && kind !== undefined && NEEDS_VALUE.has(kind)) {
      fail('ONNX_MALFORMED', `a ${kind} attribute has no value`, path);
    }
    const message = value as Decoded;
    switch (kind) {
      case 'float':
      case 'int':
        return { type: kind, value: (value as number | undefined) ?? 0 };
      case 'string':
        return { type: 'string', value: asText((value as Uint8Array | undefined) ?? new Uint8Array()) };
      case 'tensor':
        return { type: 'tensor', value: this.tensor(message, path.item('t')) };
      case 'graph':
        return { type: 'graph', value: this.#graph(message, path.item('g')) };
      case 'sparse_tensor':
        return { type: 'sparse_tensor', value: this.#sparse(message, path.item('sparse_tensor')) };
      case 'type_proto':
        return { type: 'type_proto', value: this.#type(message, path.item('tp')) };
      case 'floats':
      case 'ints':
        return { type: kind, value: list<number>(value) };
      case 'strings':
        return { type: 'strings', value: list<Uint8Array>(value).map(asText) };
      case 'tensors':
        return {
          type: 'tensors',
          value: list<Decoded>(value).map((t, i) => this.tensor(t, path.item('tensors', i))),
        };
      case 'graphs':
        return {
          type: 'graphs',
          value: list<Decoded>(value).map((g, i) => this.#graph(g, path.item('graphs', i))),
        };
      case 'sparse_tensors':
        return {
          type: 'sparse_tensors',
          value: list<Decoded>(value).map((t, i) => this.#sparse(t, path.item('sparse_tensors', i))),
        };
      case 'type_protos':
        return {
          type: 'type_protos',
          value: list<Decoded>(value).map((t, i) => this.#type(t, path.item('type_protos', i))),
        };
      default:
        return fail('ONNX_MALFORMED', 'an attribute has neither a type nor a value', path);
    }
  }

  tensor(proto: Decoded, path: Path): Tensor {
    const dims = this.#sizes(proto.dims, path);
    if (elementCount({ dims }) > Number.MAX_SAFE_INTEGER) {
      fail('TENSOR_TOO_LARGE', `a tensor of shape [${dims}] cannot exist`, path);
    }
    const dtype = this.#dtype(proto.dataType, path);
    if (dtype === undefined) fail('ONNX_MALFORMED', 'a tensor has no data type', path);
    const tensor = { name: text(proto.name), dtype, dims, data: this.#data(proto, path) };
    const extra = notes(proto);
    return extra ? { ...tensor, ...extra } : tensor;
  }

  #sizes(value: unknown, path: Path): readonly number[] {
    const dims = list<Int>(value);
    this.#checkRank(dims.length, path);
    for (let i = 0; i < dims.length; i++) {
      const d = dims[i]!;
      if (typeof d !== 'number' || d < 0) fail('ONNX_MALFORMED', `a tensor has a dimension of ${d}`, path);
    }
    return dims as readonly number[];
  }

  #checkRank(rank: number, path: Path): void {
    if (rank > MAX_RANK) {
      fail('ONNX_LIMIT', `a shape has ${rank} dimensions; the limit is ${MAX_RANK}`, path);
    }
  }

  #dtype(code: unknown, path: Path): DataType | undefined {
    if (code === undefined || code === 0) return undefined;
    return dataTypeOfCode(code as number) ?? fail('ONNX_MALFORMED', `data type ${code} does not exist`, path);
  }

  #data(proto: Decoded, path: Path): TensorData {
    if (proto.dataLocation === 1) {
      const info = entries(proto.externalData);
      const size = (key: string): number | undefined => {
        const value = info.get(key);
        if (value === undefined) return undefined;
        const number = Number(value);
        if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
        return fail('EXTERNAL_DATA', `external data has ${key} '${value}'`, path);
      };
      const checksum = info.get('checksum');
      return {
        kind: 'external',
        location: info.get('location') ?? fail('EXTERNAL_DATA', 'external data has no location', path),
        offset: size('offset') ?? 0,
        length: size('length'),
        ...(checksum === undefined ? undefined : { checksum }),
        ...(this.#files ? { files: this.#files } : undefined),
      };
    }
    if (proto.rawData) return { kind: 'raw', bytes: proto.rawData as ByteRange };
    if (proto.stringData) return { kind: 'strings', values: list<Uint8Array>(proto.stringData) };
    for (const [name, field] of TYPED_FIELDS) {
      if (proto[name]) return { kind: 'fields', field, chunks: list<ByteRange>(proto[name]) };
    }
    return proto.dataType === 8
      ? { kind: 'strings', values: NO_LIST }
      : { kind: 'raw', bytes: ByteRange.of(new Uint8Array()) };
  }

  #sparse(proto: Decoded, path: Path): SparseTensor {
    const part = (name: string): Tensor =>
      this.tensor(
        (proto[name] as Decoded | undefined) ??
          fail('ONNX_MALFORMED', `a sparse tensor has no ${name}`, path),
        path.item(name),
      );
    return { values: part('values'), indices: part('indices'), dims: this.#sizes(proto.dims, path) };
  }

  #valueInfo(proto: Decoded, path: Path): ValueInfo {
    const type = proto.type as Decoded | undefined;
    const info = { name: text(proto.name), type: type ? this.#type(type, path.item('type')) : UNKNOWN };
    const extra = notes(proto);
    return extra ? { ...info, ...extra } : info;
  }

  #type(proto: Decoded, path: Path): ValueType {
    const part = (name: string): Decoded | undefined => proto[name] as Decoded | undefined;
    const element = (of: Decoded, name: string): ValueType =>
      of[name] ? this.#type(of[name] as Decoded, path.item(name)) : UNKNOWN;
    const tensor = part('tensorType');
    if (tensor) return new TensorType(this.#dtype(tensor.elemType, path), this.#shape(tensor.shape, path));
    const sequence = part('sequenceType');
    if (sequence) return sequenceType(element(sequence, 'elemType'));
    const optional = part('optionalType');
    if (optional) return optionalType(element(optional, 'elemType'));
    const map = part('mapType');
    if (map) return { kind: 'map', key: this.#dtype(map.keyType, path), value: element(map, 'valueType') };
    const sparse = part('sparseTensorType');
    if (sparse) {
      return {
        kind: 'sparse',
        dtype: this.#dtype(sparse.elemType, path),
        shape: this.#shape(sparse.shape, path),
      };
    }
    const opaque = part('opaqueType');
    if (opaque) return { kind: 'unknown', domain: text(opaque.domain), name: text(opaque.name) };
    return UNKNOWN;
  }

  #shape(value: unknown, path: Path): Shape | undefined {
    if (value === undefined) return undefined;
    const dims = list<Decoded>((value as Decoded).dim);
    this.#checkRank(dims.length, path);
    return dims.map((dim): Dim => {
      const size = dim.dimValue;
      // Some exporters write −1 for a size they do not know.
      if (typeof size === 'number' && size >= 0) return size;
      return dim.dimParam ? symbol(dim.dimParam as string) : UNNAMED;
    });
  }

  #function(proto: Decoded, path: Path): FunctionDefinition {
    return {
      name: text(proto.name),
      domain: text(proto.domain),
      ...(proto.overload ? { overload: proto.overload as string } : undefined),
      inputs: list<string>(proto.input),
      outputs: list<string>(proto.output),
      attributes: list<string>(proto.attribute),
      attributeDefaults: this.#attributes(proto.attributeProto, path),
      nodes: list<Node>(proto.node),
      opsetImports: this.#opsets(proto.opsetImport, path.item('opset_import')),
      valueInfo: new Map(
        list<Decoded>(proto.valueInfo)
          .map((v, i) => this.#valueInfo(v, path.item('value_info', i)))
          .map((v) => [v.name, v]),
      ),
      ...notes(proto),
    };
  }
}

/** A declared dimension without size and name. */
export const UNNAMED = symbol('?');

function asText(bytes: Uint8Array): Text {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes;
  }
}
