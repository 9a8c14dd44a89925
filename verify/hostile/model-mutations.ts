// Mutations that know what a model is: they keep the file well formed and break what it says.
import type { Attribute, Graph, Model, Node, ValueInfo } from '../../src/graph/graph.js';
import { subgraphs } from '../../src/graph/graph.js';
import type { Tensor } from '../../src/graph/tensor.js';
import { TensorType } from '../../src/graph/types.js';
import { allOperators } from '../../src/ops/index.js';
import type { Random } from '../../src/util/random.js';
import {
  anyAttribute,
  anyAttributeType,
  anyDtype,
  anyShape,
  anyTensor,
  anyType,
  mismatched,
} from './values.js';

export type ModelMutation = (model: Model, random: Random) => Model;

/** Changes one graph of a model: the main one, or one inside a node. */
function onGraph(edit: (graph: Graph, random: Random) => Graph): ModelMutation {
  const visit = (graph: Graph, random: Random): Graph => {
    const holders = graph.nodes.flatMap((node, i) => ([...subgraphs(node)].length > 0 ? [i] : []));
    if (holders.length === 0 || random.chance(0.5)) return edit(graph, random);
    const at = random.pick(holders);
    const node = graph.nodes[at]!;
    const [name] = random.pick([...subgraphs(node)]);
    const held = node.attributes.get(name)!;
    if (held.type !== 'graph') return edit(graph, random);
    const attributes = new Map(node.attributes).set(name, {
      type: 'graph',
      value: visit(held.value, random),
    });
    return { ...graph, nodes: graph.nodes.with(at, { ...node, attributes }) };
  };
  return (model, random) => ({ ...model, graph: visit(model.graph, random) });
}

/** Changes one node, of a function if the model has some. */
function onNode(edit: (node: Node, random: Random, graph: Graph) => Node): ModelMutation {
  const ofGraph = onGraph((graph, random) => {
    if (graph.nodes.length === 0) return graph;
    const at = random.below(graph.nodes.length);
    return { ...graph, nodes: graph.nodes.with(at, edit(graph.nodes[at]!, random, graph)) };
  });
  return (model, random) => {
    if (model.functions.length === 0 || random.chance(0.4)) return ofGraph(model, random);
    const at = random.below(model.functions.length);
    const definition = model.functions[at]!;
    if (definition.nodes.length === 0) return ofGraph(model, random);
    const i = random.below(definition.nodes.length);
    const nodes = definition.nodes.with(i, edit(definition.nodes[i]!, random, model.graph));
    return { ...model, functions: model.functions.with(at, { ...definition, nodes }) };
  };
}

/** A name that exists in the graph, or one that does not. */
function anyName(graph: Graph, random: Random): string {
  const node = graph.nodes.length > 0 ? random.pick(graph.nodes) : undefined;
  return random.pick([
    node?.outputs[0] ?? 'x',
    node?.inputs[0] ?? 'x',
    graph.inputs[0]?.name ?? 'x',
    [...graph.initializers.keys()].at(-1) ?? 'x',
    '',
    'nowhere',
  ]);
}

function withAttribute(node: Node, name: string, attribute: Attribute): Node {
  return { ...node, attributes: new Map(node.attributes).set(name, attribute) };
}

const cycle = onGraph((graph, random) => {
  if (graph.nodes.length === 0) return graph;
  const [i, j] = [random.below(graph.nodes.length), random.below(graph.nodes.length)].sort((a, b) => a - b);
  const early = graph.nodes[i!]!;
  const inputs = [...early.inputs, graph.nodes[j!]!.outputs[0] ?? 'x'];
  return { ...graph, nodes: graph.nodes.with(i!, { ...early, inputs }) };
});

const wiring = onNode((node, random, graph) => {
  const inputs = [...node.inputs];
  switch (random.below(6)) {
    case 0:
      inputs.splice(random.below(inputs.length + 1), 1);
      break;
    case 1:
      inputs.push(...Array.from({ length: random.pick([1, 2, 9, 300]) }, () => anyName(graph, random)));
      break;
    case 2:
      inputs.reverse();
      break;
    case 3:
      inputs.length = 0;
      break;
    default:
      inputs[random.below(inputs.length + 1)] = anyName(graph, random);
  }
  return { ...node, inputs };
});

