// A network whose shapes cannot be inferred, as the file has it: nodes and edges without types and counts, so that the
// node at fault can be shown.
import type { NodeCost } from '../../../src/analysis/cost.js';
import type { InferredGraph, InferredNode } from '../../../src/analysis/infer.js';
import { type Model, nodeLabel, operatorName } from '../../../src/graph/graph.js';
import { UNKNOWN, type ValueType } from '../../../src/graph/types.js';
import { operatorFor } from '../../../src/ops/index.js';
import { Call } from '../../../src/ops/operator.js';

export interface AsRead {
  readonly graph: InferredGraph;
  readonly nodes: readonly NodeCost[];
}

export function asRead({ graph, opsetImports }: Model): AsRead {
  const types = new Map<string, ValueType>(graph.inputs.map(({ name, type }) => [name, type]));
  const scope = { known: () => undefined } as unknown as ConstructorParameters<typeof Call>[3];
  const nodes = graph.nodes.map((node): InferredNode => {
    const call = new Call(
      node,
      opsetImports.get(node.domain) ?? 1,
      node.inputs.map(() => undefined),
      scope,
    );
    call.outputs = node.outputs.map(() => UNKNOWN);
    return { node, call, operator: operatorFor(node), isFunction: false };
  });
  const none = { parameters: 0, weightBytes: 0, macs: 0, flops: 0, activationBytes: 0, memoryAccessBytes: 0 };
  return {
    graph: {
      name: graph.name,
      nodes,
      types,
      inputNames: graph.inputs.map(({ name }) => name),
      outputNames: graph.outputs.map(({ name }) => name),
      outputTypes: graph.outputs.map(({ type }) => type),
      initializers: graph.initializers,
    } as InferredGraph,
    nodes: nodes.map((inferred, index) => ({
      name: nodeLabel(inferred.node, index),
      operator: operatorName(inferred.node),
      inferred,
      outputs: inferred.call.outputs,
      times: 1,
      perIteration: false,
      counted: true,
      complete: false,
      ...none,
    })),
  };
}
