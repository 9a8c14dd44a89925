import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import { expectSameAsOrt, inferTypes, known, modelOf, shapesOf, type TestCase } from '../../ort.testing.js';

const rows = { ...known([2, 1, 0, 5, 2, 1]), dims: [3, 2] };
const all = { outputs: 4 };

const CASES: readonly TestCase[] = [
  apply('Unique', [known([2, 1, 1, 3, 4, 3])], {}, all),
  apply('Unique', [known([2, 1, 1, 3, 4, 3])], { sorted: 0 }, all),
  apply('Unique', [rows], {}, all),
  apply('Unique', [rows], { axis: 0 }, all),
  apply('Unique', [rows], { axis: 0, sorted: 0 }, all),
  apply('Unique', [rows], { axis: -1 }, { outputs: 2 }),
];

describe('Unique', () => {
  it.each(CASES)('gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it('tells how many there are only when they are known', () => {
    expect(shapesOf(inferTypes(apply('Unique', [float(2, 3)], {}, all)))).toEqual([
      '[y0[0]]',
      '[y0[0]]',
      '[6]',
      '[y0[0]]',
    ]);
    expect(shapesOf(inferTypes(apply('Unique', [float(2, 3)], { axis: 1 }, all)))).toEqual([
      '[2,y0[1]]',
      '[y0[1]]',
      '[3]',
      '[y0[1]]',
    ]);
  });

  it('degrades when its input is unknown', () => {
    const model = modelOf(apply('Unique', [float(2)], { axis: 1 }, all));
    const { graph } = inferShapes(model, { types: { x0: UNKNOWN } });
    expect(shapesOf(graph.outputTypes)).toEqual(['[?]', '[y1[0]]', '[y2[0]]', '[y3[0]]']);
  });

  it('counts one FLOP per element', () => {
    expect(costOf(apply('Unique', [float(2, 3)]))).toEqual({ otherFlops: 6 });
  });
});
