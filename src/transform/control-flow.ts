// A network without graphs inside: calls of functions, branches and loops become the nodes that run. Of branches that the
// data decides the costlier one is taken by default, as cost counts it: then the network computes something else than
// before for some inputs, and the change says so. Loops whose number of runs is not known, or that would be too long, stay.
import { cost } from '../analysis/cost.js';
import { type InferOptions, type InferredGraph, type InferredNode, inferShapes } from '../analysis/infer.js';
import { flatten } from '../autodiff/flatten.js';
import { bindAttributes } from '../graph/bind-attributes.js';
import {
  type FunctionDefinition,
  hasSubgraphs,
  isDefaultDomain,
  type Model,
  type Node,
  nodeLabel,
  operatorName,
} from '../graph/graph.js';
import { inlined } from '../graph/inline.js';
import { usedNames } from '../graph/order.js';
import type { Tensor } from '../graph/tensor.js';
import { LEAST_OPSET } from '../ops/build.js';
import { traitsOf } from '../ops/index.js';
import type { Change, Transformed } from './transform.js';
import { loopForm, rename, runsOf, type Unrolling, unroll } from './unroll.js';

interface ControlFlowOptions {
  /** Sizes and types of inputs, which may tell how often loops run. */
  readonly sizes?: InferOptions;
  /** How many nodes loops may become. Default 20,000. */
  readonly maxNodes?: number;
  /** Which branches are taken: also those that data decides, or only those that always run. Default `all`. */
  readonly branches?: 'all' | 'decided';
}

const TRANSFORM = 'control flow';
const MAX_NODES = 20_000;
/** Functions may become so many times more: those of exporters are all of a network. */
const FUNCTIONS = 10;
const LONGEST_NAME = 200;
/** Bodies in bodies: every pass takes apart one more. */
const MAX_PASSES = 64;

export function withoutControlFlow(model: Model, options: ControlFlowOptions = {}): Transformed {
  let at = model;
  const changes: Change[] = [];
  for (let pass = 0; pass < MAX_PASSES && mayRunGraphs(at); pass++) {
    const resolution = new Resolution(at, options);
    const { model: next, changes: made } = resolution.run();
    if (made.length === 0) break;
    at = next;
    changes.push(...made);
    if (changes.length > (options.maxNodes ?? MAX_NODES)) break;
  }
  if (!at.graph.nodes.some(hasSubgraphs)) at = { ...at, functions: [] };
  const whole = withoutSequences(at, options);
  return { model: whole.model, changes: [...changes, ...whole.changes] };
}

function mayRunGraphs({ graph, functions }: Model): boolean {
  return functions.length > 0 || graph.nodes.some(hasSubgraphs);
}

/** What tells functions apart. */
function keyOf(name: string, { domain, overload = '' }: Pick<Node, 'domain' | 'overload'>): string {
  return `${isDefaultDomain(domain) ? '' : domain}\0${name}\0${overload}`;
}

/** One pass over the nodes of the main graph. */
class Resolution implements Unrolling {
  readonly nodes: Node[] = [];
  readonly initializers: Map<string, Tensor>;
  readonly changes: Change[] = [];
  readonly opset: number;
  readonly #model: Model;
  readonly #graph: InferredGraph;
  readonly #names: Set<string>;
  /** How often names were wished for. */
  readonly #wished = new Map<string, number>();
  readonly #opsets: Map<string, number>;
  readonly #maxNodes: number;
  readonly #branches: 'all' | 'decided';
  readonly #functions: ReadonlyMap<string, FunctionDefinition>;
  /** Nodes that cost counts, once someone asks. */
  #counted: ReadonlySet<InferredNode> | undefined;

  constructor(model: Model, { sizes = {}, maxNodes = MAX_NODES, branches = 'all' }: ControlFlowOptions) {
    this.#branches = branches;
    this.#model = model;
    this.#functions = new Map([...model.functions].reverse().map((f) => [keyOf(f.name, f), f]));
    this.#graph = inferShapes(model, sizes).graph;
    this.#maxNodes = maxNodes;
    this.#opsets = new Map(model.opsetImports);
    this.opset = model.opsetImports.get('') ?? 1;
    this.initializers = new Map(model.graph.initializers);
    this.#names = new Set([...this.#graph.types.keys(), ...model.graph.nodes.map(({ name }) => name)]);
    // Names that bodies take from outside are in use as well as those that they define.
    for (const node of model.graph.nodes) for (const name of usedNames(node)) this.#names.add(name);
  }

