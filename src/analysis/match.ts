// Which nodes of two networks correspond: found from structure, never from names. Nodes whose neighbourhoods are equal
// are paired first, the widest neighbourhoods before narrower ones; pairs then spread along edges. What is left over was
// added or removed. A pair may still differ in attributes, settings, sizes or in what it reads.
import { isFloat } from '../graph/dtype.js';
import { type Attribute, operatorName } from '../graph/graph.js';
import { elementCount, type Tensor, tensorNumbers } from '../graph/tensor.js';
import { formatType, type ValueType } from '../graph/types.js';
import { constantTensor, inputsOf } from '../ops/index.js';
import { schemaFor } from '../ops/schemas.js';
import { attempt } from '../util/attempt.js';
import { digest } from '../util/digest.js';
import { constantLabel, settingNames } from './hash.js';
import type { InferredGraph, InferredNode } from './infer.js';

/** Two nodes that stand for each other. */
interface NodePair {
  readonly a: InferredNode;
  readonly b: InferredNode;
  /** What differs: `attribute strides: 2,2 → 1,1`. Empty for equal nodes. */
  readonly differences: readonly string[];
}

export interface GraphMatch {
  readonly pairs: readonly NodePair[];
  /** Only in the first network. */
  readonly removed: readonly InferredNode[];
  /** Only in the second network. */
  readonly added: readonly InferredNode[];
}

/** Steps from a node to the edge of the widest neighbourhood that is compared. */
const WIDEST = 16;

/** Pairs up the nodes of two graphs. Constants belong to the nodes that read them. */
export function matchGraphs(a: InferredGraph, b: InferredGraph): GraphMatch {
  const matcher = new Matcher(new Side(a), new Side(b));
  matcher.run();
  return matcher.result();
}

/** The constants of a graph by name: initializers, and the outputs of Constant nodes. */
export function constantsByName(graph: InferredGraph): Map<string, Tensor> {
  const found = new Map(graph.initializers);
  for (const { node } of graph.nodes) {
    const tensor = constantTensor(node);
    if (tensor && node.outputs[0]) found.set(node.outputs[0], tensor);
  }
  return found;
}

/** One of the two graphs, by positions of nodes. */
class Side {
  readonly nodes: readonly InferredNode[];
  /** For every input of a node: the position of the node that computes it, `input 0`, or undefined for constants. */
  readonly sources: readonly (readonly (number | string | undefined)[])[];
  /** For every node, those that read it. */
  readonly readers: readonly (readonly number[])[];
  /** Attributes and settings of a node, by what they are called. Sizes follow from what it reads. */
  readonly details: readonly ReadonlyMap<string, string>[];
  /** What a node is by itself. */
  readonly labels: readonly string[];

  constructor(graph: InferredGraph) {
    const constants = constantsByName(graph);
    const settings = settingNames(graph);
    this.nodes = graph.nodes.filter(({ node }) => constantTensor(node) === undefined);
    const producers = new Map<string, number | string>();
    graph.inputNames.forEach((name, i) => void producers.set(name, `input ${i}`));
    this.nodes.forEach(({ node }, i) => {
      for (const name of node.outputs) producers.set(name, i);
    });
    const readers: number[][] = this.nodes.map(() => []);
    this.sources = this.nodes.map(({ node }, i) =>
      node.inputs.map((name) => {
        const from = constants.has(name) ? undefined : producers.get(name);
        if (typeof from === 'number') readers[from]!.push(i);
        return from;
      }),
    );
    this.readers = readers;
    this.details = this.nodes.map((inferred) =>
      detailsOf(inferred, (name) => {
        const tensor = constants.get(name);
        return tensor && constantText(tensor, settings.has(name));
      }),
    );
    this.labels = this.nodes.map(({ node }, i) => {
      const parts = [...this.details[i]!].map(([key, value]) => `${key}=${value}`);
      return digest(`${operatorName(node)}|${parts.join('|')}`);
    });
  }
}

