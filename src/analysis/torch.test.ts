import { expect, it } from 'vitest';
import type { ValueInfo } from '../graph/graph.js';
import { UNKNOWN } from '../graph/types.js';
import { findConstants } from './constants.js';
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

it('counts a table once that was folded into two constants, or repeated for every sample', () => {
  const folded = (name: string, from: string): [string, ValueInfo] => [
    name,
    { name, type: UNKNOWN, metadata: new Map([['pkg.onnxscript.optimizer.folded_from', `['${from}']`]]) },
  ];
  const model = modelOf({
    inputs: ['x: 2,8,8'],
    nodes: ['a = MatMul(x, turned)', 'b = Add(a, table)', 'c = Add(b, token)', 'y = MatMul(c, again)'],
    outputs: ['y'],
    initializers: [
      tensor('table', [8, 8]),
      ...['turned', 'again'].map((name) => tensor(name, [8, 8])),
      tensor(
        'token',
        [2, 1, 8],
        Array.from({ length: 16 }, (_, i) => i % 8),
      ),
    ],
  });
  const signature = "t: PARAMETER target='table'\nc: PARAMETER target='cls'\nw: PARAMETER target='w'\n";
  const graph = {
    ...model.graph,
    metadata: new Map([['pkg.torch.export.ExportedProgram.graph_signature', signature]]),
    valueInfo: new Map([folded('turned', 'table'), folded('token', 'cls'), folded('again', 'w')]),
  };
  const kinds = findConstants(inferShapes({ ...model, graph })).map(({ name, kind, parameters }) => [
    name,
    kind,
    parameters,
  ]);
  expect(kinds).toEqual([
    ['table', 'parameter', 64],
    ['turned', 'tied', 0],
    ['again', 'parameter', 64],
    ['token', 'parameter', 8],
  ]);
});
