// What rules ask of nodes, by traits: which are layers, where their weights are, what their attributes are.
import { type Attribute, isDefaultDomain, type Node } from '../../../graph/graph.js';
import type { Tensor } from '../../../graph/tensor.js';
import { traitsOf } from '../../../ops/index.js';
import { schemaFor } from '../../../ops/schemas.js';
import type { Part } from './rule.js';

/** Whether a node is an operator of ONNX that is a layer by itself: it has weights, pools, normalises or activates. */
export function isLayer(node: Node, opset: number): boolean {
  if (!isDefaultDomain(node.domain) || schemaFor('', node.opType, opset)?.contrib) return false;
  const { pooling, activation, recurrent } = traitsOf(node);
  const isActivation = activation !== undefined && activation !== 'erf';
  return isActivation || pooling?.over === 'window' || recurrent === true || isWeighing(node);
}

function isWeighing(node: Node): boolean {
  const { convolution, product, normalisation } = traitsOf(node);
  return (convolution ?? product ?? normalisation) !== undefined;
}

/** Convolutions and products with constant weights in a part. */
export function weightLayers({ nodes, graph }: Part): Node[] {
  return nodes.filter((node) => {
    const { convolution, product } = traitsOf(node);
    return (
      (convolution ?? product) !== undefined &&
      node.inputs.some((name) => name !== '' && !graph.open.has(name))
    );
  });
}

export function isActivationNode(node: Node): boolean {
  const { activation } = traitsOf(node);
  return activation === 'rectifier' || activation === 'clip';
}

/** A convolution with all that rules look at. */
interface PlainConv {
  readonly node: Node;
  readonly weight: Tensor;
  /** (out, in / groups, …kernel). */
  readonly dims: readonly number[];
  readonly kernel: readonly number[];
  readonly groups: number;
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** Begins of all axes, then ends; undefined where the operator finds them itself. */
  readonly pads: readonly number[] | undefined;
}

/** A plain convolution of float32 whose weight is a constant. */
export function plainConv(node: Node, { graph }: Part): PlainConv | undefined {
  if (traitsOf(node).convolution !== 'plain' || !isDefaultDomain(node.domain)) return undefined;
  const weight = graph.constant(node.inputs[1] ?? '');
  if (weight === undefined || weight.dtype !== 'float32' || weight.dims.length < 3) return undefined;
  const [, , ...kernel] = weight.dims;
  const auto = node.attributes.get('auto_pad')?.value ?? 'NOTSET';
  return {
    node,
    weight,
    dims: weight.dims,
    kernel,
    groups: Number(node.attributes.get('group')?.value ?? 1),
    strides: intsOf(node, 'strides') ?? kernel.map(() => 1),
    dilations: intsOf(node, 'dilations') ?? kernel.map(() => 1),
    pads: auto === 'NOTSET' ? (intsOf(node, 'pads') ?? kernel.flatMap(() => [0, 0])) : undefined,
  };
}

function intsOf(node: Node, name: string): number[] | undefined {
  const attribute = node.attributes.get(name);
  return attribute?.type === 'ints' ? attribute.value.map(Number) : undefined;
}

/** Attributes with others in their place. */
export function withAttributes(node: Node, changed: Readonly<Record<string, Attribute>>): Node['attributes'] {
  return new Map([...node.attributes, ...Object.entries(changed)]);
}