/** What a node is besides its operator and its edges. */
function detailsOf(
  { node, call }: InferredNode,
  constantAt: (name: string) => string | undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  const schema = schemaFor(node.domain, node.opType, call.opset);
  for (const [name, attribute] of [...node.attributes].sort(([x], [y]) => (x < y ? -1 : 1))) {
    const text = attributeText(attribute);
    const usual = schema?.attributes[name]?.default;
    if (usual === undefined || String([usual].flat()) !== text) found.set(`attribute ${name}`, text);
  }
  const inputs = inputsOf(node, call.opset);
  node.inputs.forEach((name, slot) => {
    const label = name === '' ? undefined : constantAt(name);
    if (label !== undefined) found.set(`constant ${inputs.name(slot) ?? slot}`, label);
  });
  return found;
}

/** Settings of so many elements are written out. */
const WRITTEN = 8;

/** What a constant is to a node: the elements of a setting, type and shape of a weight. */
function constantText(tensor: Tensor, isSetting: boolean): string {
  const elements = elementCount(tensor) <= WRITTEN && (isSetting || !isFloat(tensor.dtype));
  const known = elements ? attempt(() => tensorNumbers(tensor)) : undefined;
  return known ? `${tensor.dtype}[${known.join(',')}]` : constantLabel(tensor, isSetting);
}

function attributeText(attribute: Attribute): string {
  if (attribute.type === 'tensor') return constantText(attribute.value, true);
  if (attribute.type === 'graph') {
    const { nodes } = attribute.value;
    return `${nodes.length} nodes ${digest(nodes.map(operatorName).join(' '))}`;
  }
  if (attribute.type === 'float' || attribute.type === 'floats') {
    return [attribute.value].flat().map(Math.fround).join(',');
  }
  return Array.isArray(attribute.value) ? attribute.value.map(String).join(',') : String(attribute.value);
}

class Matcher {
  readonly #a: Side;
  readonly #b: Side;
  /** For every node of the first graph its partner in the second, and the other way round. */
  readonly #toB: (number | undefined)[];
  readonly #toA: (number | undefined)[];

  constructor(a: Side, b: Side) {
    this.#a = a;
    this.#b = b;
    this.#toB = a.nodes.map(() => undefined);
    this.#toA = b.nodes.map(() => undefined);
  }

