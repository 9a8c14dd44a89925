// Gradients of normalisations within one example: y = x̂·scale + bias with x̂ = (x − mean)·r, where mean and
// r = 1/√(variance + ε) are taken along some axes. With dx̂ = dy·scale and means along the same axes
//
//   dx = r·(dx̂ − mean(dx̂) − x̂·mean(dx̂·x̂)),   dscale = Σ dy·x̂,   dbias = Σ dy
//
// Where only the root mean square is divided by, the terms with a mean fall away. Normalisation over the batch
// is in batch-normalization.gradient.ts.
import { isKnown } from '../../../graph/dim.js';
import { bitsOf, codeOfDataType, dataTypeOfCode } from '../../../graph/dtype.js';
import { positiveInt } from '../../arguments.js';
import type { Value } from '../../build.js';
import type { Decomposition, Differentiation, Expansion, GradientRule } from '../../gradient.js';

/** x̂, and r with sizes 1 along the axes. */
interface Normal {
  readonly values: Value;
  readonly inverse: Value;
}

/** A value in the type that statistics are computed in: `stash_type`, if that is more precise than its own. */
function widened(g: Differentiation, value: Value): Value {
  const stash = dataTypeOfCode(g.call.int('stash_type', 1));
  return stash !== undefined && bitsOf(stash) > bitsOf(value.dtype) ? value.cast(stash) : value;
}

/** Standardises along the axes from `first` on. */
function standardise(x: Value, first: number, epsilon: number): Normal {
  const { builder } = x;
  const row = x.shape.slice(first);
  // One kernel instead of eight; ONNX Runtime has its statistics in float32 only.
  if (builder.opset >= 17 && x.dtype === 'float32' && row.every(isKnown)) {
    const ones = builder.full(row as number[], 1, x.dtype);
    const attributes = { axis: first, epsilon, stash_type: codeOfDataType(x.dtype) };
    const [values, , inverse] = builder.apply('LayerNormalization', [x, ones], attributes, { outputs: 3 });
    return { values: values!, inverse: inverse! };
  }
  const axes = axesFrom(x, first);
  return byRootMeanSquare(x.sub(x.mean(axes, true)), axes, epsilon);
}

/** x̂ = x·r with r = 1/√(mean(x²) + ε). */
function byRootMeanSquare(x: Value, axes: readonly number[], epsilon: number): Normal {
  const inverse = x.square().mean(axes, true).add(epsilon).sqrt().reciprocal();
  return { values: x.mul(inverse), inverse };
}

function axesFrom({ rank }: Value, first: number): number[] {
  return Array.from({ length: rank - first }, (_, i) => first + i);
}

/** dx, given dx̂. */
function throughNormal(normal: Normal, dNormal: Value, axes: readonly number[], isCentred: boolean): Value {
  const along = normal.values.mul(dNormal.mul(normal.values).mean(axes, true));
  const centred = isCentred ? dNormal.sub(dNormal.mean(axes, true)) : dNormal;
  return centred.sub(along).mul(normal.inverse);
}

/** Which outputs are the mean, if one is subtracted, and r. */
interface Statistics {
  readonly mean?: number;
  readonly inverse?: number;
}

/** Over all axes from `axis` on. */
function overLastAxes(statistics: Statistics, isCentred: boolean): GradientRule {
  return (g) => {
    const [input, scale] = [g.input(0), g.input(1)];
    const first = g.call.axis(g.call.int('axis', -1), input.rank);
    const given = g.outputGradient(0);
    const dy = given && widened(g, given);
    const needsNormal = g.wants(0) || (g.wants(1) && dy !== undefined);
    const normal = needsNormal ? rowNormal(g, first, statistics, isCentred) : undefined;
    return [
      g.when(0, () => {
        const dNormal = dy?.mul(scale.cast(dy.dtype));
        const parts = throughStatistics(g, normal!, first, statistics);
        if (dNormal) parts.unshift(throughNormal(normal!, dNormal, axesFrom(input, first), isCentred));
        return g.builder.sum(parts).cast(input.dtype);
      }),
      dy && g.when(1, () => dy.mul(normal!.values).sumTo(scale).cast(scale.dtype)),
      dy && g.when(2, () => dy.sumTo(g.input(2)).cast(g.input(2).dtype)),
    ];
  };
}

/** x̂ from the statistics that the node gives out, if they are precise enough; else computed anew. */
function rowNormal(g: Differentiation, first: number, statistics: Statistics, isCentred: boolean): Normal {
  const x = widened(g, g.input(0));
  const given = (index: number | undefined): Value | undefined => {
    const value = index !== undefined && g.call.wants(index) ? g.output(index) : undefined;
    return value?.dtype === x.dtype ? value : undefined;
  };
  const [mean, inverse] = [given(statistics.mean), given(statistics.inverse)];
  if (inverse && !isCentred) return { values: x.mul(inverse), inverse };
  if (inverse && mean) return { values: x.sub(mean).mul(inverse), inverse };
  const epsilon = g.call.float('epsilon', 1e-5);
  return isCentred ? standardise(x, first, epsilon) : byRootMeanSquare(x, axesFrom(x, first), epsilon);
}

