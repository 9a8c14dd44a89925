// A graph in two stages, for runs that differ in one input only: what does not depend on it is computed once.
import { dependentValues, pruned } from '../../analysis/dependence.js';
import { inferShapes } from '../../analysis/infer.js';
import type { Model, Node, ValueInfo } from '../../graph/graph.js';
import { valueBytes } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';
import type { Movement } from '../../ops/traits.js';
import type { Feeds } from '../../runtime/session.js';
import { Compiled, type GraphOptions } from './compiled-graphs.js';
import { isOfMemory } from './memory.js';

/** @param model without control flow, its nodes in the order they run */
export function stagesOf(model: Model, input: string): { readonly first: Model; readonly second: Model } {
  const { graph } = model;
  const dependent = dependentValues(graph.nodes, [input]);
  const stages: [Node[], Node[]] = [[], []];
  for (const node of graph.nodes) {
    stages[node.inputs.some((name) => dependent.has(name)) ? 1 : 0].push(node);
  }
  const { types } = inferShapes(model).graph;
  const infos = (names: Iterable<string>): ValueInfo[] =>
    [...names].map((name) => ({ name, type: types.get(name)! }));
  const found = new Set(stages[0].flatMap((node) => node.outputs));
  const needed = [...stages[1].flatMap((node) => node.inputs), ...graph.outputs.map(({ name }) => name)];
  let between = infos(new Set(needed.filter((name) => name !== '' && found.has(name))));
  if (between.reduce((sum, { type }) => sum + Number(valueBytes(type) ?? 0), 0) > MANY_BYTES) {
    const bytesOf = (name: string): number =>
      found.has(name) ? Number(valueBytes(types.get(name)!) ?? 0) : 0;
    const again = doneAgain(stages[0], needed, bytesOf);
    const written = new Set(again.flatMap((node) => node.outputs));
    // Where they were: what is moved at once stays in memory.
    const later = new Set([...again, ...stages[1]]);
    stages[1] = graph.nodes.filter((node) => later.has(node));
    const read = [...needed, ...again.flatMap((node) => node.inputs)];
    between = infos(new Set(read.filter((name) => found.has(name) && !written.has(name))));
  }
  const stage = (nodes: Node[], inputs: readonly ValueInfo[], outputs: readonly ValueInfo[]): Model =>
    withUsedInputs(pruned({ ...model, graph: { ...graph, nodes, inputs, outputs } }));
  const isGiven = ({ name }: ValueInfo): boolean => name !== input;
  return {
    first: stage(stages[0], graph.inputs.filter(isGiven), between),
    second: stage(stages[1], [...graph.inputs, ...between], graph.outputs),
  };
}

/** More than this is kept between the stages only as far as it cannot be computed again at once. */
const MANY_BYTES = 100e6;
/** What windows, slices and views are made of is kept, not they: those under a kernel of 3 × 3 are nine times as large. */
const MOVES: ReadonlySet<Movement | undefined> = new Set([
  ...(['same', 'shape', 'axes', 'broadcast', 'repeat', 'part', 'pad', 'join'] as const),
]);

/**
 * The nodes of the first stage that also belong to the second: those that only move elements, and those that compute them
 * one by one from no more than is kept anyway.
 */
function doneAgain(
  nodes: readonly Node[],
  needed: readonly string[],
  bytesOf: (name: string) => number,
): Node[] {
  const wanted = new Set(needed);
  const again: Node[] = [];
  for (const node of [...nodes].reverse()) {
    const [output = ''] = node.outputs;
    if (!node.outputs.some((name) => wanted.has(name))) continue;
    const { moves, isElementwise } = traitsOf(node);
    const more = new Set(node.inputs.filter((name) => !wanted.has(name)));
    const added = [...more].reduce((sum, name) => sum + bytesOf(name), 0);
    if (!MOVES.has(moves) && !(isElementwise && added <= bytesOf(output))) continue;
    again.push(node);
    for (const name of more) wanted.add(name);
  }
  return again.reverse();
}

function withUsedInputs(model: Model): Model {
  const { graph } = model;
  const used = new Set([
    ...graph.nodes.flatMap((node) => node.inputs),
    ...graph.outputs.map(({ name }) => name),
  ]);
  return { ...model, graph: { ...graph, inputs: graph.inputs.filter(({ name }) => used.has(name)) } };
}

/**
 * Both stages, compiled. What the first one gives is kept until other inputs than the one that differs are given. Where that
 * takes too much memory, all is one graph, which computes it again for every run.
 */
export class Staged {
  readonly #first: Compiled | undefined;
  readonly #second: Compiled;
  #given: Feeds | undefined;
  #between: Feeds = {};

  private constructor(first: Compiled | undefined, second: Compiled) {
    this.#first = first;
    this.#second = second;
  }

  /** @param input the one that differs from run to run */
  static async create(model: Model, input: string, options: GraphOptions): Promise<Staged> {
    const { first, second } = stagesOf(model, input);
    try {
      return new Staged(await Compiled.create(first, options), await Compiled.create(second, options));
    } catch (error) {
      if (!isOfMemory(error)) throw error;
      return new Staged(undefined, await Compiled.create(model, options));
    }
  }

  /**
   * @param given all other inputs; the same object where they are the same
   * @param varied the input that differs, by its name
   */
  async run(given: Feeds, varied: Feeds): Promise<Feeds> {
    if (this.#first !== undefined && this.#given !== given) {
      this.#between = {};
      this.#between = await this.#first.run(given);
      this.#given = given;
    }
    return this.#second.run({ ...given, ...this.#between, ...varied });
  }

  async dispose(): Promise<void> {
    await this.#first?.dispose();
    await this.#second.dispose();
  }
}
