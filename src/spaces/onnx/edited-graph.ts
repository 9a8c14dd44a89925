// The graph of a file in the course of its edits. An edit puts nodes in the place of a sequence; all other nodes, with
// their names and weights, stay. Nodes that an edit writes have names that follow from its place and its option alone, so
// edits of parts that have no node in common give the same graph in any order.
import { dependentValues } from '../../analysis/dependence.js';
import type { Inference } from '../../analysis/infer.js';
import { findSequences, type Sequence } from '../../analysis/sequences.js';
import { isFloat } from '../../graph/dtype.js';
import {
  type Graph,
  hasSubgraphs,
  type Model,
  makeNode,
  type Node,
  nodeLabel,
  subgraphs,
} from '../../graph/graph.js';
import { capturedNames } from '../../graph/order.js';
import type { Tensor } from '../../graph/tensor.js';
import { isTensor, sameType, type TensorType, type ValueType } from '../../graph/types.js';
import { constantTensor, traitsOf } from '../../ops/index.js';
import { AuspexError } from '../../util/errors.js';
import { withoutUnused } from './edited-model.js';
import { PartWriter } from './part-writer.js';
import { RULES } from './rules/index.js';
import type { Part, Rule } from './rules/rule.js';
import { type Style, styleOf } from './style.js';

/** The most nodes of a sequence, and of one that ends where a shortcut joins: a whole residual block. */
const [LONGEST, LONGEST_BLOCK] = [12, 48];

/** A sequence with all that can stand in its place. */
export interface Site {
  /** The first and the last node: `Conv_4..Relu_5`, or one node. */
  readonly label: string;
  readonly part: Part;
  readonly options: readonly string[];
}

/** What an edit did. */
export interface Edited {
  readonly graph: EditedGraph;
  readonly rule: Rule;
  /** Labels of the nodes that were replaced, and of those that were written. */
  readonly replaced: readonly string[];
  readonly written: readonly string[];
}

interface Parts {
  readonly nodes: readonly Node[];
  readonly initializers: ReadonlyMap<string, Tensor>;
  readonly types: ReadonlyMap<string, ValueType>;
  /** By the first output of nodes. */
  readonly labels: ReadonlyMap<string, string>;
  /** Outputs of nodes that only pass on what they get, in the place of a sequence that was left out. */
  readonly gaps: ReadonlySet<string>;
}

export class EditedGraph {
  /** The file, its nodes in the order in which they run. */
  readonly model: Model;
  readonly nodes: readonly Node[];
  readonly initializers: ReadonlyMap<string, Tensor>;
  readonly types: ReadonlyMap<string, ValueType>;
  readonly style: Style;
  readonly #labels: Parts['labels'];
  readonly #gaps: ReadonlySet<string>;
  readonly #kept: ReadonlySet<string>;
  #open: ReadonlySet<string> | undefined;
  #sites: ReadonlyMap<string, Site> | undefined;
  #producers: ReadonlyMap<string, Node> | undefined;

  private constructor(model: Model, kept: ReadonlySet<string>, style: Style, parts: Parts) {
    this.model = model;
    this.#kept = kept;
    this.style = style;
    this.nodes = parts.nodes;
    this.initializers = parts.initializers;
    this.types = parts.types;
    this.#labels = parts.labels;
    this.#gaps = parts.gaps;
  }

  /** A file without edits. */
  static of({ model, graph }: Inference): EditedGraph {
    const nodes = graph.nodes.map(({ node }) => node);
    const kept = new Set(model.graph.outputs.map(({ name }) => name));
    for (const node of nodes) {
      if (!hasSubgraphs(node)) continue;
      for (const [, body] of subgraphs(node)) for (const name of capturedNames(body)) kept.add(name);
    }
    const labels = labelsOf(model.graph.nodes);
    const inOrder = { ...model, graph: { ...model.graph, nodes } };
    return new EditedGraph(inOrder, kept, styleOf(nodes), {
      nodes,
      initializers: model.graph.initializers,
      types: graph.types,
      labels: new Map(nodes.map((node) => [firstOutput(node), labels.get(node)!])),
      gaps: new Set(),
    });
  }

  /** The version of ai.onnx. */
  get opset(): number {
    return this.model.opsetImports.get('') ?? this.model.opsetImports.get('ai.onnx') ?? 1;
  }

  labelOf(node: Node): string {
    return this.#labels.get(firstOutput(node)) ?? '';
  }

  /** Values that depend on the inputs of the network. */
  get open(): ReadonlySet<string> {
    if (this.#open === undefined) {
      const { initializers, sparseInitializers, inputs } = this.model.graph;
      const isConstant = (name: string): boolean => initializers.has(name) || sparseInitializers.has(name);
      const from = inputs.map(({ name }) => name).filter((name) => !isConstant(name));
      this.#open = dependentValues(this.nodes, from);
    }
    return this.#open;
  }

