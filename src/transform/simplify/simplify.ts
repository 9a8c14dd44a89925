// A network with fewer nodes that computes the same: constants computed beforehand, sizes made static, nodes without
// effect removed, also in the graphs of Ifs and loops. Open sizes stay open, operators that nobody knows are not touched.
import { pruned } from '../../analysis/dependence.js';
import { type InferredGraph, inferShapes } from '../../analysis/infer.js';
import type { Attribute, Graph, Model, Node } from '../../graph/graph.js';
import { hasSubgraphs } from '../../graph/graph.js';
import { traitsOf } from '../../ops/index.js';
import type { Change, Transformed } from '../transform.js';
import { withShortChains } from './chains.js';
import { withoutDuplicates } from './duplicates.js';
import { withFoldedConstants } from './fold-constants.js';
import { Knowledge } from './knowledge.js';
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

/** A network that still changes after all passes ran so often is left as it is then. */
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
  const given = withoutDefaults(model, changes);
  const { graph: inferred } = inferShapes(given);
  const editor = new Editor(withoutUnused(inOrder(given, inferred), changes), inferred, changes);
  const last = MOST_ROUNDS * passes.length;
  for (let i = 0, idle = 0; i < last && idle < passes.length; i++) {
    const isChanged = await editor.run(passes[i % passes.length]!);
    idle = isChanged ? 0 : idle + 1;
    if (idle === passes.length && editor.looksAgain()) idle = 0;
  }
  return { model: editor.model, changes };
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
function inOrder(model: Model, { nodes }: InferredGraph): Model {
  return { ...model, graph: { ...model.graph, nodes: nodes.map(({ node }) => node) } };
}

const NOT_REPEATED: PassOptions = { isRepeated: false };

/** A model that passes edit one after another, with what is known of it. */
class Editor {
  model: Model;
  #knowledge: Knowledge;
  readonly #changes: Change[];
  /** Of graphs that no pass has changed since, by what is known of them. */
  readonly #views = new Map<Knowledge, GraphView>();
  #hasLearnt = false;
  /** Whether types were inferred before something changed. */
  #isEdited = false;

  constructor(model: Model, inferred: InferredGraph, changes: Change[]) {
    this.model = model;
    this.#knowledge = new Knowledge(inferred);
    this.#changes = changes;
  }

  /** Runs a pass on the graph and on all graphs inside. Answers whether it changed something. */
  async run(pass: Pass): Promise<boolean> {
    const { graph } = this.model;
    const edited = await this.#on(graph, this.#knowledge, undefined, NOT_REPEATED, pass);
    if (edited === graph) return false;
    this.model = withoutUnused({ ...this.model, graph: edited }, this.#changes);
    this.#views.clear();
    this.#isEdited = true;
    if (this.#hasLearnt) this.#infer();
    return true;
  }

  /** Infers types again where that may tell more. */
  looksAgain(): boolean {
    if (!this.#isEdited || !this.#knowledge.hasUnclearSizes) return false;
    this.#infer();
    return true;
  }

  #infer(): void {
    this.#knowledge = new Knowledge(inferShapes(this.model).graph);
    this.#views.clear();
    this.#hasLearnt = false;
    this.#isEdited = false;
  }

  async #on(
    graph: Graph,
    knowledge: Knowledge,
    outer: GraphView | undefined,
    options: PassOptions,
    pass: Pass,
  ): Promise<Graph> {
    const view = this.#views.get(knowledge) ?? new GraphView(this.model, graph, knowledge, outer, options);
    this.#views.set(knowledge, view);
    const edit = await pass(view);
    for (const change of edit.changes) this.#changes.push(change);
    for (const tensor of edit.constants?.values() ?? []) {
      if (knowledge.learn(tensor)) this.#hasLearnt = true;
    }
    for (const [node, source] of edit.aliases ?? []) knowledge.rename(source, node.outputs[0]!);
    const edited = applied(graph, edit);
    const inner = new Map<Node, Node>();
    for (const node of edited.nodes) {
      if (!hasSubgraphs(node)) continue;
      const simpler = await this.#inside(node, knowledge, view, pass);
      if (simpler !== node) inner.set(node, simpler);
    }
    if (inner.size === 0) return edited;
    return { ...edited, nodes: edited.nodes.map((node) => inner.get(node) ?? node) };
  }

  async #inside(node: Node, knowledge: Knowledge, view: GraphView, pass: Pass): Promise<Node> {
    const isRepeated = view.options.isRepeated || traitsOf(node).controlFlow !== 'branch';
    let attributes: Map<string, Attribute> | undefined;
    for (const [name, attribute] of node.attributes) {
      const body = attribute.type === 'graph' ? knowledge.body(node, name) : undefined;
      if (attribute.type !== 'graph' || body === undefined) continue;
      const value = await this.#on(attribute.value, body, view, { isRepeated }, pass);
      if (value === attribute.value) continue;
      attributes ??= new Map(node.attributes);
      attributes.set(name, { type: 'graph', value: withoutIdle(value) });
    }
    return attributes === undefined ? node : { ...node, attributes };
  }
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
