import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inferShapes } from '../analysis/infer.js';
import { tensor } from '../analysis/models.testing.js';
import { tensorNumbers } from '../graph/tensor.js';
import { formatType, isTensor } from '../graph/types.js';
import { decodeModel } from '../onnx/read.js';
import { inFloat16 } from './narrower-floats.js';
import { floats, graphAttribute, of, outputsOf, typedModel } from './outputs.testing.js';

it('computes nearly the same in float16, with inputs and outputs of float32', async () => {
  const file = readFileSync(new URL('../proxies/fixtures/vit.onnx', import.meta.url));
  const model = decodeModel(new Uint8Array(file));
  const { types, inputNames } = inferShapes(model).graph;
  const type = types.get(inputNames[0]!)!;
  const dims = isTensor(type) ? type.shape!.map((d) => (typeof d === 'number' ? d : 2)) : [];
  const count = dims.reduce((n, d) => n * d, 1);
  const feeds = {
    [inputNames[0]!]: floats(
      dims,
      Array.from({ length: count }, (_, i) => Math.sin(i)),
    ),
  };
  const half = inFloat16(model).model;
  expect(half.graph.inputs).toEqual(model.graph.inputs);
  const weights = [...half.graph.initializers.values()].filter(({ dtype }) => dtype === 'float32');
  expect(weights).toEqual([]);
  const [before, after] = [await outputsOf(model, feeds), await outputsOf(half, feeds)];
  for (const [name, numbers] of Object.entries(before)) {
    const largest = Math.max(...numbers.map(Math.abs));
    const difference = Math.max(...numbers.map((x, i) => Math.abs(x - after[name]![i]!)));
    expect(difference / largest).toBeLessThan(0.02);
    expect(difference).toBeGreaterThan(0);
  }
});

it('leaves float32 what takes no float16, and numbers that are too large are the largest', async () => {
  const body = { inputs: [], nodes: ['r = Mul(b, two)'], outputs: ['r'] };
  const model = typedModel({
    inputs: ['x: 1,1,2,2'],
    nodes: [
      'b = Add(x, huge)',
      'c = Resize(b, , scales)',
      'd = If(yes)',
      'e = Range(zero, two, one)',
      'f = Cast(d) to=1',
      'y = Add(f, e)',
      'z = Relu(c)',
    ],
    outputs: ['y', 'z'],
    initializers: [
      tensor('huge', [1, 1, 2, 1], [1e9, 2]),
      tensor('scales', [4], [1, 1, 2, 2]),
      tensor('zero', [], [0]),
      tensor('one', [], [1]),
      tensor('two', [], [2]),
      of('yes', 'bool', [], [1]),
    ],
    attributes: { d: { then_branch: graphAttribute(body), else_branch: graphAttribute(body) } },
  });
  const { model: half, changes } = inFloat16(model);
  expect(changes.map(({ what }) => what)).toEqual([
    '4 nodes compute in float16',
    "1 numbers of 'huge' are ±65504: they are too large",
    'stays float32',
    'stays float32',
  ]);
  const kept = changes.slice(2).map(({ operator }) => operator);
  expect(kept).toEqual(['If', 'Range']);
  expect(tensorNumbers(half.graph.initializers.get('huge/half')!)).toEqual([65504, 2]);
  expect(half.graph.initializers.get('scales')!.dtype).toBe('float32');
  expect(inferShapes(half).graph.outputTypes.map(formatType)).toEqual([
    'float32[1,1,2,2]',
    'float32[1,1,4,4]',
  ]);
  const { y, z } = await outputsOf(half, { x: floats([1, 1, 2, 2], [-4, -3, 1, 2]) });
  expect(z!.slice(8, 12)).toEqual([3, 3, 4, 4]);
  expect(y!.slice(2)).toEqual([6, 9]);
});

it('leaves a network without floats alone', () => {
  const model = typedModel({ inputs: ['x: 2'], nodes: ['y = Neg(x)'], outputs: ['y'] }, { x: 'int64' });
  expect(inFloat16(model)).toEqual({ model, changes: [] });
});
