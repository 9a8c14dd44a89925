// What the three families of GENNAPE (Mills et al., AAAI 2023) share: their layers, all of images
// (B, C, H, W) → (B, out, H', W'), and the rule for lists of operators in the two random families.
import { type ConvOptions, conv2d, maxPool2d } from '../../nn/convolution.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import type { Random } from '../../util/random.js';
import { choiceOf, elementChoices } from '../choice.js';
import type { Choice } from '../space.js';

/** Around images there are always as many zeros as keep the sides, ⌊kernel/2⌋. */
type LayerOptions = Pick<ConvOptions, 'kernel' | 'stride' | 'groups' | 'bias'>;

type Pair = ConvOptions['kernel'];

function half(kernel: Pair): Pair {
  return typeof kernel === 'number' ? kernel >> 1 : [kernel[0] >> 1, kernel[1] >> 1];
}

export function relu6(x: Value): Value {
  return x.builder.op('Clip', [x, x.operand(0), x.operand(6)]);
}

/** norm(conv(x)); the convolution has no bias unless told. */
export function convNorm(s: Scope, x: Value, out: number, options: LayerOptions): Value {
  const { kernel, bias = false } = options;
  const y = conv2d(s.at('conv'), x, out, { ...options, padding: half(kernel), bias });
  return batchNorm(s.at('norm'), y);
}

/** ReLU6(norm(conv(x))), the "ConvBNReLU" of the paper. */
export function convNormRelu6(s: Scope, x: Value, out: number, options: LayerOptions): Value {
  return relu6(convNorm(s, x, out, options));
}

/** How the two halves of a factorised convolution, first along the rows, then along the columns, stride. */
interface FactorisedOptions {
  readonly kernel: number;
  readonly strides: readonly [rows: Pair, columns: Pair];
  readonly bias?: boolean;
}

/** InceptionS, "sequential": 1×k, then k×1, each with normalisation and ReLU6. */
export function inceptionS(s: Scope, x: Value, out: number, options: FactorisedOptions): Value {
  const { kernel, strides, bias = false } = options;
  const y = convNormRelu6(s.at('rows'), x, out, { kernel: [1, kernel], stride: strides[0], bias });
  return convNormRelu6(s.at('columns'), y, out, { kernel: [kernel, 1], stride: strides[1], bias });
}

/** Two convolutions of one kernel with `hidden` channels between them; the first one strides. */
export function twoConvs(
  s: Scope,
  x: Value,
  [hidden, out]: readonly [hidden: number, out: number],
  options: LayerOptions,
): Value {
  const y = convNormRelu6(s.at('first'), x, hidden, options);
  return convNormRelu6(s.at('second'), y, out, { ...options, stride: 1 });
}

/** norm(maxPool(x)) over 3×3 windows: (B, C, H, W) → the same. */
export function maxPoolNorm(s: Scope, x: Value): Value {
  return batchNorm(s.at('norm'), maxPool2d(x, { kernel: 3, stride: 1, padding: 1 }));
}

/** norm(averagePool(x)) over 3×3 windows, which count the zeros around the image, as PyTorch's do by default. */
export function averagePoolNorm(s: Scope, x: Value): Value {
  const window = { kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1], count_include_pad: 1 };
  return batchNorm(s.at('norm'), x.builder.op('AveragePool', [x], window));
}

// Lists of operators -------------------------------------------------------------------------------------------

/** The operators of a family: in a list at least one is of the first kind, and at most one of the second. */
export interface OperatorKinds<Op extends string = string> {
  /** Convolutions of kernels above 1; the first of a list takes its stride. */
  readonly convs: readonly Op[];
  /** Supplements: 1×1 convolutions and pools. */
  readonly supplements: readonly Op[];
}

/** What is wrong with a list of operators, if anything. */
export function problemOfList(kinds: OperatorKinds, list: readonly string[]): string | undefined {
  const unknown = list.find((op) => !kinds.convs.includes(op) && !kinds.supplements.includes(op));
  if (unknown !== undefined) return `unknown operator '${unknown}'`;
  const supplements = list.filter((op) => kinds.supplements.includes(op));
  if (supplements.length === list.length) return `'${list.join('+')}' has no convolution of a kernel above 1`;
  if (supplements.length > 1) return `'${list.join('+')}' has more than one of ${supplements.join(', ')}`;
  return undefined;
}

/**
 * A list of `count` operators as the authors draw it: one convolution, then for each further place a supplement
 * with a probability of their share, while there is none; all shuffled.
 */
export function drawList<Op extends string>(kinds: OperatorKinds<Op>, count: number, random: Random): Op[] {
  const { convs, supplements } = kinds;
  const share = supplements.length / (convs.length + supplements.length);
  const list = [random.pick(convs)];
  let hasSupplement = false;
  while (list.length < count) {
    const isSupplement: boolean = random.chance(share) && !hasSupplement;
    hasSupplement ||= isSupplement;
    list.push(random.pick(isSupplement ? supplements : convs));
  }
  return shuffled(list, random);
}

/** How many operators a list has, and each of them. A list that grows repeats its first convolution; it may break the rule. */
export function operatorChoices<A, Op extends string>(
  { convs, supplements }: OperatorKinds<Op>,
  counts: readonly number[],
  list: readonly Op[],
  place: string,
  set: (list: readonly Op[]) => A | undefined,
): Choice<A>[] {
  const conv = list.find((op) => convs.includes(op))!;
  return [
    choiceOf(`${place} operators`, counts, list.length, (count) =>
      set(Array.from({ length: count }, (_, i) => list[i] ?? conv)),
    ),
    ...elementChoices((i) => `${place} operator ${i + 1}`, [...convs, ...supplements], list, set),
  ];
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
