import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import type { Attribute } from '../../../graph/graph.js';
import { parseDim } from '../../../graph/parse-dim.js';
import { isTensor, TensorType, UNKNOWN } from '../../../graph/types.js';
import { ByteRange } from '../../../util/bytes.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferTypes,
  input,
  known,
  knownScalar,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const range = (start: number, limit: number, delta: number) =>
  apply('Range', [knownScalar(start), knownScalar(limit), knownScalar(delta)]);

/** A tensor of one byte per element. */
const bytes = (...values: number[]): Attribute => ({
  type: 'tensor',
  value: {
    name: '',
    dtype: 'uint8',
    dims: [values.length],
    data: { kind: 'raw', bytes: ByteRange.of(Uint8Array.from(values)) },
  },
});

const CASES: readonly TestCase[] = [
  range(0, 5, 1),
  range(10, 4, -3),
  range(4, 10, -1),
  range(2, 9, 3),
  apply(
    'Range',
    [known([0], 'float32'), known([1], 'float32'), known([0.25], 'float32')].map((x) => ({ ...x, dims: [] })),
  ),
  apply('ConstantOfShape', [known([2, 3])]),
  apply('ConstantOfShape', [known([2, 3])], { value: bytes(7) }),
  apply('ConstantOfShape', [known([0, 3])]),
  apply('ConstantOfShape', [known([])]),
  apply('EyeLike', [float(2, 3)]),
  apply('EyeLike', [float(3, 3)], { k: -1, dtype: 7 }),
  apply('HannWindow', [knownScalar(10)], {}, { opset: 17 }),
  apply('HammingWindow', [knownScalar(10)], { periodic: 0, output_datatype: 11 }, { opset: 17 }),
  apply('BlackmanWindow', [knownScalar(10, 'int32')], {}, { opset: 17 }),
  apply(
    'MelWeightMatrix',
    [
      knownScalar(8),
      knownScalar(16),
      knownScalar(8192),
      knownScalar(0, 'float32'),
      knownScalar(4096, 'float32'),
    ],
    {},
    { opset: 17 },
  ),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['a step is 0', range(0, 1, 0), 'OP_INPUT'],
  [
    'types differ',
    apply('Range', [knownScalar(0), knownScalar(1, 'int32'), knownScalar(1)]),
    'TYPE_MISMATCH',
  ],
  [
    'a range has no end',
    apply(
      'Range',
      [0, Infinity, 1].map((x) => knownScalar(x, 'float32')),
    ),
    'OP_INPUT',
  ],
  [
    'a range is beyond counting',
    apply(
      'Range',
      [0, 1e30, 1e-30].map((x) => knownScalar(x, 'float64')),
    ),
    'OP_INPUT',
  ],
  ['a size is negative', apply('ConstantOfShape', [known([-1])]), 'OP_INPUT'],
  ['sizes are a matrix', apply('ConstantOfShape', [{ ...known([1, 2]), dims: [1, 2] }]), 'OP_INPUT'],
  ['there are two values', apply('ConstantOfShape', [known([1])], { value: bytes(1, 2) }), 'OP_ATTRIBUTE'],
  ['there is no matrix', apply('EyeLike', [float(2)]), 'SHAPE_MISMATCH'],
  ['there is no such type', apply('EyeLike', [float(2, 2)], { dtype: 99 }), 'OP_ATTRIBUTE'],
  ['a window is negative', apply('HannWindow', [knownScalar(-1)]), 'OP_INPUT'],
];

/** start, limit, step and how many. */
const SYMBOLIC: readonly [start: string, limit: string, delta: number, size: string][] = [
  ['0', 'n', 1, 'n'],
  ['past', 'past+seq', 1, 'seq'],
  ['0', 'n', 2, 'floor((n+1)/2)'],
  ['n', '0', -1, 'n'],
  ['0', 'n', 0.5, '2*n'],
];

describe('operators that generate', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it.each(SYMBOLIC)('a range from %s to %s by %s has %s elements', (start, limit, delta, size) => {
    const scalar = (text: string) => new TensorType('float32', [], [parseDim(text)]);
    const types = { x0: scalar(start), x1: scalar(limit), x2: new TensorType('float32', [], [delta]) };
    const model = modelOf(apply('Range', [float(), float(), float()]));
    expect(shapesOf(inferShapes(model, { types }).graph.outputTypes)).toEqual([`[${size}]`]);
  });

  it('knows a range with a symbolic start', () => {
    const scalar = (text: string) => new TensorType('int64', [], [parseDim(text)]);
    const types = { x0: scalar('n'), x1: scalar('n+3') };
    const ints = [input('int64', []), input('int64', []), knownScalar(2)];
    const [type] = inferShapes(modelOf(apply('Range', ints)), { types }).graph.outputTypes;
    expect(isTensor(type) && type.elements?.map(String)).toEqual(['n', 'n+2']);
  });

  it('fills shapes with symbols', () => {
    const model = modelOf(apply('ConstantOfShape', [input('int64', [2])]));
    const types = { x0: new TensorType('int64', [2], [parseDim('n'), 4]) };
    expect(shapesOf(inferShapes(model, { types }).graph.outputTypes)).toEqual(['[n,4]']);
    expect(shapesOf(inferShapes(model).graph.outputTypes)).toEqual(['[y0[0],y0[1]]']);
  });

  it('does not list the elements of what is large', () => {
    const [type] = inferTypes(range(0, 1e9, 1));
    expect(isTensor(type) && [type.shape, type.elements]).toEqual([[1e9], undefined]);
  });

  it.each(['Range', 'ConstantOfShape', 'EyeLike', 'HannWindow', 'MelWeightMatrix'])(
    '%s degrades beside the unknown',
    (op) => {
      const inputs = Array.from({ length: 5 }, () => input('int64', []));
      const types = Object.fromEntries(inputs.map((_, i) => [`x${i}`, UNKNOWN]));
      expect(() => inferShapes(modelOf(apply(op, inputs)), { types })).not.toThrow();
    },
  );

  it('counts what windows compute', () => {
    expect(costOf(apply('HannWindow', [knownScalar(10)]))).toEqual({ otherFlops: 40 });
  });
});
