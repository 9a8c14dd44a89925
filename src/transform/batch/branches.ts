// An If whose condition depends on the sample: both branches run, and each sample takes the result of its own.
import type { InferredGraph, InferredNode } from '../../analysis/infer.js';
import { hasSubgraphs, makeNode } from '../../graph/graph.js';
import { sameType } from '../../graph/types.js';
import type { Rebatching } from './rebatching.js';
import type { Visit } from './rules.js';

/** @param visit what becomes of a node */
export function bothBranches(
  walk: Rebatching,
  { node, call }: Visit,
  visit: (walk: Rebatching, node: InferredNode) => void,
): void {
  const [condition] = node.inputs as [string];
  const bodies = call.bodies.map(({ name, graph }) => ({ name, graph: graph as InferredGraph }));
  const yes = bodies.find(({ name }) => name === 'then_branch')?.graph;
  const no = bodies.find(({ name }) => name === 'else_branch')?.graph;
  if (yes === undefined || no === undefined)
    return walk.refuse(node, 'which branch runs depends on the samples');
  if (yes.outputTypes.some((type, i) => !sameType(type, no.outputTypes[i]!))) {
    walk.refuse(node, 'which branch runs depends on the samples, and what they give is not of one shape');
  }
  walk.note(node, 'both branches run, and every sample takes the result of its own');
  const results = [yes, no].map((body) => inlined(walk, node.outputs[0]!, body, visit));
  node.outputs.forEach((output, i) => {
    const inputs = [condition, results[0]![i]!, results[1]![i]!];
    const chosen = makeNode('Where', inputs, [output], {}, { name: i === 0 ? node.name : output });
    visit(walk, { node: chosen, call: walk.callOf(chosen), operator: undefined, isFunction: false });
  });
}

/**
 * Whether the graphs that a node runs are those of any batch, as they are: samples stay apart in them, and nothing in them is
 * written for the network's own batch.
 */
export function checkBodies(
  walk: Rebatching,
  { node, call, traits }: Visit,
  visit: (walk: Rebatching, node: InferredNode) => void,
): void {
  for (const { graph } of call.bodies) {
    const body = graph as InferredGraph;
    const trial = walk.trial();
    const isLoop = traits.controlFlow === 'loop';
    // What a loop carries from step to step would have to be followed around.
    const isCarried = node.inputs.some((name) => walk.positions.has(name));
    if (isLoop && isCarried) walk.refuse(node, 'samples go around in its steps');
    const before = trial.changes.length;
    inlined(trial, node.outputs[0] ?? node.name, body, visit);
    if (trial.changes.length > before) walk.refuse(node, 'a graph inside is written for its batch');
  }
}

/** Makes the nodes of a branch part of the network; the names of its outputs there. */
function inlined(
  walk: Rebatching,
  hint: string,
  body: InferredGraph,
  visit: (walk: Rebatching, node: InferredNode) => void,
): string[] {
  const names = new Map<string, string>();
  for (const [name, type] of body.types) {
    const outer = walk.fresh(`${hint}/${name}`);
    names.set(name, outer);
    walk.addOld(outer, type);
  }
  for (const [name, tensor] of body.initializers) {
    const outer = names.get(name)!;
    walk.initializers.set(outer, { ...tensor, name: outer });
  }
  const renamed = (list: readonly string[]): string[] => list.map((name) => names.get(name) ?? name);
  for (const inner of body.nodes) {
    if (hasSubgraphs(inner.node)) walk.refuse(inner.node, 'it has graphs inside others');
    const { inputs, outputs, name } = inner.node;
    const node = {
      ...inner.node,
      name: `${hint}/${name}`,
      inputs: renamed(inputs),
      outputs: renamed(outputs),
    };
    visit(walk, { ...inner, node });
  }
  return renamed(body.outputNames);
}
