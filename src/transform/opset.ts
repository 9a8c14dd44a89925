// A model in another version of ai.onnx. Operators say how their versions differ (`versions` in src/ops); a version that
// nobody wrote a rule for must take a node as it is, else the model is refused with the node. Weights are not read.
import {
  type FunctionDefinition,
  type Graph,
  hasSubgraphs,
  isDefaultDomain,
  type Model,
  type Node,
  nodeLabel,
  operatorName,
} from '../graph/graph.js';
import { operatorFor } from '../ops/index.js';
import { newestOpset, operatorSchemas } from '../ops/schemas.js';
import { AuspexError } from '../util/errors.js';
import { irVersionFor, withoutWeightInputs } from './ir-version.js';
import { OpsetScope } from './opset-scope.js';
import { NodeStep } from './opset-step.js';
import { asBefore, asItIs } from './schema-step.js';
import type { Change, Transformed } from './transform.js';

/** Models are brought down to this at most: what came later is seldom used, what came before changed too much. */
const LEAST_TARGET = 13;

/**
 * The model in a version of ai.onnx: nodes that compute the same, in the main graph, the graphs that nodes run and
 * functions. A model that has no operators of ai.onnx stays as it is.
 *
 * @throws AuspexError BAD_OPSET, OPSET_STEP with the node
 * @example
 * const { model, changes } = withOpset(readModel('net.onnx'), 21);
 */
export function withOpset(model: Model, version: number): Transformed {
  const from = model.opsetImports.get('');
  const newest = newestOpset();
  if (!Number.isInteger(version) || version < 1 || version > newest) {
    throw new AuspexError('BAD_OPSET', `opset ${version} does not exist`, {
      hint: `give one from ${LEAST_TARGET} to ${newest}`,
    });
  }
  if (from === undefined || from === version) return { model, changes: [] };
  if (from > newest) {
    throw new AuspexError('BAD_OPSET', `the model uses opset ${from}; the newest known is ${newest}`);
  }
  if (version < from && version < LEAST_TARGET) {
    throw new AuspexError('BAD_OPSET', `models cannot be lowered to opset ${version}`, {
      hint: `give ${LEAST_TARGET} or more`,
    });
  }
  return new OpsetConversion(model, version).run(from);
}

class OpsetConversion {
  readonly #model: Model;
  readonly #to: number;
  readonly #scope: OpsetScope;
  readonly #changes: Change[] = [];
  readonly #functions: ReadonlySet<string>;

  constructor(model: Model, to: number) {
    this.#model = model;
    this.#to = to;
    this.#scope = new OpsetScope(model);
    this.#functions = new Set(
      model.functions.map(({ domain, name }) => operatorName({ domain, opType: name })),
    );
  }

  run(from: number): Transformed {
    const model = this.#model;
    const steps = versionsBetween(from, this.#to);
    const functions = model.functions.map((definition) => this.#function(definition, from));
    let { graph } = model;
    for (const step of steps) graph = this.#graph(graph, step);
    const rewritten: Model = {
      ...model,
      irVersion: irVersionFor(model, from, this.#to),
      opsetImports: new Map([...model.opsetImports, ['', this.#to]]),
      graph: this.#scope.cleaned(graph),
      functions,
    };
    const plain = withoutWeightInputs(rewritten, model.irVersion);
    return { model: plain.model, changes: [...this.#changes, ...plain.changes] };
  }

  #function(definition: FunctionDefinition, around: number): FunctionDefinition {
    const from = definition.opsetImports.get('') ?? (definition.opsetImports.size === 0 ? around : undefined);
    if (from === undefined || from === this.#to) return definition;
    if (from > newestOpset()) {
      const function_ = operatorName({ domain: definition.domain, opType: definition.name });
      throw new AuspexError('BAD_OPSET', `function '${function_}' uses opset ${from}, which is not known`);
    }
    let { nodes } = definition;
    this.#scope.enter(definition);
    for (const step of versionsBetween(from, this.#to)) nodes = this.#nodes(nodes, step);
    this.#scope.leave();
    const opsetImports = new Map([...definition.opsetImports, ['', this.#to]]);
    return { ...definition, nodes, ...(definition.opsetImports.size > 0 && { opsetImports }) };
  }

  #graph(graph: Graph, step: Step): Graph {
    this.#scope.enter(graph);
    const nodes = this.#nodes(graph.nodes, step);
    const added = this.#scope.leave();
    if (nodes === graph.nodes) return graph;
    const changed = { ...graph, nodes, initializers: new Map([...graph.initializers, ...added]) };
    this.#scope.same(graph, changed);
    return changed;
  }

  /** The same list where nothing had to be done. */
  #nodes(nodes: readonly Node[], step: Step): readonly Node[] {
    let isChanged = false;
    const after = nodes.flatMap((node) => {
      const written = this.#node(this.#withBodies(node, step), step);
      if (written.length !== 1 || written[0] !== node) isChanged = true;
      return written;
    });
    return isChanged ? after : nodes;
  }

  #withBodies(node: Node, step: Step): Node {
    if (!hasSubgraphs(node)) return node;
    const attributes = new Map(node.attributes);
    let isChanged = false;
    for (const [name, attribute] of node.attributes) {
      if (attribute.type === 'graph') {
        const value = this.#graph(attribute.value, step);
        isChanged ||= value !== attribute.value;
        attributes.set(name, { type: 'graph', value });
      } else if (attribute.type === 'graphs') {
        const value = attribute.value.map((graph) => this.#graph(graph, step));
        isChanged ||= value.some((graph, i) => graph !== attribute.value[i]);
        attributes.set(name, { type: 'graphs', value });
      }
    }
    return isChanged ? { ...node, attributes } : node;
  }

  #node(node: Node, { from, to }: Step): readonly Node[] {
    if (!isDefaultDomain(node.domain) || this.#functions.has(operatorName(node))) return [node];
    const versions = operatorSchemas(node.opType);
    // The newer of both versions, where it is another one.
    const at = versions?.findIndex(({ since }) => since === Math.max(from, to)) ?? -1;
    if (versions === undefined || at < 0) return [node];
    const change = operatorFor(node)?.versions?.find(({ since }) => since === versions[at]!.since);
    const rule = to > from ? change?.upgrade : change?.downgrade;
    const step = new NodeStep(node, [from, to], this.#scope);
    try {
      const general = to > from ? asItIs : asBefore;
      (rule ?? ((s) => general(s, versions[at - 1], versions[at]!)))(step);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      throw error.within({ node: nodeLabel(node), operator: operatorName(node) });
    }
    for (const what of step.changes) {
      this.#changes.push({ transform: 'opset', what, node: nodeLabel(node), operator: operatorName(node) });
    }
    return step.nodes.length === 0 ? [node] : step.nodes;
  }
}

/** From one opset to the next, up or down. */
interface Step {
  readonly from: number;
  readonly to: number;
}

function versionsBetween(from: number, to: number): Step[] {
  const by = Math.sign(to - from);
  return Array.from({ length: Math.abs(to - from) }, (_, i) => ({
    from: from + i * by,
    to: from + (i + 1) * by,
  }));
}