/** What flows back from the mean over n elements, dmean/n, and from r, −dr·r²·x̂/n. */
function throughStatistics(
  g: Differentiation,
  { values, inverse }: Normal,
  first: number,
  statistics: Statistics,
): Value[] {
  const gradientOf = (index: number | undefined): Value | undefined =>
    index === undefined ? undefined : g.outputGradient(index)?.cast(values.dtype);
  const count = () => values.sizes.slice(first).reduce((n, size) => n * size, 1);
  const dMean = gradientOf(statistics.mean)?.div(count()).expandTo(values);
  const dInverse = gradientOf(statistics.inverse)?.mul(inverse.square()).div(-count()).mul(values);
  return [dMean, dInverse].filter((part) => part !== undefined);
}

/** (N, …) as (N, *head, the rest); only N may be unknown. */
function inRows({ call }: Expansion, value: Value, head: readonly number[]): Value {
  const [batch, ...sizes] = value.shape;
  if (!sizes.every(isKnown)) return call.fail(`the sizes [${sizes}] are not known`, 'GRADIENT_UNSUPPORTED');
  const product = (list: readonly number[]) => list.reduce((n, size) => n * size, 1);
  return value.reshape([isKnown(batch) ? batch : -1, ...head, product(sizes as number[]) / product(head)]);
}

/** Over groups of channels, (N, C, …) seen as (N, groups, …); scale and bias are per channel or per group. */
function overGroups(groupsOf: (g: Differentiation) => number): GradientRule {
  return (g) => {
    const [input, scale] = [g.input(0), g.input(1)];
    const [groups, parts] = [groupsOf(g), scale.sizes[0]!];
    const rows = (value: Value, count: number): Value => inRows(g, value, [count]);
    const dy = rows(widened(g, g.dy), parts);
    const normal =
      g.wants(0) || g.wants(1)
        ? standardise(rows(widened(g, input), groups), 2, g.call.float('epsilon', 1e-5))
        : undefined;
    return [
      g.when(0, () => {
        const dNormal = dy.mul(scale.cast(dy.dtype).reshape([parts, 1]));
        return throughNormal(normal!, rows(dNormal, groups), [2], true).reshapeTo(input).cast(input.dtype);
      }),
      g.when(1, () => dy.mul(rows(normal!.values, parts)).sum([0, 2]).cast(scale.dtype)),
      g.when(2, () => dy.sum([0, 2]).cast(g.input(2).dtype)),
    ];
  };
}

/**
 * y = x/‖x‖ along one axis: dx = (dy − ∂‖x‖/∂x·Σ dy·y)/‖x‖ where ∂‖x‖/∂x is y for p = 2 and the sign of x for
 * p = 1. All zeros get a gradient of 0.
 */
const lpNormalization: GradientRule = (g) => {
  const [x, y, { dy }] = [g.input(0), g.output(0), g];
  const axes = [g.call.axis(g.call.int('axis', -1), x.rank)];
  const isEuclidean = g.call.int('p', 2) === 2;
  const norm = isEuclidean ? x.square().sum(axes, true).sqrt() : x.abs().sum(axes, true);
  const divisor = g.builder.where(norm.equal(0), Number.POSITIVE_INFINITY, norm);
  const along = (isEuclidean ? y : x.sign()).mul(dy.mul(y).sum(axes, true));
  return [dy.sub(along).div(divisor)];
};

/** (x − mean)/(deviation + 1e-9) along `axes`. */
export const meanVarianceParts: Decomposition = (node) => {
  const x = node.input(0);
  const axes = node.call.axes(node.call.ints('axes') ?? [0, 2, 3], x.rank);
  const centred = x.sub(x.mean(axes, true));
  return [centred.div(centred.square().mean(axes, true).sqrt().add(1e-9))];
};

/** x·(bias + α·mean)^−β, where the mean is that of x² over `size` neighbouring channels, zeros beyond the ends. */
export const localResponseParts: Decomposition = (node) => {
  const { builder, call } = node;
  const x = node.input(0);
  const size = positiveInt(call, 'size');
  const pads = [Math.floor((size - 1) / 2), 0, Math.ceil((size - 1) / 2), 0];
  const rows = inRows(node, x.square(), [1, x.length(1)]);
  const mean = builder.op('AveragePool', [rows], { kernel_shape: [size, 1], pads, count_include_pad: 1 });
  const base = mean.reshapeTo(x).mul(call.float('alpha', 1e-4)).add(call.float('bias', 1));
  return [x.mul(base.pow(-call.float('beta', 0.75)))];
};

export const normalizationGradients = {
  GroupNormalization: overGroups((g) => positiveInt(g.call, 'num_groups')),
  InstanceNormalization: overGroups((g) => g.input(1).sizes[0]!),
  LayerNormalization: overLastAxes({ mean: 1, inverse: 2 }, true),
  LpNormalization: lpNormalization,
  RMSNormalization: overLastAxes({}, false),
  SimplifiedLayerNormalization: overLastAxes({ inverse: 1 }, false),
} satisfies Record<string, GradientRule>;
