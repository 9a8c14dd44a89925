// Replaces nodes of a model by others that compute the same outputs, or something else on purpose.

import { noteTypes } from '../analysis/builder-types.js';
import { inferShapes } from '../analysis/infer.js';
import { flatten } from '../autodiff/flatten.js';
import { type Model, makeNode, type Node, nodeLabel } from '../graph/graph.js';
import { Builder, type Value } from '../ops/build.js';
import { Expansion } from '../ops/gradient.js';

/** What takes the place of a node's outputs; undefined where the node stays. */
type NodeRewrite = (node: Expansion) => readonly (Value | undefined)[] | undefined;

/** The model with every node that `rewrite` answers for replaced. Functions must be inlined already. */
export function rewriteNodes(model: Model, rewrite: NodeRewrite): Model {
  const { nodes, types } = flatten(inferShapes(model).graph);
  const builder = new Builder({ opsets: model.opsetImports, types });
  for (const node of nodes) addNode(builder, node, rewrite);
  const { graph } = model;
  const rewritten = {
    ...model,
    graph: {
      ...graph,
      nodes: builder.nodes,
      initializers: new Map([...graph.initializers, ...builder.initializers]),
      outputs: graph.outputs.map(({ name }) => ({ name, type: types.get(name)! })),
    },
  };
  return noteTypes(rewritten, builder.types);
}

function addNode(builder: Builder, node: Node, rewrite: NodeRewrite): void {
  const outputs = builder.within(nodeLabel(node), () =>
    rewrite(new Expansion(builder.callOf(node), builder)),
  );
  if (outputs === undefined) {
    builder.nodes.push(node);
    return;
  }
  node.outputs.forEach((name, i) => {
    const value = outputs[i];
    if (name === '' || value === undefined) return;
    builder.nodes.push(makeNode('Identity', [value.name], [name], {}, { name }));
  });
}

/** A builder that goes on where a model ends. */
export function extend(model: Model): Builder {
  const builder = new Builder({ opsets: model.opsetImports, types: inferShapes(model).graph.types });
  builder.nodes.push(...model.graph.nodes);
  return builder;
}

/** The model with what a builder added, and other outputs. */
export function extended(model: Model, builder: Builder, outputs: readonly Value[]): Model {
  const { graph } = model;
  const longer = {
    ...model,
    graph: {
      ...graph,
      nodes: builder.nodes,
      inputs: [...graph.inputs, ...builder.inputs],
      initializers: new Map([...graph.initializers, ...builder.initializers]),
      outputs: outputs.map(({ name, type }) => ({ name, type })),
    },
  };
  return noteTypes(longer, builder.types);
}
