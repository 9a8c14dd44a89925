import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { symbol } from '../../../graph/dim.js';
import { TensorType } from '../../../graph/types.js';
import { apply, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  knownScalar,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const table = { ...known([1, 2, 3, 4, 5, 6]), dims: [2, 3] };

const CASES: readonly TestCase[] = [
  apply('Pad', [float(2, 3), known([0, 2, 1, 0])]),
  apply('Pad', [float(4, 3), known([-1, 0, -2, 1])]),
  apply('Pad', [float(2, 3), known([0, 2, 0, 2])], { mode: 'reflect' }),
  apply('Pad', [float(2, 3), known([1, 4, 0, 0])], { mode: 'edge' }),
  apply('Pad', [float(2, 3, 4), known([1, 2, 3, 4]), null, known([-1, 0])]),
  apply(
    'Pad',
    [float(2, 3, 4), known([1, 2]), input('float32', []), known([1])],
    { mode: 'wrap' },
    { opset: 19 },
  ),
  apply('Pad', [float(2), known([1, 1]), input('float32', [])], {}, { opset: 11 }),
  apply('Pad', [float(2, 3)], { pads: [0, 1, 0, 1] }, { opset: 10 }),
  apply('Pad', [table, known([0, 1, 1, 0])]),
  apply('Pad', [table, known([-1, 1, 0, 0]), knownScalar(9)]),
  apply('CenterCropPad', [float(5, 4), known([3, 9])]),
  apply('CenterCropPad', [float(5, 4, 3), known([8])], { axes: [-1] }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['pads are missing', apply('Pad', [float(2, 3), known([1, 1])]), 'SHAPE_MISMATCH'],
  ['more is cut off than there is', apply('Pad', [float(2), known([-2, -1])]), 'SHAPE_MISMATCH'],
  ['there is no such mode', apply('Pad', [float(2), known([0, 0])], { mode: 'mirror' }), 'OP_ATTRIBUTE'],
  ['pads are no integers', apply('Pad', [float(2), known([0, 0], 'float32')]), 'OP_INPUT'],
  ['a pad is beyond counting', apply('Pad', [float(2), known([0, 2 ** 60])]), 'OP_INPUT'],
  [
    'an axis occurs twice',
    apply('Pad', [float(2), known([1, 1, 1, 1]), null, known([0, -1])]),
    'SHAPE_MISMATCH',
  ],
  ['sizes are missing', apply('CenterCropPad', [float(5, 4), known([3])]), 'SHAPE_MISMATCH'],
  ['a size is negative', apply('CenterCropPad', [float(5), known([-3])]), 'OP_INPUT'],
];

describe('Pad and CenterCropPad', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('pads symbolic sizes, and by symbolic amounts', () => {
    const test = apply('Pad', [float(1, 1), known([0, 1, 0, 2])]);
    expect(shapesOf(inferSymbolic(test, { 0: ['n', 'w'] }))).toEqual(['[n,w+3]']);
    const types = { x1: new TensorType('int64', [4], [0, symbol('p'), 0, symbol('p')]) };
    const model = modelOf(apply('Pad', [float(1, 5), input('int64', [4])]));
    expect(shapesOf(inferShapes(model, { types }).graph.outputTypes)).toEqual(['[1,2*p+5]']);
  });

  it('leaves open what unknown inputs decide', () => {
    const list = input('int64', [2]);
    expect(shapesOf(inferTypes(apply('Pad', [float(2, 3), list, null, known([1])])))).toEqual(['[2,y0[1]]']);
    expect(shapesOf(inferTypes(apply('Pad', [float(2, 3), list, null, list])))).toEqual(['[y0[0],y0[1]]']);
    expect(
      shapesOf(inferTypes(apply('CenterCropPad', [float(2, 3), input('int64', [1])], { axes: [1] }))),
    ).toEqual(['[2,y0[1]]']);
  });

  it('reads the first name of its attribute', () => {
    const test = apply('Pad', [float(2, 3)], { paddings: [0, 1, 0, 1] }, { opset: 1 });
    expect(shapesOf(inferTypes(test))).toEqual(['[2,5]']);
  });
});
