// A model whose inner values have short names. Names of gradients say where they come from, in a hundred letters; ONNX Runtime
// takes a fifth less time to compile a graph of thousands of nodes without them. Nodes keep theirs, as errors name them.
import { hasSubgraphs, type Model } from '../../graph/graph.js';
import type { Tensor } from '../../graph/tensor.js';

/** Inputs and outputs keep their names. */
export function withShortNames(model: Model): Model {
  const { graph } = model;
  // Names inside of bodies would have to change as well.
  if (graph.nodes.some(hasSubgraphs) || graph.sparseInitializers.size > 0) return model;
  const names = new Map([...graph.inputs, ...graph.outputs].map(({ name }) => [name, name]));
  names.set('', '');
  let count = 0;
  const short = (name: string): string => {
    let found = names.get(name);
    if (found !== undefined) return found;
    do found = (count++).toString(36);
    while (names.has(found));
    names.set(name, found);
    return found;
  };
  const renamed = (tensor: Tensor): [string, Tensor] => {
    const name = short(tensor.name);
    return [name, { ...tensor, name }];
  };
  return {
    ...model,
    graph: {
      ...graph,
      nodes: graph.nodes.map((node) => ({
        ...node,
        inputs: node.inputs.map(short),
        outputs: node.outputs.map(short),
      })),
      initializers: new Map([...graph.initializers.values()].map(renamed)),
      valueInfo: new Map(),
    },
  };
}
