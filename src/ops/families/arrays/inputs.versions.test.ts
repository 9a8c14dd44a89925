// Attributes that became inputs: operators that only move data.
import { describe, expect, it } from 'vitest';
import type { Attribute } from '../../../graph/graph.js';
import { withOpset } from '../../../transform/opset.js';
import { attributesOf, input, known, knownScalar, modelOf, type TestCase } from '../../ort.testing.js';
import { expectSameIn, ramp, resultsOf } from '../../versions.testing.js';

const x = ramp([2, 3, 4]);
const floats = (...value: number[]): Attribute => ({ type: 'floats', value });
const float = (value: number): Attribute => ({ type: 'float', value });

describe('upgraded', () => {
  it.each<[string, TestCase]>([
    [
      'Squeeze',
      { op: 'Squeeze', opset: 11, inputs: [ramp([2, 1, 3, 1])], attributes: attributesOf({ axes: [1, -1] }) },
    ],
    ['Squeeze of all', { op: 'Squeeze', opset: 11, inputs: [ramp([2, 1, 3, 1])] }],
    ['Unsqueeze', { op: 'Unsqueeze', opset: 9, inputs: [x], attributes: attributesOf({ axes: [0, 2] }) }],
    [
      'Slice',
      {
        op: 'Slice',
        opset: 9,
        inputs: [x],
        attributes: attributesOf({ starts: [0, 1], ends: [1, -1], axes: [0, 2] }),
      },
    ],
    [
      'Slice to the end',
      {
        op: 'Slice',
        opset: 9,
        inputs: [x],
        attributes: { ...attributesOf({ starts: [1] }), ends: { type: 'ints', value: [2n ** 63n - 1n] } },
      },
    ],
    ['TopK', { op: 'TopK', opset: 9, inputs: [x], attributes: attributesOf({ k: 2 }), outputs: 2 }],
    ['Pad', { op: 'Pad', opset: 10, inputs: [x], attributes: attributesOf({ pads: [0, 1, 0, 0, 0, 2] }) }],
    [
      'Pad with a value',
      {
        op: 'Pad',
        opset: 9,
        inputs: [x],
        attributes: { ...attributesOf({ pads: [0, 1, 0, 0, 0, 2] }), value: float(7) },
      },
    ],
    [
      'Pad by reflection',
      {
        op: 'Pad',
        opset: 9,
        inputs: [x],
        attributes: attributesOf({ pads: [0, 1, 0, 0, 0, 2], mode: 'reflect' }),
      },
    ],
    [
      'Split',
      {
        op: 'Split',
        opset: 11,
        inputs: [x],
        attributes: attributesOf({ axis: 2, split: [1, 3] }),
        outputs: 2,
      },
    ],
    ['Split in equal parts', { op: 'Split', opset: 2, inputs: [x], outputs: 2 }],
    [
      'Split since 13',
      { op: 'Split', opset: 13, inputs: [x], attributes: attributesOf({ axis: 1 }), outputs: 3 },
    ],
    ['Scatter', { op: 'Scatter', opset: 9, inputs: [x, input('int64', [1, 3, 4]), ramp([1, 3, 4])] }],
    ['Dropout', { op: 'Dropout', opset: 7, inputs: [x], attributes: { ratio: float(0.3) } }],
    ['Dropout since 10', { op: 'Dropout', opset: 10, inputs: [x] }],
    ['ArgMax', { op: 'ArgMax', opset: 9, inputs: [x], attributes: attributesOf({ axis: 1 }) }],
    [
      'DepthToSpace',
      {
        op: 'DepthToSpace',
        opset: 10,
        inputs: [ramp([1, 8, 2, 2])],
        attributes: attributesOf({ blocksize: 2 }),
      },
    ],
    ['Cast', { op: 'Cast', opset: 9, inputs: [x], attributes: attributesOf({ to: 7 }) }],
    ['Gemm', { op: 'Gemm', opset: 9, inputs: [ramp([2, 3]), ramp([3, 4]), ramp([4])] }],
    [
      'Upsample',
      { op: 'Upsample', opset: 7, inputs: [ramp([1, 1, 2, 3])], attributes: { scales: floats(1, 1, 2, 3) } },
    ],
    [
      'Upsample by lines',
      {
        op: 'Upsample',
        opset: 9,
        inputs: [ramp([1, 1, 2, 3]), { ...known([1, 1, 2, 2], 'float32') }],
        attributes: attributesOf({ mode: 'linear' }),
      },
    ],
    [
      'Resize up',
      { op: 'Resize', opset: 10, inputs: [ramp([1, 1, 3, 3]), known([1, 1, 2, 1.7], 'float32')] },
    ],
    [
      'Resize down',
      { op: 'Resize', opset: 10, inputs: [ramp([1, 1, 6, 7]), known([1, 1, 0.5, 0.6], 'float32')] },
    ],
    [
      'Resize both ways',
      { op: 'Resize', opset: 10, inputs: [ramp([1, 1, 6, 7]), known([1, 1, 0.6, 1.5], 'float32')] },
    ],
    [
      'Resize by lines',
      {
        op: 'Resize',
        opset: 10,
        inputs: [ramp([1, 1, 4, 4]), known([1, 1, 0.6, 1.5], 'float32')],
        attributes: attributesOf({ mode: 'linear' }),
      },
    ],
    [
      'Resize to sizes',
      {
        op: 'Resize',
        opset: 11,
        inputs: [ramp([1, 1, 4, 4]), known([], 'float32'), known([], 'float32'), known([1, 1, 6, 3])],
      },
    ],
    [
      'GridSample',
      {
        op: 'GridSample',
        opset: 16,
        inputs: [ramp([1, 1, 3, 3]), ramp([1, 2, 2, 2])],
        attributes: attributesOf({ mode: 'bicubic' }),
      },
    ],
    ['DFT', { op: 'DFT', opset: 17, inputs: [ramp([1, 5, 1])] }],
  ])('%s', async (_, test) => {
    await expectSameIn(test.opset! < 13 ? 13 : 18, test);
    await expectSameIn(21, test);
  });

  it('Dropout gives its mask in the type of its input', async () => {
    const { model } = withOpset(modelOf({ op: 'Dropout', opset: 7, inputs: [x], outputs: 2 }), 21);
    expect(model.graph.nodes.map((node) => node.opType)).toEqual(['Dropout', 'Cast']);
    const [y, mask] = await resultsOf(model, [x]);
    expect(y!.data).toEqual(Float32Array.from(x.values!));
    expect(mask!.data).toEqual(new Float32Array(24).fill(1));
  });

  // Versions that ONNX Runtime does not run any more.
  it.each<[string, TestCase, number[]]>([
    [
      'Reshape',
      { op: 'Reshape', opset: 1, inputs: [ramp([2, 3])], attributes: attributesOf({ shape: [3, -1] }) },
      [3, 2],
    ],
    [
      'Pad',
      { op: 'Pad', opset: 1, inputs: [ramp([2])], attributes: attributesOf({ paddings: [1, 2] }) },
      [5],
    ],
    ['Concat', { op: 'Concat', opset: 1, inputs: [ramp([2, 3]), ramp([2, 1])] }, [2, 4]],
    ['Tile', { op: 'Tile', opset: 1, inputs: [ramp([2, 3]), knownScalar(4), knownScalar(1)] }, [2, 12]],
    ['Cast', { op: 'Cast', opset: 1, inputs: [ramp([2])], attributes: attributesOf({ to: 'INT64' }) }, [2]],
    [
      'Upsample',
      {
        op: 'Upsample',
        opset: 1,
        inputs: [ramp([1, 1, 2, 2])],
        attributes: { height_scale: float(2), width_scale: float(3) },
      },
      [1, 1, 4, 6],
    ],
  ])('%s of opset 1', async (_, test, dims) => {
    const { model } = withOpset(modelOf(test), 21);
    expect((await resultsOf(model, test.inputs))[0]!.dims).toEqual(dims);
  });
});

