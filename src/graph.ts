// `auspex/graph`: models as graphs of ONNX operators. Reading and writing bytes, building, shapes, cost, operators.
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
export { type Dim, isKnown, symbol } from './graph/dim.js';
export type { DataType } from './graph/dtype.js';
export {
  type Attribute,
  type Graph,
  type Model,
  makeGraph,
  makeModel,
  makeNode,
  type Node,
  type ValueInfo,
} from './graph/graph.js';
export { type Tensor, tensorBytes, tensorNumbers } from './graph/tensor.js';
export { isTensor, TensorType, type ValueType } from './graph/types.js';
export { decodeModel, type ReadOptions } from './onnx/read.js';
export { encodeModel } from './onnx/write.js';
export { Builder, type Operand, Value } from './ops/build.js';
export { allOperators, operatorFor } from './ops/index.js';
export type { Operator } from './ops/operator.js';
export { type OperatorTable, registerOperators } from './ops/registry.js';
export { sessionFor } from './runtime/session.js';
