// The networks of the Inception family of GENNAPE (Mills et al., AAAI 2023): its operators, and blocks of paths.
// Unlike in the other two families of the paper, convolutions have a bias before their normalisation.
import { conv2d } from '../../nn/convolution.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import {
  averagePoolNorm,
  convNorm,
  convNormRelu6,
  inceptionS,
  maxPoolNorm,
  type OperatorKinds,
  relu6,
  twoConvs,
} from './blocks.js';

type Layer = (s: Scope, x: Value, out: number, stride: number) => Value;
const bias = true;

const conv =
  (kernel: number): Layer =>
  (s, x, out, stride) =>
    convNormRelu6(s, x, out, { kernel, stride, bias });

/** Every half strides along its own axis. */
const sequential =
  (kernel: number): Layer =>
  (s, x, out, stride) =>
    inceptionS(s, x, out, {
      kernel,
      strides: [
        [1, stride],
        [stride, 1],
      ],
      bias,
    });

/** InceptionP, "parallel": 1×k and k×1 side by side, half of the channels each; one that strides has both, crossed. */
const parallel =
  (kernel: number): Layer =>
  (s, x, out, stride) => {
    const rows = { kernel: [1, kernel], stride: [1, stride], bias } as const;
    const columns = { kernel: [kernel, 1], stride: [stride, 1], bias } as const;
    const first = out >> 1;
    const branches = [
      { name: 'rows', width: first, steps: [rows, columns] },
      { name: 'columns', width: out - first, steps: [columns, rows] },
    ].map(({ name, width, steps }) => {
      const taken = stride === 1 ? steps.slice(0, 1) : steps;
      return relu6(taken.reduce((y, step, i) => convNorm(s.at(name, i), y, width, step), x));
    });
    return relu6(s.builder.concat(branches, 1));
  };

/** A depthwise convolution; where the channels change, behind a 1×1 convolution without bias or normalisation. */
const depthwise =
  (kernel: number): Layer =>
  (s, x, out, stride) => {
    const y = x.length(1) === out ? x : conv2d(s.at('widen'), x, out, { kernel: 1, bias: false });
    return convNormRelu6(s, y, out, { kernel, stride, groups: out, bias });
  };

const CONVS = {
  conv3x3: conv(3),
  inception_s3x3: sequential(3),
  inception_p3x3: parallel(3),
  depthwise3x3: depthwise(3),
  conv5x5: conv(5),
  depthwise5x5: depthwise(5),
  inception_s5x5: sequential(5),
  inception_p5x5: parallel(5),
} satisfies Record<string, Layer>;

/** These can change the number of channels, … */
const RESIZING = {
  conv1x1: conv(1),
  double1x1: (s, x, out) => twoConvs(s, x, [out, out], { kernel: 1, bias }),
} satisfies Record<string, Layer>;
/** … these cannot. */
const POOLS = { avgpool3x3: averagePoolNorm, maxpool3x3: maxPoolNorm } satisfies Record<string, Layer>;

export type InceptionOp = keyof typeof CONVS | keyof typeof RESIZING | keyof typeof POOLS;
const LAYERS: Record<InceptionOp, Layer> = { ...CONVS, ...RESIZING, ...POOLS };

export const KINDS: OperatorKinds<InceptionOp> = {
  convs: Object.keys(CONVS) as InceptionOp[],
  supplements: [...(Object.keys(RESIZING) as InceptionOp[]), ...(Object.keys(POOLS) as InceptionOp[])],
};

export function changesChannels(op: InceptionOp): boolean {
  return !(op in POOLS);
}

/** 3×3, the first and the last convolution: (B, C, H, W) → (B, out, H, W). */
export function outerConv(s: Scope, x: Value, out: number): Value {
  return convNormRelu6(s, x, out, { kernel: 3, bias });
}

/** A path with its channels: inside, and what it gives. */
export interface SizedPath {
  readonly ops: readonly InceptionOp[];
  readonly inner: number;
  readonly out: number;
}

/** (B, C, H, W) → (B, out, H', W'); where that is the same, the input is added. */
export function writeBlock(
  s: Scope,
  x: Value,
  paths: readonly SizedPath[],
  { out, stride }: { readonly out: number; readonly stride: number },
): Value {
  const ends = paths.map((path, i) => writePath(s.at('path', i), x, path, stride));
  const joined = s.builder.concat(ends, 1);
  const y = joined.length(1) === out ? joined : convNorm(s.at('join'), joined, out, { kernel: 1, bias });
  return stride === 1 && x.length(1) === out ? y.add(x) : y;
}

/**
 * The first operator that can changes the channels to those inside the path, the last one to those it gives; the
 * first convolution of a kernel above 1 strides.
 */
function writePath(s: Scope, x: Value, { ops, inner, out }: SizedPath, stride: number): Value {
  const first = ops.findIndex(changesChannels);
  const last = ops.findLastIndex(changesChannels);
  const strided = ops.findIndex((op) => op in CONVS);
  return ops.reduce((y, op, i) => {
    const width = i === last ? out : i === first ? inner : y.length(1);
    return LAYERS[op](s.at(i), y, width, i === strided ? stride : 1);
  }, x);
}
