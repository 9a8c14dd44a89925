import { describe, expect, it } from 'vitest';
import { type GraphText, graphOf, modelOf, tensor } from '../../analysis/models.testing.js';
import { inspectDocumentOf } from '../../app/documents/inspect.js';
import { type Inspected, inspectNetworks } from '../../app/inspect.js';
import type { Attribute, Model } from '../../graph/graph.js';
import { parseDim } from '../../graph/parse-dim.js';
import { listOf, OpenedModel } from '../../networks/index.js';
import { inspectionText } from './inspect.js';

function inspected(model: Model): Inspected {
  const network = new OpenedModel('net.onnx', undefined, () => model).at({});
  const [first] = [...inspectNetworks({ ...listOf([network]), name: () => 'net.onnx' })];
  if ('code' in first!.result) throw first!.result;
  return first!.result;
}

const textOf = (model: Model): string =>
  inspectionText(inspected(model), { file: 'net.onnx', nodes: false, tree: false });

const LEVELS = 16;

/** Every level halves the sides, which exporters name as PaddlePaddle does; a transposed convolution ends it. */
const PYRAMID: GraphText = {
  inputs: ['x: DynamicDimension.0,3,DynamicDimension.1,DynamicDimension.2'],
  nodes: [
    'x0 = Relu(x)',
    ...Array.from(
      { length: LEVELS },
      (_, i) => `x${i + 1} = Conv(x${i}, w) kernel_shape=3,3 strides=2,2 pads=1,1,1,1`,
    ),
    `y = ConvTranspose(x${LEVELS}, u) kernel_shape=2,2 strides=2,2`,
  ],
  outputs: ['y'],
  initializers: [tensor('w', [3, 3, 3, 3]), tensor('u', [3, 3, 2, 2])],
};

/** MACs of the convolutions, and of the transposed one, on images of so many pixels a side. */
function macsAt(pixels: number): { convolutions: number; transposed: number } {
  let [convolutions, side] = [0, pixels];
  for (let i = 0; i < LEVELS; i++) {
    side = Math.ceil(side / 2);
    convolutions += 3 * 3 * 9 * side ** 2;
  }
  return { convolutions, transposed: 3 * 3 * 4 * side ** 2 };
}

describe('inspect of a network with open sizes', () => {
  const document = inspectDocumentOf(inspected(modelOf(PYRAMID)), { file: 'net.onnx', tree: false });

  it('has formulas as totals, however long they are', () => {
    const { macs, flops } = document.totals;
    expect(String(macs).length).toBeGreaterThan(1000);
    expect(JSON.stringify(document)).not.toContain('size_');
    const sizes = new Map(['0', '1', '2'].map((i) => [`DynamicDimension.${i}`, i === '0' ? 1 : 96]));
    const { convolutions, transposed } = macsAt(96);
    expect(parseDim(String(macs), sizes)).toBe(convolutions + transposed);
    expect(parseDim(String(flops), sizes)).toBeGreaterThan(2 * (convolutions + transposed));
  });

  it('shows counts at sizes that make sense, with the flag, and shares of what is there', () => {
    const text = textOf(modelOf(PYRAMID));
    expect(text).toContain('Counts at --shape x=1x3x224x224');
    expect(text).not.toContain('depends on sizes');
    const { convolutions, transposed } = macsAt(224);
    const share = (100 * convolutions) / (convolutions + transposed);
    const row = text.split('\n').find((line) => /^ *Conv /.test(line));
    expect(Number(row!.match(/([\d.]+)%/)![1])).toBeCloseTo(share, 0);
    expect(share).toBeGreaterThan(99);
    expect(text.replace(/\s+/g, ' ')).toContain('Fix them, for example with --shape x=1x3x224x224');
  });
});

describe('inspect of a network whose sizes depend on the data', () => {
  const text: GraphText = {
    inputs: ['x: 4,8'],
    nodes: ['places = NonZero(x)', 'rows = Transpose(places) perm=1,0', 'y = Cast(rows) to=1'],
    outputs: ['y'],
  };

  it('names them and where they come from', () => {
    const { coverage, totals } = inspectDocumentOf(inspected(modelOf(text)), {
      file: 'net.onnx',
      tree: false,
    });
    expect(totals.activationBytes).toContain('places[1]');
    expect(coverage.dataSizes).toEqual([
      { symbol: 'places[1]', value: 'places', node: 'n_places', operator: 'NonZero', isDeclared: false },
    ]);
    expect(textOf(modelOf(text))).toContain('sizes that depend on the data: places[1] (NonZero)');
  });
});

it('says once that iterations are not known, for all nodes of a loop', () => {
  const body = graphOf({
    inputs: [],
    nodes: [
      'c = Identity(go)',
      ...Array.from({ length: 9 }, (_, i) => `r${i} = Relu(${i ? `r${i - 1}` : 'v'})`),
    ],
    outputs: ['c', 'r8'],
  });
  const inputs = modelOf({ inputs: ['i: ', 'go: ', 'v: 4'], nodes: [], outputs: [] }).graph.inputs;
  const loop: Attribute = { type: 'graph', value: { ...body, inputs } };
  const text = textOf(
    modelOf({
      inputs: ['trips: ', 'on: ', 'x: 4'],
      nodes: ['t = Cast(trips) to=7', 'o = Cast(on) to=9', 'y = Loop(t, o, x)'],
      outputs: ['y'],
      attributes: { y: { body: loop } },
    }),
  );
  expect(text.match(/number of iterations/g)).toHaveLength(1);
});