  run(): void {
    const [widthsA, widthsB] = [neighbourhoods(this.#a), neighbourhoods(this.#b)];
    for (let width = WIDEST; width >= 0; width = width > 1 ? width >> 1 : width - 1) {
      this.#pairEqual(widthsA[width]!, widthsB[width]!, (count, other) => count === other);
      this.#spread((i, j) => this.#a.labels[i] === this.#b.labels[j]);
    }
    // What is equal but repeated unequally often is paired in the order in which it runs.
    this.#pairEqual(this.#a.labels, this.#b.labels, () => true);
    const operatorOf = (side: Side, i: number): string => operatorName(side.nodes[i]!.node);
    this.#spread((i, j) => operatorOf(this.#a, i) === operatorOf(this.#b, j));
    // A layer that lost its bias to the normalisation behind it is still that layer.
    this.#pairEqual(layerLabels(this.#a, 'a'), layerLabels(this.#b, 'b'), () => true);
  }

  result(): GraphMatch {
    const left = (side: Side, to: readonly (number | undefined)[]): InferredNode[] =>
      side.nodes.filter((_, i) => to[i] === undefined);
    return {
      pairs: this.#toB.flatMap((j, i) =>
        j === undefined
          ? []
          : [{ a: this.#a.nodes[i]!, b: this.#b.nodes[j]!, differences: this.#differences(i, j) }],
      ),
      removed: left(this.#a, this.#toB),
      added: left(this.#b, this.#toA),
    };
  }

  #pair(i: number, j: number): void {
    this.#toB[i] = j;
    this.#toA[j] = i;
  }

  /** Pairs nodes of equal labels in order, where there are as many as `isFine` wants. */
  #pairEqual(
    labelsA: readonly string[],
    labelsB: readonly string[],
    isFine: (a: number, b: number) => boolean,
  ): void {
    const groups = new Map<string, [a: number[], b: number[]]>();
    const collect = (
      labels: readonly string[],
      taken: readonly (number | undefined)[],
      side: 0 | 1,
    ): void => {
      labels.forEach((label, i) => {
        if (taken[i] !== undefined) return;
        const group = groups.get(label) ?? [[], []];
        groups.set(label, group);
        group[side].push(i);
      });
    };
    collect(labelsA, this.#toB, 0);
    collect(labelsB, this.#toA, 1);
    for (const [a, b] of groups.values()) {
      if (!isFine(a.length, b.length)) continue;
      for (let k = 0; k < Math.min(a.length, b.length); k++) this.#pair(a[k]!, b[k]!);
    }
  }

  /** Pairs the neighbours of pairs, along equal inputs and where there is one candidate among the readers. */
  #spread(areAlike: (a: number, b: number) => boolean): void {
    const queue = this.#toB.flatMap((j, i) => (j === undefined ? [] : [[i, j] as const]));
    const consider = (i: number | string | undefined, j: number | string | undefined): void => {
      if (typeof i !== 'number' || typeof j !== 'number') return;
      if (this.#toB[i] !== undefined || this.#toA[j] !== undefined || !areAlike(i, j)) return;
      this.#pair(i, j);
      queue.push([i, j]);
    };
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [i, j] = next;
      for (const [slot, source] of this.#a.sources[i]!.entries()) consider(source, this.#b.sources[j]![slot]);
      const freeA = this.#a.readers[i]!.filter((reader) => this.#toB[reader] === undefined);
      const freeB = this.#b.readers[j]!.filter((reader) => this.#toA[reader] === undefined);
      for (const x of freeA) {
        const alike = freeB.filter((y) => areAlike(x, y));
        if (alike.length === 1 && freeA.filter((other) => areAlike(other, alike[0]!)).length === 1) {
          consider(x, alike[0]);
        }
      }
    }
  }

  #differences(i: number, j: number): string[] {
    const found: string[] = [];
    const [a, b] = [this.#a.details[i]!, this.#b.details[j]!];
    for (const key of new Set([...a.keys(), ...b.keys()])) {
      const [before, after] = [a.get(key), b.get(key)];
      if (before !== after) found.push(`${key}: ${before ?? 'none'} → ${after ?? 'none'}`);
    }
    const [typesA, typesB] = [this.#a, this.#b].map(({ nodes }, side) => nodes[side === 0 ? i : j]!.call);
    // Where sizes differ already in what is read, the cause lies before.
    if (typesText(typesA!.inputs) === typesText(typesB!.inputs)) {
      const [before, after] = [typesText(typesA!.outputs), typesText(typesB!.outputs)];
      if (before !== after) found.push(`output: ${before} → ${after}`);
    }
    this.#a.sources[i]!.forEach((source, slot) => {
      const other = this.#b.sources[j]![slot];
      if (source === undefined || other === undefined) return;
      const partner = typeof source === 'number' ? this.#toB[source] : source;
      // Of what has no partner it is said that it was added or removed.
      const isMatched = typeof other !== 'number' || this.#toA[other] !== undefined;
      if (partner !== undefined && isMatched && partner !== other)
        found.push(`input ${slot} reads another value`);
    });
    return found;
  }
}

/** The operator and the shape of its weights; something of its own for nodes without weights. */
function layerLabels({ nodes, details }: Side, side: string): string[] {
  return nodes.map(({ node }, i) => {
    const weight = [...details[i]!].find(
      ([key, value]) => key.startsWith('constant') && value.startsWith('weight'),
    );
    return weight ? `${operatorName(node)} ${weight[1]}` : `${side} ${i}`;
  });
}

function typesText(types: readonly (ValueType | undefined)[]): string {
  return types.map((type) => formatType(type)).join(', ');
}

/** Labels of all nodes with their surroundings: of no steps, one, two … up to the widest. */
function neighbourhoods({ labels, sources, readers }: Side): readonly (readonly string[])[] {
  const widths: (readonly string[])[] = [labels];
  for (let width = 1; width <= WIDEST; width++) {
    const before = widths.at(-1)!;
    widths.push(
      before.map((label, i) => {
        const above = sources[i]!.map((from) => (typeof from === 'number' ? before[from] : (from ?? '-')));
        const below = readers[i]!.map((reader) => before[reader]).sort();
        return digest(`${label}<${above.join(',')}>${below.join(',')}`);
      }),
    );
  }
  return widths;
}
