// The library where there are no files, such as in a page: everything but reading from and writing to paths.
export { type Block, blockTree } from './analysis/blocks.js';
export type { Constant } from './analysis/constants.js';
export { type CostReport, type Counts, cost, type NodeCost } from './analysis/cost.js';
export type { Coverage } from './analysis/coverage.js';
export { structureHash } from './analysis/hash.js';
export {
  type Inference,
  type InferOptions,
  type InferredGraph,
  type InferredNode,
  inferShapes,
} from './analysis/infer.js';
export { type Inspection, inspect } from './analysis/inspect.js';
export type { ConstantKind } from './analysis/parameters.js';
export { type Differentiated, type GradientOptions, gradients } from './autodiff/gradients.js';
export * from './datasets/index.js';
export type { Dim } from './graph/dim.js';
export type { DataType } from './graph/dtype.js';
export type { Attribute, Graph, Model, Node, ValueInfo } from './graph/graph.js';
export { makeGraph, makeModel, makeNode } from './graph/graph.js';
export { type Tensor, tensorBytes, tensorNumbers } from './graph/tensor.js';
export { TensorType, type ValueType } from './graph/types.js';
export * from './metrics/index.js';
export {
  ArchNetwork,
  lazily,
  listOf,
  type Network,
  type Networks,
  Resolver,
  rowsOf,
} from './networks/index.js';
export { decodeModel, type ReadOptions } from './onnx/read.js';
export { encodeModel } from './onnx/write.js';
export * from './predictors/index.js';
export * from './proxies/index.js';
export { type RuntimeModule, useRuntime } from './runtime/runtime.js';
export {
  type Feeds,
  type HostTensor,
  hostTensor,
  Session,
  type SessionOptions,
  sessionFor,
} from './runtime/session.js';
export * from './search/index.js';
export {
  type AnySpace,
  type Cell,
  type Description,
  describeArchitecture,
  type NetworkOptions,
  onnxSpace,
  SPACES,
  type Space,
  spaceNamed,
} from './spaces/index.js';
export { sizesOf } from './spaces/sizes.js';
export { AuspexError, type Where } from './util/errors.js';