  fresh(wished: string): string {
    // Names of bodies in bodies grow from level to level.
    const base = wished.slice(-LONGEST_NAME);
    let count = this.#wished.get(base) ?? 1;
    let name = count === 1 ? base : `${base}_${count}`;
    while (this.#names.has(name)) name = `${base}_${++count}`;
    this.#wished.set(base, count);
    this.#names.add(name);
    return name;
  }

  run(): Transformed {
    for (const inferred of this.#graph.nodes) if (!this.#resolve(inferred)) this.nodes.push(inferred.node);
    const graph = { ...this.#model.graph, nodes: this.nodes, initializers: this.initializers };
    const model = { ...this.#model, graph, opsetImports: this.#opsets };
    return { model, changes: this.changes };
  }

  /** Writes what a node runs; whether it did. */
  #resolve(inferred: InferredNode): boolean {
    const { node, call, isFunction } = inferred;
    if (isFunction) return this.#inlineFunction(node);
    switch (traitsOf(node).controlFlow) {
      case 'branch':
        return this.#takeBranch(inferred);
      case 'loop': {
        const form = loopForm(call);
        const runs = runsOf(call);
        const body = node.attributes.get('body');
        if (form === undefined || runs === undefined || body?.type !== 'graph') return false;
        const length = runs * Math.max(1, body.value.nodes.length);
        if (length > this.#maxNodes - this.nodes.length) return false;
        const isDone = unroll(call, form, runs, this);
        if (isDone) this.#note(node, `its body is written ${runs} times`);
        return isDone;
      }
      default:
        return false;
    }
  }

  /** With the functions that it calls: inferring them level by level would take as many looks at all of them. */
  #inlineFunction(node: Node): boolean {
    const definition = this.#functions.get(keyOf(node.opType, node));
    if (definition === undefined || this.nodes.length > FUNCTIONS * this.#maxNodes) return false;
    for (const [domain, version] of definition.opsetImports) {
      if (!this.#opsets.has(domain)) this.#opsets.set(domain, version);
    }
    const attributes = new Map([...definition.attributeDefaults, ...node.attributes]);
    const body = {
      nodes: definition.nodes.map((each) => bindAttributes(each, attributes)),
      initializers: new Map<string, Tensor>(),
      outputs: definition.outputs,
    };
    const given = new Map(definition.inputs.map((name, i) => [name, node.inputs[i] ?? '']));
    this.#note(node, 'the function is written out');
    this.#write(
      node,
      inlined(body, given, (name) => this.fresh(`${nodeLabel(node)}/${name}`)),
    );
    return true;
  }

  #takeBranch(inferred: InferredNode): boolean {
    const { node, call } = inferred;
    const [only, other] = call.bodies;
    if (only === undefined || (other !== undefined && this.#branches === 'decided')) return false;
    const taken =
      other === undefined
        ? only
        : (call.bodies.find((body) => this.#counts(body.graph as InferredGraph)) ?? only);
    const attribute = node.attributes.get(taken.name);
    if (attribute?.type !== 'graph') return false;
    const graph = attribute.value;
    const body = { ...graph, outputs: graph.outputs.map(({ name }) => name) };
    this.#write(
      node,
      inlined(body, new Map(), (name) => this.fresh(`${nodeLabel(node)}/${name}`)),
    );
    const why = other === undefined ? 'always runs' : 'runs whatever the condition is: it costs more';
    this.#note(node, `${taken.name} ${why}`);
    return true;
  }

  #counts(graph: InferredGraph): boolean {
    this.#counted ??= new Set(
      cost({ model: this.#model, graph: this.#graph })
        .nodes.filter(({ counted }) => counted)
        .map(({ inferred }) => inferred),
    );
    return graph.nodes.some((inferred) => this.#counted!.has(inferred));
  }

  #write(node: Node, { nodes, initializers, outputs }: ReturnType<typeof inlined>): void {
    for (const inner of nodes) if (!this.#inlineFunction(inner)) this.nodes.push(inner);
    for (const [name, tensor] of initializers) this.initializers.set(name, tensor);
    outputs.forEach((name, i) => void rename(node.outputs[i], name, this));
  }

  #note(node: Node, what: string): void {
    this.changes.push({ transform: TRANSFORM, what, node: nodeLabel(node), operator: operatorName(node) });
  }
}

/** Without sequences whose elements are known one by one. */
function withoutSequences(model: Model, { sizes = {} }: ControlFlowOptions): Transformed {
  const { graph } = model;
  const isSequence = (node: Node): boolean => traitsOf(node).sequence !== undefined;
  const before = graph.nodes.filter(isSequence);
  // Before, Split did not take sizes as an input.
  const isOld = (model.opsetImports.get('') ?? 1) < LEAST_OPSET;
  if (before.length === 0 || isOld || mayRunGraphs(model)) return { model, changes: [] };
  const flat = flatten(inferShapes(model, sizes).graph);
  const left = new Set(flat.nodes.filter(isSequence));
  const gone = before.filter((node) => !left.has(node));
  if (gone.length === 0) return { model, changes: [] };
  const initializers = new Map([...graph.initializers, ...flat.initializers]);
  return {
    model: { ...model, graph: { ...graph, nodes: flat.nodes, initializers } },
    changes: gone.map((node) => ({
      transform: TRANSFORM,
      what: 'the elements of the sequence are values of their own',
      node: nodeLabel(node),
      operator: operatorName(node),
    })),
  };
}