describe('downgraded', () => {
  it.each<[string, TestCase]>([
    [
      'Split in unequal parts',
      {
        op: 'Split',
        opset: 18,
        inputs: [ramp([5])],
        attributes: attributesOf({ num_outputs: 2 }),
        outputs: 2,
      },
    ],
    [
      'Pad of one axis',
      { op: 'Pad', opset: 18, inputs: [x, known([1, 2]), knownScalar(7, 'float32'), known([-1])] },
    ],
    [
      'Resize of one axis',
      {
        op: 'Resize',
        opset: 18,
        inputs: [x, null, known([2], 'float32')],
        attributes: attributesOf({ axes: [2] }),
      },
    ],
    [
      'Resize of one axis to a size',
      {
        op: 'Resize',
        opset: 19,
        inputs: [x, null, null, known([5])],
        attributes: attributesOf({ axes: [1] }),
      },
    ],
    [
      'Reshape',
      { op: 'Reshape', opset: 21, inputs: [x, known([6, 4])], attributes: attributesOf({ allowzero: 0 }) },
    ],
  ])('%s', async (_, test) => {
    await expectSameIn(13, test);
  });

  it.each<[string, TestCase, RegExp]>([
    [
      'an operator that came later',
      { op: 'Gelu', opset: 20, inputs: [x] },
      /opset 19: the operator does not exist/,
    ],
    [
      'an attribute that came later',
      { op: 'Shape', opset: 15, inputs: [x], attributes: attributesOf({ start: 1 }) },
      /opset 14: there is no attribute 'start'/,
    ],
  ])('refuses %s', (_, test, message) => {
    expect(() => withOpset(modelOf(test), 13)).toThrow(message);
  });
});
