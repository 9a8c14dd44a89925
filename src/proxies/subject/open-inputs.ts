// Networks whose inputs can be moved a little: what is looked up for tokens becomes an input of floats itself.
import type { Model, ValueInfo } from '../../graph/graph.js';
import type { TensorType } from '../../graph/types.js';
import { AuspexError } from '../../util/errors.js';
import type { Subject } from './subject.js';
import { product } from './value-links.js';

export interface OpenModel {
  readonly model: Model;
  /** Inputs that are floats. */
  readonly names: readonly string[];
  /** Their sizes. */
  readonly dims: readonly (readonly number[])[];
  /** Numbers of one sample, all of these inputs together. */
  readonly size: number;
}

/** @param model the subject's, or one with the same values. */
export function withOpenInputs(model: Model, { lookups, samples, types }: Subject): OpenModel {
  const { graph } = model;
  const looked = new Set(lookups.map((lookup) => lookup.output));
  const nodes = graph.nodes.filter((node) => !looked.has(node.outputs[0]!));
  // Ids that are computed from tokens for other purposes stay as they are.
  const opened = graph.nodes
    .filter((node) => looked.has(node.outputs[0]!))
    .map((node): ValueInfo => ({ name: node.outputs[0]!, type: types.get(node.outputs[0]!)! }));
  const floats = graph.inputs.filter(({ type }) => /^float(32|64)/.test(String(type)));
  const found = [...floats, ...opened];
  if (found.length === 0) {
    throw new AuspexError('PROXY_INPUT', 'the network has no input that could be varied', {
      hint: 'its inputs are integers that are not looked up in an embedding',
    });
  }
  const dims = found.map(({ type }) => (type as TensorType).shape as readonly number[]);
  return {
    model: { ...model, graph: { ...graph, nodes, inputs: [...graph.inputs, ...opened] } },
    names: found.map(({ name }) => name),
    dims,
    size: dims.reduce((sum, sizes) => sum + product(sizes) / samples, 0),
  };
}
