import { expect, it } from 'vitest';
import { cost } from './cost.js';
import { inferShapes } from './infer.js';
import { modelOf, tensor } from './models.testing.js';

/** A convolution and a scale that PyTorch's exporter wrote, with its list of parameters. */
function exported(bias: string, scale: string): number {
  const model = modelOf({
    inputs: ['x: 1,3,8,8'],
    nodes: [`c = Conv(x, conv.weight, ${bias})`, `y = Mul(c, ${scale})`],
    outputs: ['y'],
    initializers: [tensor('conv.weight', [4, 3, 1, 1]), tensor(bias, [4]), tensor(scale, [4, 1, 1])],
  });
  const signature = "p_conv_weight: PARAMETER target='conv.weight'\np_g: PARAMETER target='gamma'\n";
  const metadata = new Map([['pkg.torch.export.ExportedProgram.graph_signature', signature]]);
  return cost(inferShapes({ ...model, graph: { ...model.graph, metadata } })).totals.parameters as number;
}

it('knows parameters by the list that the exporter wrote', () => {
  expect(exported('conv.bias', 'gamma')).toBe(12 + 4);
  expect(exported('conv.bias', 'other')).toBe(12);
});

it('counts the bias that a batch normalisation became', () => {
  expect(exported('conv.weight_bias', 'gamma')).toBe(12 + 4 + 4);
});
