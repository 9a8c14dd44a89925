// Models of several nodes for tests: for operators whose inputs other operators must make, and for those that
// run graphs of their own.
import type { DataType } from '../graph/dtype.js';
import {
  type Attribute,
  type Graph,
  type Model,
  makeGraph,
  type Node,
  type ValueInfo,
} from '../graph/graph.js';
import { TensorType, UNKNOWN } from '../graph/types.js';
import { modelOf, type TestInput } from './ort.testing.js';

/** A model of these nodes, with inputs `x0`, `x1` …. */
export function modelWith(
  inputs: readonly (TestInput | null)[],
  nodes: readonly Node[],
  outputs: readonly string[],
  opset = 21,
): Model {
  const model = modelOf({ op: 'Identity', inputs, opset });
  return {
    ...model,
    graph: { ...model.graph, nodes, outputs: outputs.map((name) => ({ name, type: UNKNOWN })) },
  };
}

/** A formal input of a subgraph. Without sizes its rank is not declared. */
export function formal(name: string, dtype: DataType, dims?: readonly number[]): ValueInfo {
  return { name, type: new TensorType(dtype, dims) };
}

/** A subgraph as an attribute. */
export function body(
  inputs: readonly ValueInfo[],
  nodes: readonly Node[],
  outputs: readonly string[],
): Attribute & { value: Graph } {
  const graph = makeGraph({
    name: 'body',
    inputs,
    nodes,
    outputs: outputs.map((name) => ({ name, type: UNKNOWN })),
  });
  return { type: 'graph', value: graph };
}
