// What follows a convolution and is linear in every channel is part of it: batch normalisation with frozen statistics,
// and a constant that is added. Results differ by rounding.
import { makeNode, type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { fromNumbers, hasData, type Tensor } from '../../graph/tensor.js';
import { inputsOf, traitsOf } from '../../ops/index.js';
import { floatData } from '../tensor-data.js';
import type { Change } from '../transform.js';
import type { Edit, GraphView } from './pass.js';

/** What a channel is multiplied with, and what is added to it then. */
interface Scaling {
  readonly factors: ArrayLike<number> | undefined;
  readonly shifts: ArrayLike<number>;
}

export function withFoldedLayers(view: GraphView): Edit {
  const replacements = new Map<Node, readonly Node[]>();
  const constants = new Map<string, Tensor>();
  const changes: Change[] = [];
  for (const node of view.graph.nodes) {
    const slot = node.inputs.findIndex((name) => isConvolution(view.maker(name)));
    const conv = slot < 0 ? undefined : view.maker(node.inputs[slot])!;
    // Of a convolution that others read as well, a second copy would be needed.
    if (!conv || replacements.has(conv) || view.uses(conv.outputs[0]!) !== 1) continue;
    const channels = view.tensor(conv.outputs[0])?.shape?.[1];
    const scaling = typeof channels === 'number' ? scalingOf(node, slot, channels, view) : undefined;
    if (scaling === undefined || node.outputs.slice(1).some((name) => name !== '')) continue;
    // Weights are read last: most nodes behind a convolution cannot be folded.
    const weight = floats(view.constant(conv.inputs[1]));
    const bias = conv.inputs[2] ? floats(view.constant(conv.inputs[2])) : undefined;
    if (!weight || (conv.inputs[2] && !bias)) continue;
    const { dtype, dims } = view.constant(conv.inputs[1])!;
    const names = [`${node.outputs[0]}/weight`, `${node.outputs[0]}/bias`] as const;
    if (names.some((name) => view.type(name) !== undefined)) continue;
    const { factors, shifts } = scaling;
    if (factors) {
      const scaled = scaledWeight(weight, dims, factors, traitsOf(conv).convolution === 'transposed', conv);
      constants.set(names[0], fromNumbers(names[0], dtype, dims, scaled));
    }
    const moved = Float64Array.from(
      { length: channels as number },
      (_, c) => (bias?.[c] ?? 0) * (factors?.[c] ?? 1) + shifts[c]!,
    );
    constants.set(names[1], fromNumbers(names[1], dtype, [channels as number], moved));
    const inputs = [conv.inputs[0]!, factors ? names[0] : conv.inputs[1]!, names[1]];
    const attributes = Object.fromEntries(conv.attributes);
    const { name, domain } = conv;
    replacements.set(conv, []);
    replacements.set(node, [makeNode(conv.opType, inputs, node.outputs, attributes, { name, domain })]);
    const what = `folded into the convolution '${nodeLabel(conv)}'`;
    changes.push({ transform: 'simplify', what, node: nodeLabel(node), operator: operatorName(node) });
  }
  return { replacements, constants, changes };
}

function isConvolution(node: Node | undefined): boolean {
  if (node?.domain !== '') return false;
  const { convolution } = traitsOf(node);
  return convolution === 'plain' || convolution === 'transposed';
}

function floats(tensor: Tensor | undefined): Float32Array | Float64Array | undefined {
  const isPlain = tensor?.dtype === 'float32' || tensor?.dtype === 'float64';
  return isPlain && hasData(tensor) ? floatData(tensor) : undefined;
}

function scalingOf(node: Node, slot: number, channels: number, view: GraphView): Scaling | undefined {
  const { normalisation, arithmetic } = traitsOf(node);
  if (node.domain !== '') return undefined;
  if (normalisation === 'batch') return slot === 0 ? frozenNormalisation(node, channels, view) : undefined;
  if (arithmetic !== 'add' || node.inputs.length !== 2) return undefined;
  const tensor = view.constant(node.inputs[1 - slot]);
  const rank = view.tensor(node.outputs[0])?.shape?.length;
  const shifts = floats(tensor);
  if (!tensor || !shifts || rank === undefined) return undefined;
  // One number for every channel: all axes but that of channels have size 1.
  const padded = [...Array.from({ length: rank - tensor.dims.length }, () => 1), ...tensor.dims];
  const isPerChannel = padded.length === rank && padded.every((d, axis) => d === (axis === 1 ? channels : 1));
  return isPerChannel ? { factors: undefined, shifts } : undefined;
}

/** y = (x − mean)/√(variance + ε)·scale + bias, as a factor and a shift. */
function frozenNormalisation(node: Node, channels: number, view: GraphView): Scaling | undefined {
  if (Number(node.attributes.get('training_mode')?.value ?? 0) !== 0) return undefined;
  if (Number(node.attributes.get('spatial')?.value ?? 1) !== 1) return undefined;
  const names = inputsOf(node, view.opset);
  const at = (slot: number) => floats(view.constant(node.inputs[slot]));
  const [scale, bias, mean, variance] = [1, 2, 3, 4].map(at);
  if (!scale || !bias || !mean || !variance || names.slot('scale') !== 1) return undefined;
  if ([scale, bias, mean, variance].some((values) => values.length !== channels)) return undefined;
  const epsilon = Number(node.attributes.get('epsilon')?.value ?? 1e-5);
  const factors = Float64Array.from(scale, (s, c) => s / Math.sqrt(variance[c]! + epsilon));
  return { factors, shifts: Float64Array.from(bias, (b, c) => b - mean[c]! * factors[c]!) };
}

/** W (M, C/g, k…), or (C, M/g, k…) of a transposed convolution, with every output channel multiplied. */
function scaledWeight(
  weight: Float32Array | Float64Array,
  dims: readonly number[],
  factors: ArrayLike<number>,
  isTransposed: boolean,
  conv: Node,
): Float32Array | Float64Array {
  const kernel = dims.slice(2).reduce((n, d) => n * d, 1);
  const groups = Number(conv.attributes.get('group')?.value ?? 1);
  const [rows, columns] = dims as [number, number];
  const scaled = weight.slice();
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const channel = isTransposed ? Math.floor(r / (rows / groups)) * columns + c : r;
      const factor = factors[channel]!;
      const start = (r * columns + c) * kernel;
      for (let k = start; k < start + kernel; k++) scaled[k]! *= factor;
    }
  }
  return scaled;
}
