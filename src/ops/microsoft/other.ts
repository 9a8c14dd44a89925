// What remains: tensors taken apart and put together, texts, and operators of ai.onnx that this domain had first.
import { add, type Dim, floorDivide, isKnown, subtract } from '../../graph/dim.js';
import { TensorType, type ValueType } from '../../graph/types.js';
import { positiveInt, shapeOfRank, shapeOfRankFrom } from '../arguments.js';
import { counted, FREE, perInput, times } from '../cost.js';
import { checkRank, checkSize, PARTIAL_READ } from '../families/arrays/data-movement.js';
import { gatherOperators } from '../families/arrays/gather.js';
import { generateOperators } from '../families/arrays/generate.js';
import { imageOperators } from '../families/arrays/image.js';
import { padOperators } from '../families/arrays/pad.js';
import { rearrangeOperators } from '../families/arrays/rearrange.js';
import { reshapeOperators } from '../families/arrays/reshape.js';
import { uniqueOperators } from '../families/arrays/unique.js';
import { expectInteger, type Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { standard } from './standard.js';

/** The step is 1 unless given. */
const Range = standard(generateOperators, 'Range', 11, (call) => [
  call.input(0),
  call.input(1),
  call.input(2) ?? new TensorType(call.dtype(0), [], [1]),
]);

/** Pads may come as one row, (1, 2·rank). */
const Pad = standard(padOperators, 'Pad', 13, (call) => {
  const pads = call.tensor(1);
  const flat = new TensorType(
    pads.dtype,
    pads.shape?.slice(-1),
    pads.mayBeKnown ? () => pads.elements : undefined,
  );
  return [call.input(0), flat, call.input(2)];
});

/** In the order of their first occurrence: the distinct elements, where each element is, how often they occur. */
const Unique: Operator = {
  infer: (call) => {
    const { dtype, size } = call.tensor(0);
    shapeOfRank(call, 0, 1);
    const count = call.unknownSize(0, 0);
    return [
      new TensorType(dtype, [count]),
      new TensorType('int64', [size ?? call.unknownSize(1, 0)]),
      new TensorType('int64', [count]),
    ];
  },
  cost: standard(uniqueOperators, 'Unique', 11).cost,
};

/** A new dimension of size 1 at `axis`. */
const ExpandDims: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    expectInteger(call, 1);
    const axis = call.scalar(1);
    if (x.shape === undefined) return [new TensorType(x.dtype, undefined)];
    const rank = checkRank(call, x.shape.length + 1);
    if (!isKnown(axis)) {
      return [
        new TensorType(
          x.dtype,
          Array.from({ length: rank }, (_, i) => call.unknownSize(0, i)),
        ),
      ];
    }
    const shape = x.shape.toSpliced(call.axis(axis, rank), 0, 1);
    return [new TensorType(x.dtype, shape, x.mayBeKnown ? () => x.elements : undefined)];
  },
  cost: FREE,
  roles: { setting: ['axis'] },
  traits: { moves: 'shape', isView: true },
};

/** All windows of `size` elements, `step` apart, along `dim`: (…, windows, …, size). */
const UnfoldTensor: Operator = {
  infer: (call) => {
    const shape = shapeOfRankFrom(call, 0, 1);
    const dtype = call.dtype(0);
    const [size, step] = [positiveInt(call, 'size'), positiveInt(call, 'step')];
    if (shape === undefined) return [new TensorType(dtype, undefined)];
    const axis = call.axis(call.int('dim', -1), shape.length, 'dim');
    const length = shape[axis]!;
    if (isKnown(length) && length < size) call.fail(`a window of ${size} does not fit into [${shape}]`);
    const windows = add(floorDivide(subtract(length, size), step), 1);
    return [new TensorType(dtype, [...shape.with(axis, windows), size])];
  },
  cost: FREE,
};

