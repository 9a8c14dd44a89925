// What normalisations fused with their surroundings are made of, to differentiate them.
import { positiveInt } from '../arguments.js';
import type { Value } from '../build.js';
import type { Decomposition, Expansion } from '../gradient.js';

/** Layer normalisation over the last axis; mean and 1/deviation if they are asked for. */
function layerNormalization(
  node: Expansion,
  x: Value,
  [scale, shift]: readonly [Value, Value | undefined],
  withStatistics = false,
): readonly (Value | undefined)[] {
  const attributes = { axis: -1, epsilon: node.call.float('epsilon', 1e-12) };
  const outputs = withStatistics ? 3 : 1;
  return node.builder.apply('LayerNormalization', [x, scale, shift], attributes, { outputs });
}

/** Input, a bias if there is one, and skip. The bias is that of the layer whose output the input is. */
function residualSum(node: Expansion, bias: number): Value {
  const added = node.optionalInput(bias);
  const input = added ? node.input(0).add(added) : node.input(0);
  return input.add(node.input(1));
}

/** The normalised sum, its mean and 1/deviation, and the sum itself. */
const SkipLayerNormalization: Decomposition = (node) => {
  const sum = residualSum(node, 4);
  const withStatistics = node.call.wants(1) || node.call.wants(2);
  const affine = [node.input(2), node.optionalInput(3)] as const;
  const [y, mean, inverse] = layerNormalization(node, sum, affine, withStatistics);
  return [y, mean, inverse, sum];
};

/** As above, without a mean. */
const SkipSimplifiedLayerNormalization: Decomposition = (node) => {
  const { builder, call } = node;
  const sum = residualSum(node, 3);
  const attributes = { axis: -1, epsilon: call.float('epsilon', 1e-12) };
  const outputs = call.wants(2) ? 2 : 1;
  const inputs = [sum, node.input(2)];
  const [y, inverse] = builder.apply('SimplifiedLayerNormalization', inputs, attributes, { outputs });
  return [y, undefined, inverse, sum];
};

/** Rows of the tables of words, positions and segments, added and normalised; the length of every sequence. */
const EmbedLayerNormalization: Decomposition = (node) => {
  const { builder, call } = node;
  const ids = node.input(0);
  const [segments, positions] = [node.optionalInput(1), node.optionalInput(8)];
  const table = node.input(3);
  const placed = positions ? table.gather(positions) : table.slice([0], [ids.length(1)], [0]);
  const both = node.input(2).gather(ids).add(placed);
  const sum = segments ? both.add(node.input(4).gather(segments)) : both;
  const [y] = layerNormalization(node, sum, [node.input(5), node.input(6)]);
  const lengths = call.wants(1) ? node.optionalInput(7)?.sum([1]) : undefined;
  const none = () => builder.full([ids.length(0)], 0, 'int32');
  return [y, call.wants(1) ? (lengths ?? none()) : undefined, sum];
};

/** (N, C, …) from images with their channels last, or the other way round. */
function moveChannels(value: Value, from: number, to: number): Value {
  const axes = [...Array(value.rank).keys()].filter((axis) => axis !== from);
  return value.transpose(axes.toSpliced(to, 0, from));
}

/** Group normalisation of X, perhaps with SiLU after it. */
function groupNorm(node: Expansion, x: Value): Value {
  const { builder, call } = node;
  const groups = positiveInt(call, 'groups');
  const scale = node.input(1);
  const isLast = call.int('channels_last', 1) !== 0;
  const last = x.rank - 1;
  const images = (isLast ? moveChannels(x, last, 1) : x).cast(scale.dtype);
  const [batch, ...sizes] = images.freeSizes;
  const rows = images.reshape([batch!, groups, sizes.reduce((n, size) => n * size, 1) / groups]);
  const [ones, zeros] = [1, 0].map((value) => builder.full([groups], value, scale.dtype));
  const epsilon = call.float('epsilon', 1e-5);
  const normal = builder.op('InstanceNormalization', [rows, ones, zeros], { epsilon }).reshapeTo(images);
  const perChannel = (value: Value): Value => value.reshape([-1, ...Array<number>(x.rank - 2).fill(1)]);
  const affine = normal.mul(perChannel(scale)).add(perChannel(node.input(2)));
  const activated = call.int('activation', 0) === 1 ? affine.mul(affine.sigmoid()) : affine;
  return (isLast ? moveChannels(activated, 1, last) : activated).cast(x.dtype);
}

/** X + skip + bias, where the skip may be (N, C), and its group normalisation. */
const SkipGroupNorm: Decomposition = (node) => {
  const x = node.input(0);
  const isLast = node.call.int('channels_last', 1) !== 0;
  const ones = Array<number>(x.rank - 2).fill(1);
  const channels = (value: Value, batch: readonly number[]): Value =>
    value.reshape([...batch, ...(isLast ? [...ones, value.length(-1)] : [value.length(-1), ...ones])]);
  const skip = node.input(3);
  const bias = node.optionalInput(4);
  const sum = x.add(skip.rank === 2 ? channels(skip, [skip.freeSizes[0]!]) : skip);
  const all = bias ? sum.add(channels(bias, [])) : sum;
  return [groupNorm(node, all), all];
};

export const normalizationDecompositions = {
  EmbedLayerNormalization,
  GroupNorm: (node) => [groupNorm(node, node.input(0))],
  SkipGroupNorm,
  SkipLayerNormalization,
  SkipSimplifiedLayerNormalization,
} satisfies Record<string, Decomposition>;