  /** The node that computes a value. */
  producer(value: string): Node | undefined {
    this.#producers ??= new Map(
      this.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)),
    );
    return this.#producers.get(value);
  }

  /** The constant of a name. */
  constant(name: string): Tensor | undefined {
    const node = this.initializers.has(name) ? undefined : this.producer(name);
    return this.initializers.get(name) ?? (node && constantTensor(node));
  }

  /** All that can be edited, by label, in the order in which sequences end. */
  get sites(): ReadonlyMap<string, Site> {
    this.#sites ??= new Map(this.#findSites().map((site) => [site.label, site]));
    return this.#sites;
  }

  #findSites(): Site[] {
    const { nodes, open } = this;
    const found = findSequences({ nodes, open, kept: this.#kept, longest: LONGEST_BLOCK });
    return found.flatMap((sequence) => {
      const part = this.#part(sequence);
      if (part === undefined) return [];
      const options = RULES.flatMap((rule) => rule.options(part));
      return options.length === 0 ? [] : [{ label: this.#siteLabel(sequence), part, options }];
    });
  }

  #part(sequence: Sequence): Part | undefined {
    const [first, last] = [sequence.nodes[0]!, sequence.nodes.at(-1)!];
    if (this.#gaps.has(firstOutput(first)) || this.#gaps.has(firstOutput(last))) return undefined;
    const isJoin = traitsOf(last).arithmetic === 'add';
    if (sequence.nodes.length > (isJoin ? LONGEST_BLOCK : LONGEST)) return undefined;
    const [from, to] = [this.types.get(sequence.input), this.types.get(sequence.output)];
    const isData = (type: ValueType | undefined): type is TensorType =>
      isTensor(type) && type.dtype !== undefined && isFloat(type.dtype) && type.shape !== undefined;
    return isData(from) && isData(to) ? { ...sequence, from, to, graph: this } : undefined;
  }

  #siteLabel({ nodes }: Sequence): string {
    const [first, last] = [this.labelOf(nodes[0]!), this.labelOf(nodes.at(-1)!)];
    return nodes.length === 1 ? first : `${first}..${last}`;
  }

  /** The graph with an option in the place of a sequence; undefined where it turns out not to fit. */
  edited({ part, options }: Site, option: string): Edited | undefined {
    const rule = options.includes(option) ? RULES.find((r) => r.options(part).includes(option)) : undefined;
    if (rule === undefined) return undefined;
    const writer = new PartWriter(part, `${this.labelOf(part.nodes[0]!)}/${option}/`);
    const result = fitting(() => rule.write(part, option, writer));
    if (result === undefined || !sameType(result.type, part.to)) return undefined;
    const isGap = result.name === part.input;
    const nodes = isGap
      ? [makeNode('Identity', [part.input], [part.output], {}, { name: `${writer.prefix}Identity` })]
      : writer.nodes(result.name, part.output);
    const replaced = new Set(part.nodes);
    const last = part.nodes.at(-1);
    const types = new Map([...writer.types, [part.output, part.to]]);
    const graph = new EditedGraph(this.model, this.#kept, this.style, {
      nodes: this.nodes.flatMap((node) => (node === last ? nodes : replaced.has(node) ? [] : [node])),
      initializers: new Map([...this.initializers, ...writer.initializers]),
      types,
      labels: new Map([...this.#labels, ...nodes.map((node) => [firstOutput(node), node.name] as const)]),
      gaps: isGap ? new Set([...this.#gaps, part.output]) : this.#gaps,
    });
    return {
      graph,
      rule,
      replaced: part.nodes.map((node) => this.labelOf(node)),
      written: nodes.map(({ name }) => name),
    };
  }

  /** The graph as a file has it: without gaps, and without weights that nothing uses any more. */
  finished(): Graph {
    const { graph } = this.model;
    const aliases = new Map<string, string>();
    const resolve = (name: string): string => aliases.get(name) ?? name;
    const nodes = this.nodes.flatMap((node): Node[] => {
      const inputs = node.inputs.map(resolve);
      const output = firstOutput(node);
      if (this.#gaps.has(output) && !this.#kept.has(output)) {
        aliases.set(output, inputs[0]!);
        return [];
      }
      return [inputs.every((name, i) => name === node.inputs[i]) ? node : { ...node, inputs }];
    });
    return withoutUnused({ ...graph, nodes, initializers: this.initializers, valueInfo: new Map() }, graph);
  }
}

/** What is written where it fits: sizes that do not go together are found by inferring types. */
function fitting<T>(write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof AuspexError) return undefined;
    throw error;
  }
}

function firstOutput(node: Node): string {
  return node.outputs.find((name) => name !== '') ?? '';
}

/** Names that texts can hold and no two nodes share. */
function labelsOf(nodes: readonly Node[]): Map<Node, string> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(nodeLabel(node), (counts.get(nodeLabel(node)) ?? 0) + 1);
  return new Map(
    nodes.map((node, i) => {
      const label = nodeLabel(node);
      const isClear = counts.get(label) === 1 && /^[^#;=\s][^;=\s]*$/.test(label) && !label.includes('..');
      return [node, isClear ? label : `#${i}`];
    }),
  );
}
