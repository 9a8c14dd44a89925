// The one representation of a network: nodes that apply operators to named values. Plain data, as close to
// ONNX as is pleasant, so that nothing a file says is lost between reading and writing.
import type { SparseTensor, Tensor } from './tensor.js';
import type { ValueType } from './types.js';

/** An integer of a file: a number, or a bigint where it lies beyond ±2^53. */
export type Int = number | bigint;

/** Text of a file: a string, or the bytes themselves where they are not UTF-8. */
export type Text = string | Uint8Array;

export type Attribute =
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'int'; readonly value: Int }
  | { readonly type: 'string'; readonly value: Text }
  | { readonly type: 'tensor'; readonly value: Tensor }
  | { readonly type: 'graph'; readonly value: Graph }
  | { readonly type: 'sparse_tensor'; readonly value: SparseTensor }
  | { readonly type: 'type_proto'; readonly value: ValueType }
  | { readonly type: 'floats'; readonly value: readonly number[] }
  | { readonly type: 'ints'; readonly value: readonly Int[] }
  | { readonly type: 'strings'; readonly value: readonly Text[] }
  | { readonly type: 'tensors'; readonly value: readonly Tensor[] }
  | { readonly type: 'graphs'; readonly value: readonly Graph[] }
  | { readonly type: 'sparse_tensors'; readonly value: readonly SparseTensor[] }
  | { readonly type: 'type_protos'; readonly value: readonly ValueType[] }
  /** Inside a function: takes the value of the function's attribute of that name. */
  | { readonly type: 'reference'; readonly value: string; readonly of: AttributeTypeName };

/** The kinds an attribute can have, in ONNX's words. */
export type AttributeTypeName =
  | 'undefined'
  | 'float'
  | 'int'
  | 'string'
  | 'tensor'
  | 'graph'
  | 'sparse_tensor'
  | 'type_proto'
  | 'floats'
  | 'ints'
  | 'strings'
  | 'tensors'
  | 'graphs'
  | 'sparse_tensors'
  | 'type_protos';

export interface Node {
  /** May be empty; need not be unique. */
  readonly name: string;
  readonly opType: string;
  /** Empty for ai.onnx. */
  readonly domain: string;
  readonly overload?: string;
  /** Names of values; empty for an optional input that is not given. */
  readonly inputs: readonly string[];
  /** Names of values; empty for an output nobody wants. */
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly docString?: string;
  readonly metadata?: ReadonlyMap<string, string>;
  /** Placement on several devices, kept as it was read. */
  readonly deviceConfigurations?: readonly unknown[];
}

/** A named value with what the file declares of its type. */
export interface ValueInfo {
  readonly name: string;
  readonly type: ValueType;
  readonly docString?: string;
  readonly metadata?: ReadonlyMap<string, string>;
}

export interface Graph {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  readonly initializers: ReadonlyMap<string, Tensor>;
  readonly sparseInitializers: ReadonlyMap<string, SparseTensor>;
  /** Declared types of values inside; a hint, not a promise. */
  readonly valueInfo: ReadonlyMap<string, ValueInfo>;
  readonly docString?: string;
  readonly metadata?: ReadonlyMap<string, string>;
  /** Kept as they were read. */
  readonly quantizationAnnotations?: readonly unknown[];
}

/** A model-local function: an operator defined by nodes. */
export interface FunctionDefinition {
  readonly name: string;
  readonly domain: string;
  readonly overload?: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Attributes without a default. */
  readonly attributes: readonly string[];
  readonly attributeDefaults: ReadonlyMap<string, Attribute>;
  readonly nodes: readonly Node[];
  readonly opsetImports: ReadonlyMap<string, number>;
  readonly valueInfo: ReadonlyMap<string, ValueInfo>;
  readonly docString?: string;
  readonly metadata?: ReadonlyMap<string, string>;
}

export interface Model {
  readonly irVersion: number;
  /** Version by domain; ai.onnx under ''. */
  readonly opsetImports: ReadonlyMap<string, number>;
  readonly graph: Graph;
  readonly functions: readonly FunctionDefinition[];
  readonly producerName: string;
  readonly producerVersion: string;
  readonly domain: string;
  readonly modelVersion: Int;
  readonly docString: string;
  readonly metadata: ReadonlyMap<string, string>;
  /** Kept as they were read. */
  readonly trainingInfo?: readonly unknown[];
  readonly deviceConfigurations?: readonly unknown[];
}

/** `Conv`, or `com.microsoft.FusedMatMul`. */
export function operatorName(node: Pick<Node, 'opType' | 'domain'>): string {
  return isDefaultDomain(node.domain) ? node.opType : `${node.domain}.${node.opType}`;
}

export function isDefaultDomain(domain: string): boolean {
  return domain === '' || domain === 'ai.onnx';
}

/** How a message calls a node: its name, else its first output, else its position. */
export function nodeLabel(node: Node, index?: number): string {
  return node.name || node.outputs.find((name) => name !== '') || `#${index ?? '?'}`;
}

export function hasSubgraphs(node: Node): boolean {
  if (node.attributes.size === 0) return false;
  for (const { type } of node.attributes.values()) if (type === 'graph' || type === 'graphs') return true;
  return false;
}

/** Subgraphs that a node carries in its attributes, with the attribute's name. */
export function* subgraphs(node: Node): Generator<[attribute: string, graph: Graph]> {
  for (const [name, attribute] of node.attributes) {
    if (attribute.type === 'graph') yield [name, attribute.value];
    else if (attribute.type === 'graphs') for (const graph of attribute.value) yield [name, graph];
  }
}

const NO_ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map();

/** A node from its parts, for code that builds graphs. */
export function makeNode(
  opType: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
  more: { name?: string; domain?: string } = {},
): Node {
  const entries = Object.entries(attributes);
  return {
    name: more.name ?? '',
    opType,
    domain: more.domain ?? '',
    inputs,
    outputs,
    attributes: entries.length === 0 ? NO_ATTRIBUTES : new Map(entries),
  };
}

/** A graph from its parts; what is left out is empty. */
export function makeGraph(parts: Partial<Graph> & Pick<Graph, 'nodes' | 'inputs' | 'outputs'>): Graph {
  return {
    name: 'graph',
    initializers: new Map(),
    sparseInitializers: new Map(),
    valueInfo: new Map(),
    ...parts,
  };
}

/** A model around a graph. */
export function makeModel(graph: Graph, parts: Partial<Omit<Model, 'graph'>> = {}): Model {
  return {
    irVersion: 10,
    opsetImports: new Map([['', 21]]),
    functions: [],
    producerName: 'auspex',
    producerVersion: '',
    domain: '',
    modelVersion: 0,
    docString: '',
    metadata: new Map(),
    ...parts,
    graph,
  };
}
