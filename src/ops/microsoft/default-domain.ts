// Operators in ai.onnx that the standard does not have: what ONNX Runtime defines there itself, and what the
// first drafts of ONNX had and old files still contain.
import { subtract, sum } from '../../graph/dim.js';
import { MAX_KNOWN_ELEMENTS, type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { likeInput, positiveInt, shapeOfRank } from '../arguments.js';
import { counted, FREE, perOutput, times } from '../cost.js';
import { checkSize, sizesFrom } from '../families/arrays/data-movement.js';
import { reshapeOperators } from '../families/arrays/reshape.js';
import { sliceOperators } from '../families/arrays/slice.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { withVersions } from '../versions.js';
import { defaultDomainVersions } from './default-domain.versions.js';
import { SimplifiedLayerNormalization } from './normalization.js';
import { standard } from './standard.js';

function activation(flops: number): Operator {
  return { infer: likeInput(0), cost: perOutput(flops) };
}

/** Images (N, C, H, W) without a border (left, top, right, bottom), or the part of size `scale` behind it. */
const Crop: Operator = {
  infer: (call) => {
    const image = shapeOfRank(call, 0, 4);
    const border = call.required(call.ints('border'), 'border');
    const size = call.ints('scale') ?? [];
    if (border.length !== 4 || (size.length !== 0 && size.length !== 2)) {
      call.fail(
        `a border [${border}] and a size [${size}] do not describe a part of an image`,
        'OP_ATTRIBUTE',
      );
    }
    return [new TensorType(call.dtype(0), image && croppedShape(image, border, size))];
  },
  cost: FREE,
};

function croppedShape(image: Shape, border: readonly number[], size: readonly number[]): Shape {
  const [batch, channels, height, width] = image;
  if (size.length === 2) return [batch!, channels!, ...size];
  const [left, top, right, bottom] = border;
  return [batch!, channels!, subtract(height!, sum([top!, bottom!])), subtract(width!, sum([left!, right!]))];
}

/** Values written into the node; the shape is an attribute, or the elements of the input. */
const GivenTensorFill: Operator = {
  infer: (call) => {
    const shape = filledShape(call);
    const values = call.floats('values');
    const elements = values && values.length <= MAX_KNOWN_ELEMENTS ? values : undefined;
    const isWhole =
      shape?.every((d) => typeof d === 'number') && shape.reduce((n, d) => n * d, 1) === elements?.length;
    return [new TensorType('float32', shape, isWhole ? elements : undefined)];
  },
  cost: FREE,
  roles: { setting: ['shape'] },
};

function filledShape(call: Call): Shape | undefined {
  const extra = call.ints('extra_shape') ?? [];
  const given = call.ints('shape');
  const asShape = call.int('input_as_shape', 0) !== 0;
  const base = given ?? (call.has(0) ? (asShape ? sizesFrom(call, 0) : call.shape(0)) : undefined);
  return base && [...base, ...extra].map((size) => checkSize(call, size));
}

/** Boxes and scores of images to the best ones: their number, boxes, scores and classes. */
const EfficientNms: Operator = {
  infer: (call): ValueType[] => {
    const boxes = shapeOfRank(call, 0, 3, 4);
    const most = positiveInt(call, 'max_output_boxes');
    const batch = boxes?.[0] ?? call.unknownSize(0, 0);
    const dtype = call.dtype(0);
    return [
      new TensorType('int32', [batch, 1]),
      new TensorType(dtype, [batch, most, 4]),
      new TensorType(dtype, [batch, most]),
      new TensorType('int32', [batch, most]),
    ];
  },
  cost: counted('1 per score; the number of compared boxes depends on the data', (call) => ({
    otherFlops: times(call.inputSize(1)),
  })),
  traits: { selects: true },
};

export const defaultDomainOperators: OperatorTable = withVersions(
  {
    /** alpha·x + beta. */
    Affine: activation(2),
    Crop,
    DynamicSlice: standard(sliceOperators, 'Slice', 10),
    EfficientNMS_TRT: EfficientNms,
    'TRT.EfficientNMS_TRT': EfficientNms,
    GivenTensorFill,
    /** scale·x + bias of the channel. */
    ImageScaler: activation(2),
    MemcpyFromHost: standard(reshapeOperators, 'Identity', 13),
    MemcpyToHost: standard(reshapeOperators, 'Identity', 13),
    /** alpha·log(1 + exp(beta·x)). */
    ParametricSoftplus: activation(5),
    Scale: activation(1),
    /** alpha·tanh(beta·x). */
    ScaledTanh: activation(3),
    SimplifiedLayerNormalization,
  },
  defaultDomainVersions,
);