/** Tokens (B, S, H) without padding, (tokens, H), with where they were (B, S), lengths (B + 1), the longest. */
const RemovePadding: Operator = {
  infer: (call): ValueType[] => {
    const shape = shapeOfRank(call, 0, 3);
    const [batch, length, hidden] = shape ?? [];
    const dtype = call.dtype(0);
    return [
      new TensorType(dtype, hidden === undefined ? undefined : [call.unknownSize(0, 0), hidden]),
      new TensorType('int32', batch === undefined ? undefined : [batch, length!]),
      new TensorType('int32', batch === undefined ? undefined : [add(batch, 1)]),
      new TensorType('int32', [1]),
    ];
  },
  cost: FREE,
  roles: { setting: ['sequence_token_count'] },
};

/** (tokens, H) back to (B, S, H). */
const RestorePadding: Operator = {
  infer: (call) => {
    const [tokens, places] = [shapeOfRank(call, 0, 2), shapeOfRank(call, 1, 2)];
    return [new TensorType(call.dtype(0), tokens && places ? [...places, tokens[1]!] : undefined)];
  },
  cost: FREE,
  roles: { setting: ['token_offset'] },
};

/** Rows of a table. */
const TorchEmbedding: Operator = {
  infer: (call) => {
    const table = shapeOfRank(call, 0, 2);
    const indices = call.shape(1);
    return [new TensorType(call.dtype(0), table && indices ? [...indices, table[1]!] : undefined)];
  },
  cost: PARTIAL_READ,
  roles: { weight: ['weight'], data: ['indices'], others: 'setting' },
};

/** Regions of images (N, C, H, W), each resized to `crop_size`: (regions, C, height, width). */
const CropAndResize: Operator = {
  infer: (call) => {
    const channels = shapeOfRank(call, 0, 4)?.[1];
    const regions = shapeOfRank(call, 1, 2)?.[0] ?? shapeOfRank(call, 2, 1)?.[0];
    const sizes = call.elements(3);
    if (sizes !== undefined && sizes.length !== 2)
      call.fail(`crop_size [${sizes}] is not two sizes`, 'OP_INPUT');
    const size = (i: number): Dim => (sizes ? checkSize(call, sizes[i]!) : call.unknownSize(0, i + 2));
    const shape = [regions ?? call.unknownSize(0, 0), channels ?? call.unknownSize(0, 1), size(0), size(1)];
    return [new TensorType(call.dtype(0), shape)];
  },
  cost: counted('7 per output element to interpolate, none for the nearest', (call) => ({
    otherFlops: call.string('mode', 'bilinear') === 'nearest' ? 0 : times(call.outputSize(), 7),
  })),
  roles: { setting: ['batch_indices', 'crop_size'] },
};

/** A 32-bit hash of every element, signed if it may be negative. */
const MurmurHash3: Operator = {
  infer: (call) => {
    const dtype = call.int('positive', 1) === 0 ? 'int32' : 'uint32';
    return [new TensorType(dtype, call.shape(0))];
  },
  cost: perInput(8),
};

/** Texts (…) to their tokens (…, most tokens of any), padded. */
const Tokenizer: Operator = {
  infer: (call) => {
    const shape = shapeOfRank(call, 0, 1, 2);
    return [new TensorType('string', shape && [...shape, call.unknownSize(0, shape.length)])];
  },
  cost: FREE,
};

export const otherOperators: OperatorTable = {
  CropAndResize,
  ExpandDims,
  GatherND: standard(gatherOperators, 'GatherND', 11),
  GridSample: standard(imageOperators, 'GridSample', 16),
  MurmurHash3,
  Pad: Pad,
  Range,
  RemovePadding,
  RestorePadding,
  SampleOp: standard(reshapeOperators, 'Identity', 13),
  Tokenizer,
  TorchEmbedding,
  Trilu: standard(rearrangeOperators, 'Trilu', 14),
  UnfoldTensor,
  Unique,
};
