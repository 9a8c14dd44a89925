// What is known of the values of a graph while it is edited. An edit changes how values are computed, not what they are, so
// types that were inferred once still hold; only a constant that was computed can tell more than inference knew.
import type { InferredGraph } from '../../analysis/infer.js';
import { type Dim, namesIn } from '../../graph/dim.js';
import type { Node } from '../../graph/graph.js';
import type { Tensor } from '../../graph/tensor.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { constantType } from '../../ops/index.js';

export class Knowledge {
  readonly #inferred: InferredGraph;
  readonly #learnt = new Map<string, ValueType>();
  /** What values are computed under that had another name when they were inferred. */
  readonly #names = new Map<string, string>();
  #bodies: Map<string, Map<string, Knowledge>> | undefined;

  constructor(inferred: InferredGraph) {
    this.#inferred = inferred;
  }

  type(name: string): ValueType | undefined {
    return this.#learnt.get(name) ?? this.#inferred.types.get(name);
  }

  /** Notes a value that is a constant now. Answers whether types that follow from it could be known better. */
  learn(tensor: Tensor): boolean {
    const before = this.type(tensor.name);
    const after = constantType(tensor);
    this.#learnt.set(tensor.name, after);
    if (!isTensor(before) || !after.mayBeKnown) return false;
    return !before.shape?.every(isNumber) || !before.elements?.every(isNumber);
  }

  /** Whether sizes depend on data, as far as inference saw: of a simpler graph it may see more. */
  get hasUnclearSizes(): boolean {
    const { types, inputNames } = this.#inferred;
    const given = new Set(inputNames);
    const isUnclear = (size: Dim): boolean =>
      !isNumber(size) && namesIn(size).some((name) => name.endsWith(']') && !given.has(name.split('[')[0]!));
    for (const type of types.values()) {
      if (!isTensor(type) || type.shape === undefined || type.shape.some(isUnclear)) return true;
    }
    return false;
  }

  /** Notes that a value is computed under the name of another from now on. */
  rename(source: string, name: string): void {
    this.#names.set(name, source);
  }

  /** What is known of a graph inside a node. */
  body(node: Node, attribute: string): Knowledge | undefined {
    this.#bodies ??= this.#inferredBodies();
    let name = node.outputs[0];
    while (name !== undefined && !this.#bodies.has(name)) name = this.#names.get(name);
    return name === undefined ? undefined : this.#bodies.get(name)!.get(attribute);
  }

  #inferredBodies(): Map<string, Map<string, Knowledge>> {
    const found = new Map<string, Map<string, Knowledge>>();
    for (const { node, call } of this.#inferred.nodes) {
      if (call.bodies.length === 0) continue;
      // Of a body that was inferred several times, the first: types must hold for every run, see PassOptions.
      const bodies = new Map<string, Knowledge>();
      for (const { name, graph } of call.bodies) {
        if (!bodies.has(name)) bodies.set(name, new Knowledge(graph as InferredGraph));
      }
      found.set(node.outputs[0]!, bodies);
    }
    return found;
  }
}

const isNumber = (size: unknown): size is number => typeof size === 'number';
