// A graph in two stages, for runs that differ in one input only: what does not depend on it is computed once.
import { dependentValues, pruned } from '../../analysis/dependence.js';
import { inferShapes } from '../../analysis/infer.js';
import type { Model, Node, ValueInfo } from '../../graph/graph.js';
import type { Feeds } from '../../runtime/session.js';
import { Compiled, type GraphOptions } from './compiled-graphs.js';

/** @param model without control flow, its nodes in the order they run */
export function stagesOf(model: Model, input: string): { readonly first: Model; readonly second: Model } {
  const { graph } = model;
  const dependent = dependentValues(graph.nodes, [input]);
  const stages: [Node[], Node[]] = [[], []];
  for (const node of graph.nodes) {
    stages[node.inputs.some((name) => dependent.has(name)) ? 1 : 0].push(node);
  }
  const { types } = inferShapes(model).graph;
  const found = new Set(stages[0].flatMap((node) => node.outputs));
  const needed = [...stages[1].flatMap((node) => node.inputs), ...graph.outputs.map(({ name }) => name)];
  const between = [...new Set(needed.filter((name) => name !== '' && found.has(name)))].map(
    (name): ValueInfo => ({ name, type: types.get(name)! }),
  );
  const stage = (nodes: Node[], inputs: readonly ValueInfo[], outputs: readonly ValueInfo[]): Model =>
    withUsedInputs(pruned({ ...model, graph: { ...graph, nodes, inputs, outputs } }));
  const isGiven = ({ name }: ValueInfo): boolean => name !== input;
  return {
    first: stage(stages[0], graph.inputs.filter(isGiven), between),
    second: stage(stages[1], [...graph.inputs, ...between], graph.outputs),
  };
}

function withUsedInputs(model: Model): Model {
  const { graph } = model;
  const used = new Set([
    ...graph.nodes.flatMap((node) => node.inputs),
    ...graph.outputs.map(({ name }) => name),
  ]);
  return { ...model, graph: { ...graph, inputs: graph.inputs.filter(({ name }) => used.has(name)) } };
}

/** Both stages, compiled. What the first one gives is kept until other inputs than the one that differs are given. */
export class Staged {
  readonly #first: Compiled;
  readonly #second: Compiled;
  #given: Feeds | undefined;
  #between: Feeds = {};

  private constructor(first: Compiled, second: Compiled) {
    this.#first = first;
    this.#second = second;
  }

  /** @param input the one that differs from run to run */
  static async create(model: Model, input: string, options: GraphOptions): Promise<Staged> {
    const { first, second } = stagesOf(model, input);
    return new Staged(await Compiled.create(first, options), await Compiled.create(second, options));
  }

  /**
   * @param given all other inputs; the same object where they are the same
   * @param varied the input that differs, by its name
   */
  async run(given: Feeds, varied: Feeds): Promise<Feeds> {
    if (this.#given !== given) {
      this.#between = await this.#first.run(given);
      this.#given = given;
    }
    return this.#second.run({ ...given, ...this.#between, ...varied });
  }

  async dispose(): Promise<void> {
    await this.#first.dispose();
    await this.#second.dispose();
  }
}
