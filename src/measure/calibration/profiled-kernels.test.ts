import { expect, it } from 'vitest';
import '../../ops/index.js';
import { inferShapes } from '../../analysis/infer.js';
import { planKernels } from '../../analysis/kernels/plan.js';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { kernelNumbers } from '../../predictors/devices/kernels/class.js';
import { profiledKernels } from './profiled-kernels.js';

it('are the same for integer convolutions, whose images have channels last, as told from the graph', () => {
  const quantised = modelOf({
    inputs: ['x: 1,8,16,16'],
    nodes: [
      'xq = QuantizeLinear(x, s, z)',
      'xf = DequantizeLinear(xq, s, z)',
      'wf = DequantizeLinear(w, s, wz)',
      'c = Conv(xf, wf) strides=2,2 pads=1,1,1,1',
      'q = QuantizeLinear(c, s, z)',
      'y = DequantizeLinear(q, s, z)',
    ],
    outputs: ['y'],
    initializers: [
      tensor('s', [], [0.1]),
      tensor('z', [], [0], 'uint8'),
      tensor('wz', [], [0], 'int8'),
      tensor('w', [24, 8, 3, 3], undefined, 'int8'),
    ],
  });
  const { kernels } = planKernels(inferShapes(quantised), { blockChannels: 16 });
  const planned = kernels.find(({ operator }) => operator === 'QLinearConv');
  // As ONNX Runtime's profile tells them: x, its scale and zero point, weights with theirs, those of y.
  const time = {
    operator: 'QLinearConv',
    inputs: [[1, 16, 16, 8], [], [], [24, 8, 3, 3], [], [], [], []],
    outputs: [[1, 8, 8, 24]],
    quickMs: 0.5,
    calls: 1,
  };
  const [measured] = profiledKernels([time as never], 16);
  expect(kernelNumbers(measured!.kernel)).toEqual(kernelNumbers(planned!));
});
