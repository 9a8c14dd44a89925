// The gradient of a convolution's weights as one node, `auspex.ConvWeightGradient(X, dY)`, for graphs that are to be
// differentiated again: its gradients are a convolution each, those of the dozens of nodes it is written with are dozens more.
// No runtime has it; `gradients` takes it apart when nothing more is to be differentiated.
import { isKnown } from '../../../graph/dim.js';
import { isTensor, type Shape, TensorType } from '../../../graph/types.js';
import type { Value } from '../../build.js';
import { counted, times } from '../../cost.js';
import type { Expansion } from '../../gradient.js';
import { type Call, type Operator, OWN_DOMAIN } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { sizeOf } from '../arrays/data-movement.js';
import { inputGradient } from './conv.gradient.js';
import { WEIGHT_GRADIENT, writtenWeightGradient } from './conv-weights.gradient.js';
import type { Convolution } from './placed-convolution.js';
import { convolve, type PlacedAxis, sizesAfterBatch } from './window.gradient.js';

function convolutionOf({ call }: Expansion, x: Value, dy: Value): Convolution {
  const [channels, ...sizes] = sizesAfterBatch(x) as [number, ...number[]];
  const [filters, ...positions] = sizesAfterBatch(dy) as [number, ...number[]];
  const [kernel, stride, dilation, begin, end] = ['kernel', 'stride', 'dilation', 'begin', 'end'].map(
    (name) => call.ints(name)!,
  ) as [number[], number[], number[], number[], number[]];
  const axes = sizes.map(
    (size, i): PlacedAxis => ({
      kernel: kernel[i]!,
      stride: stride[i]!,
      dilation: dilation[i]!,
      span: (kernel[i]! - 1) * dilation[i]! + 1,
      begin: begin[i]!,
      end: end[i]!,
      size,
      positions: positions[i]!,
    }),
  );
  return { axes, kernel, kernelSize: sizeOf(kernel), group: call.int('group', 1), channels, filters };
}

function firstShape({ outputs: [type] }: Call): Shape | undefined {
  return isTensor(type) ? type.shape : undefined;
}

const ConvWeightGradient: Operator = {
  infer: (call) => {
    const [channels, filters] = [call.shape(0)?.[1], call.shape(1)?.[1]];
    const kernel = call.required(call.ints('kernel'), 'kernel');
    const group = call.int('group', 1);
    const isComplete = isKnown(channels) && isKnown(filters);
    if (isComplete && channels % group !== 0) {
      call.fail(`${channels} channels are not a multiple of group ${group}`, 'OP_ATTRIBUTE');
    }
    const dims = isComplete ? [filters, channels / group, ...kernel] : undefined;
    return [new TensorType(call.dtype(0), dims)];
  },
  cost: counted('MACs elements of dY · C/group · kernel elements', (call) => ({
    macs: times(call.inputSize(1), ...(firstShape(call)?.slice(1) ?? [undefined])),
  })),
  gradient: (g) => {
    const [x, dy, dw] = [g.input(0), g.input(1), g.dy];
    const conv = convolutionOf(g, x, dy);
    return [
      g.when(0, () => inputGradient(conv, dy, dw)),
      g.when(1, () => convolve(x, dw, conv.axes, conv.group)),
    ];
  },
  decompose: (node) => {
    const [x, dy] = [node.input(0), node.input(1)];
    return [writtenWeightGradient(convolutionOf(node, x, dy), x, dy)];
  },
};

export const ownOperators: OperatorTable = { [`${OWN_DOMAIN}.${WEIGHT_GRADIENT}`]: ConvWeightGradient };
