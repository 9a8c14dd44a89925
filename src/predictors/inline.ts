// One model inside another: its nodes written into a graph, under names of their own. So a predictor that is built on another
// one stays a single file.
import type { Model, Node } from '../graph/graph.js';
import { type Tensor, tensorNumbers } from '../graph/tensor.js';
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Value } from '../ops/build.js';
import { traitsOf } from '../ops/index.js';

/** Numbers that a builder wrote, which are no weights. */
const CONSTANT = /(^|[./])constant(_\d+)?$/;

/**
 * What a model gives for inputs, by the names of its outputs. Weights stay as they are, under their names in this scope; a
 * model that was taken out of such a graph keeps its names.
 *
 * @param inputs by the names of the model's inputs; more are of no account
 * @param isTrained its weights become parameters of the scope, which begin as they are
 */
export function inlined(
  s: Scope,
  { graph, opsetImports }: Model,
  inputs: Inputs,
  { isTrained = false } = {},
): Record<string, Value> {
  const { builder, path } = s;
  for (const [domain, version] of opsetImports) {
    if (builder.opsetOf(domain) !== version) throw new Error(`opset ${version} inside ${builder.opset}`);
  }
  const given = new Map(graph.inputs.map(({ name }) => [name, inputs[name]!.name]));
  const renamed = (name: string): string =>
    name === '' ? '' : (given.get(name) ?? (name.startsWith(path) ? name : `${path}${name}`));
  for (const [name, tensor] of graph.initializers) {
    if (isTrained && isWeight(name, tensor)) {
      const values = Float32Array.from(tensorNumbers(tensor));
      s.parameter(renamed(name).slice(path.length), tensor.dims, () => values.slice());
    } else if (!builder.types.has(renamed(name))) builder.initializer({ ...tensor, name: renamed(name) });
  }
  // An output that only names a value is named anew by whoever uses it.
  const names = new Map(
    graph.nodes.flatMap((node) => {
      const {
        inputs: [from],
        outputs: [to],
      } = node;
      const isName = traitsOf(node).moves === 'same' && graph.outputs.some(({ name }) => name === to);
      return isName ? [[to!, from!] as const] : [];
    }),
  );
  for (const node of graph.nodes) {
    if (names.has(node.outputs[0]!)) continue;
    if ([...node.attributes.values()].some(({ type }) => type === 'graph' || type === 'graphs')) {
      throw new Error(`${node.opType} has a body, which cannot be inlined`);
    }
    builder.add(renamedNode(node, renamed));
  }
  return Object.fromEntries(
    graph.outputs.map(({ name }) => [name, builder.value(renamed(names.get(name) ?? name))]),
  );
}

function renamedNode(node: Node, renamed: (name: string) => string): Node {
  return {
    ...node,
    name: renamed(node.name),
    inputs: node.inputs.map(renamed),
    outputs: node.outputs.map(renamed),
  };
}

/** Whether a tensor of a model was trained. */
function isWeight(name: string, { dtype }: Tensor): boolean {
  return dtype === 'float32' && !CONSTANT.test(name);
}
