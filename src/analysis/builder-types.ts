// What is known of a model that was written with a builder: the types of all its values, so that they are not inferred again.
import { hasSubgraphs, type Model } from '../graph/graph.js';
import type { ValueType } from '../graph/types.js';
import { operatorFor } from '../ops/index.js';
import { Call, type CallScope } from '../ops/operator.js';
import { type InferredNode, noteInferred } from './infer.js';

const NO_BODIES: CallScope = {
  inferBody: () => {
    throw new Error('a model that was written has no bodies');
  },
  sameWork: () => false,
};

/**
 * Notes the types of a model's values. Without effect for one with bodies, or with operators that nothing is known of.
 *
 * @param model without functions, its nodes in order.
 * @param types of all its values, as inference would find them.
 */
export function noteTypes<M extends Model>(model: M, types: ReadonlyMap<string, ValueType>): M {
  const { graph, opsetImports } = model;
  if (graph.nodes.some((node) => hasSubgraphs(node) || operatorFor(node) === undefined)) return model;
  const typeOf = (name: string): ValueType | undefined => (name === '' ? undefined : types.get(name));
  let nodes: InferredNode[] | undefined;
  noteInferred(model, {
    name: graph.name,
    get nodes() {
      nodes ??= graph.nodes.map((node): InferredNode => {
        const opset = opsetImports.get(node.domain === 'ai.onnx' ? '' : node.domain) ?? 1;
        const call = new Call(node, opset, node.inputs.map(typeOf), NO_BODIES);
        call.outputs = node.outputs.map((name) => typeOf(name)!);
        return { node, call, operator: operatorFor(node), isFunction: false };
      });
      return nodes;
    },
    plainNodes: graph.nodes,
    types,
    inputNames: graph.inputs.map((input) => input.name).filter((name) => !graph.initializers.has(name)),
    outputNames: graph.outputs.map((output) => output.name),
    outputTypes: graph.outputs.map((output) => types.get(output.name)!),
    initializers: graph.initializers,
  });
  return model;
}
