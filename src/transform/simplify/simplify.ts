// A network with fewer nodes that computes the same: constants computed beforehand, sizes made static, nodes without
// effect removed, also in the graphs of Ifs and loops. Open sizes stay open, operators that nobody knows are not touched.
import { pruned } from '../../analysis/dependence.js';
import { type InferredGraph, inferShapes } from '../../analysis/infer.js';
import type { Attribute, Graph, Model, Node } from '../../graph/graph.js';
import { hasSubgraphs } from '../../graph/graph.js';
import type { Tensor } from '../../graph/tensor.js';
import { traitsOf } from '../../ops/index.js';
import type { Change, Transformed } from '../transform.js';
import { withShortChains } from './chains.js';
import { withoutDuplicates } from './duplicates.js';
import { withFoldedConstants } from './fold-constants.js';
import { withKnownValues } from './known-values.js';
import { withFoldedLayers } from './layers.js';
import { withoutNoOps } from './no-ops.js';
import { applied, type Edit, GraphView, type PassOptions } from './pass.js';

interface SimplifyOptions {
  /** Whether batch normalisations and biases become part of the convolutions before them. Default true. */
  readonly foldsLayers?: boolean;
}

type Pass = (view: GraphView) => Edit | Promise<Edit>;

/** In this order, again and again until nothing changes. */
const PASSES: readonly Pass[] = [
  withKnownValues,
  withFoldedConstants,
  withoutNoOps,
  withShortChains,
  withoutDuplicates,
];

/** A network that still changes after so many rounds is left as it is then. */
const MOST_ROUNDS = 12;

/**
 * Simplifies a network.
 *
 * @example
 * const { model, changes } = await simplified(readModel('net.onnx'));
 */
export async function simplified(model: Model, options: SimplifyOptions = {}): Promise<Transformed> {
  const passes = options.foldsLayers === false ? PASSES : [...PASSES, withFoldedLayers];
  const changes: Change[] = [];
  let current = withoutUnused(inOrder(withoutDefaults(model, changes)), changes);
  // Types are inferred again only after something has changed.
  let inferred: InferredGraph | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = changes.length;
    for (const pass of passes) {
      inferred ??= inferShapes(current).graph;
      const edited = await simplifiedGraph(
        current,
        current.graph,
        inferred,
        new Map(),
        NOT_REPEATED,
        pass,
        changes,
      );
      if (edited === current.graph) continue;
      current = withoutUnused({ ...current, graph: edited }, changes);
      inferred = undefined;
    }
    if (changes.length === before) break;
  }
  return { model: current, changes };
}

/** The version of the file format since which constants need not be listed among the inputs. */
const LEAST_IR = 4;

/** Constants that are listed among the inputs, as old files had to, are constants only. */
function withoutDefaults(model: Model, changes: Change[]): Model {
  const { graph } = model;
  const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  const irVersion = Math.max(model.irVersion, LEAST_IR);
  const gone = graph.inputs.length - inputs.length;
  if (gone === 0) return { ...model, irVersion };
  changes.push({ transform: 'simplify', what: `${gone} inputs that are constants are no longer inputs` });
  return { ...model, irVersion, graph: { ...graph, inputs } };
}

/** With its nodes in an order in which they can run; most files have one. */
function inOrder(model: Model): Model {
  const nodes = inferShapes(model).graph.nodes.map(({ node }) => node);
  return { ...model, graph: { ...model.graph, nodes } };
}

const NOT_REPEATED: PassOptions = { isRepeated: false };

/** One pass over a graph and over all graphs inside. */
async function simplifiedGraph(
  model: Model,
  graph: Graph,
  inferred: InferredGraph,
  outer: ReadonlyMap<string, Tensor>,
  options: PassOptions,
  pass: Pass,
  changes: Change[],
): Promise<Graph> {
  const view = new GraphView(model, graph, inferred, outer, options);
  const edit = await pass(view);
  changes.push(...edit.changes);
  const edited = applied(graph, edit);
  const inner = new Map<Node, Node>();
  for (const node of edited.nodes) {
    if (!hasSubgraphs(node)) continue;
    const found = inferred.nodes.find((step) => step.node.outputs[0] === node.outputs[0])?.call.bodies ?? [];
    const isRepeated = options.isRepeated || traitsOf(node).controlFlow !== 'branch';
    const attributes = new Map<string, Attribute>(node.attributes);
    for (const [name, attribute] of node.attributes) {
      const body = found.find((one) => one.name === name)?.graph as InferredGraph | undefined;
      if (attribute.type !== 'graph' || body === undefined) continue;
      const value = await simplifiedGraph(
        model,
        attribute.value,
        body,
        view.constants,
        { isRepeated },
        pass,
        changes,
      );
      if (value !== attribute.value) attributes.set(name, { type: 'graph', value: withoutIdle(value) });
    }
    if ([...attributes].some(([name, value]) => value !== node.attributes.get(name))) {
      inner.set(node, { ...node, attributes });
    }
  }
  return inner.size === 0
    ? edited
    : { ...edited, nodes: edited.nodes.map((node) => inner.get(node) ?? node) };
}

/** A body without nodes and constants that nothing reads. */
function withoutIdle(graph: Graph): Graph {
  return pruned({ graph } as Model).graph;
}

/** Without nodes and constants that no output needs. */
function withoutUnused(model: Model, changes: Change[]): Model {
  const { graph } = pruned(model);
  const gone = model.graph.nodes.length - graph.nodes.length;
  if (gone > 0) {
    changes.push({
      transform: 'simplify',
      what: `${gone} ${gone === 1 ? 'node' : 'nodes'} that no output needs removed`,
    });
  }
  if (gone === 0 && graph.initializers.size === model.graph.initializers.size) return model;
  const values = new Set(graph.nodes.flatMap(({ outputs }) => outputs));
  return {
    ...model,
    graph: {
      ...graph,
      valueInfo: new Map([...graph.valueInfo].filter(([name]) => values.has(name))),
    },
  };
}