const outputs = onNode((node, random, graph) => {
  const names = [...node.outputs];
  switch (random.below(4)) {
    case 0:
      names.pop();
      break;
    case 1:
      names.push(...Array.from({ length: random.pick([1, 2, 300]) }, (_, i) => `more${i}`));
      break;
    case 2:
      names[random.below(names.length + 1)] = anyName(graph, random);
      break;
    default:
      names.unshift('');
  }
  return { ...node, outputs: names };
});

const interfaces = onGraph((graph, random) => {
  const infos = random.chance(0.5) ? 'inputs' : 'outputs';
  const list = [...graph[infos]];
  const info: ValueInfo = { name: anyName(graph, random), type: anyType(random) };
  list.splice(random.below(list.length + 1), random.below(2), info);
  return { ...graph, [infos]: list };
});

const inputTypes = onGraph((graph, random) => {
  if (graph.inputs.length === 0) return graph;
  const at = random.below(graph.inputs.length);
  const input = graph.inputs[at]!;
  const dtype = input.type.kind === 'tensor' ? input.type.dtype : 'float32';
  const type = random.pick([
    new TensorType(dtype, anyShape(random)),
    new TensorType(anyDtype(random), input.type.kind === 'tensor' ? input.type.shape : undefined),
    anyType(random),
  ]);
  return { ...graph, inputs: graph.inputs.with(at, { ...input, type }) };
});

const declarations = onGraph((graph, random) => {
  const name = anyName(graph, random);
  return { ...graph, valueInfo: new Map(graph.valueInfo).set(name, { name, type: anyType(random) }) };
});

const constants = onGraph((graph, random) => {
  if (graph.initializers.size === 0) return graph;
  const [name, old] = random.pick([...graph.initializers]);
  const tensor: Tensor = random.pick([
    anyTensor(random, name),
    anyTensor(random, name),
    mismatched(random, name),
    { ...old, dtype: anyDtype(random) },
    { ...old, dims: [...old.dims, random.pick([0, 1, 2, 2 ** 40])] },
    { ...old, dims: old.dims.slice(1) },
  ]);
  return { ...graph, initializers: new Map(graph.initializers).set(name, tensor) };
});

const attributes = onNode((node, random) => {
  const names = [...node.attributes.keys()];
  if (names.length === 0 || random.chance(0.1)) {
    return withAttribute(node, random.pick(['axis', 'axes', 'perm', 'to']), anyAttribute(random, 'int'));
  }
  const name = random.pick(names);
  const { type } = node.attributes.get(name)!;
  if (random.chance(0.2)) {
    return { ...node, attributes: new Map([...node.attributes].filter(([key]) => key !== name)) };
  }
  const kind = type === 'reference' || random.chance(0.2) ? anyAttributeType(random) : type;
  return withAttribute(node, name, anyAttribute(random, kind));
});

const operators = onNode((node, random) => {
  const name = random.pick([...allOperators().keys()]);
  const dot = name.lastIndexOf('.');
  return { ...node, opType: name.slice(dot + 1), domain: dot < 0 ? '' : name.slice(0, dot) };
});

const opsets: ModelMutation = (model, random) => {
  const version = random.pick([0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 19, 20, 22, 23, 26, 2 ** 31]);
  return { ...model, opsetImports: random.chance(0.1) ? new Map() : new Map([['', version]]) };
};

const order = onGraph((graph, random) => ({
  ...graph,
  nodes: random.chance(0.5) ? graph.nodes.toReversed() : [...graph.nodes, ...graph.nodes],
}));

const single = {
  cycle,
  wiring,
  outputs,
  interfaces,
  inputTypes,
  declarations,
  constants,
  attributes,
  operators,
  opsets,
  order,
};

/** Several at once. */
const several: ModelMutation = (model, random) => {
  let out = model;
  for (let n = random.between(2, 6); n > 0; n--) out = random.pick(Object.values(single))(out, random);
  return out;
};

export const MODEL_MUTATIONS: Readonly<Record<string, ModelMutation>> = { ...single, several };
