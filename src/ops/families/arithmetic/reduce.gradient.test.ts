import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  ints,
  titled,
} from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

const REDUCTIONS = [
  'ReduceL1',
  'ReduceL2',
  'ReduceLogSum',
  'ReduceLogSumExp',
  'ReduceMax',
  'ReduceMean',
  'ReduceMin',
  'ReduceProd',
  'ReduceSum',
  'ReduceSumSquare',
];

/** Distinct positive numbers, none near another. */
function apart(...dims: number[]): GradientInput {
  const { values } = between(0, 0.02, dims);
  return { dims, values: values!.map((x, i) => 0.4 + x + ((i * 7) % values!.length) * 0.05) };
}

function given(dims: readonly number[], values: readonly number[]): GradientInput {
  return { dims, values };
}

/** A reduction over some axes, in the form its opset has; over all where none are given. */
function reduction(
  op: string,
  x: GradientInput,
  axes: readonly number[] | undefined,
  keepdims: 0 | 1,
  opset = 21,
): GradientCase {
  const asInput = opset >= (op === 'ReduceSum' ? 13 : 18);
  const attributes = { keepdims, ...(axes && !asInput ? { axes } : {}) };
  return { op, inputs: axes && asInput ? [x, ints(axes)] : [x], attributes, opset };
}

describe.each(REDUCTIONS)('%s', (op) => {
  it.each(
    titled([
      reduction(op, apart(2, 3), undefined, 1),
      reduction(op, apart(2, 3), undefined, 0, 13),
      reduction(op, apart(2, 3, 2), [1], 1, 13),
      reduction(op, apart(2, 3, 2), [-1, 0], 0),
      { op, inputs: [apart(2, 3)], attributes: { noop_with_empty_axes: 1 } },
    ]),
  )('%s', (_, test) => expectGradient({ ...test, second: true }));
});

describe('reductions', () => {
  it('over any axes of any shape', async () => {
    const cases = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }).chain((dims) =>
      fc.record({
        op: fc.constantFrom(...REDUCTIONS),
        dims: fc.constant(dims),
        axes: fc.subarray([...dims.keys()]).map((axes) => axes.map((a) => (a % 2 ? a - dims.length : a))),
        keepdims: fc.constantFrom<0 | 1>(0, 1),
        opset: fc.constantFrom(13, 17, 18, 21),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, ({ op, dims, axes, keepdims, opset }) =>
        expectGradient(reduction(op, apart(...dims), axes.length > 0 ? axes : undefined, keepdims, opset)),
      ),
      { numRuns: 15 },
    );
  });

  it('of products with zeros', async () => {
    const rows = given([4, 3], [2, 3, 4, 0, 3, 4, 0, 3, 0, 0, 0, 0]);
    await expectGradient({ ...reduction('ReduceProd', rows, [1], 0), second: true });
    const { x0 } = await gradientsAt(reduction('ReduceProd', rows, [1], 0));
    expect(x0).toEqual([12, 8, 6, 12, 0, 0, 0, 0, 0, 0, 0, 0]);
    await expectGradient(reduction('ReduceProd', given([2, 2], [0, 2, 3, 4]), undefined, 1));
  });

  it('share among ties, and of a norm of 0 have none, as in PyTorch', async () => {
    const tied = given([4], [1, 3, 3, 2]);
    expect((await gradientsAt(reduction('ReduceMax', tied, [0], 0))).x0).toEqual([0, 0.5, 0.5, 0]);
    const zeros = given([2, 2], [0, 0, 3, 4]);
    expect((await gradientsAt(reduction('ReduceL2', zeros, [1], 0))).x0).toEqual([0, 0, 3 * (1 / 5), 0.8]);
  });

  it.each([
    ['ReduceMean', [1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6]],
    ['ReduceSum', [1, 1, 1, 1, 1, 1]],
    ['ReduceMax', [0, 0, 0, 0, 0.5, 0.5]],
  ])('%s over sizes that are not known', async (op, expected) => {
    const x: GradientInput = { dims: [2, 3], values: [1, 2, 3, 4, 5, 5], shape: ['batch', '3'] };
    expect((await gradientsAt(reduction(op, x, undefined, 0))).x0).toEqual(expected);
  });

  it('need axes that are known, unless all dimensions stay', async () => {
    const axes: GradientInput = { dtype: 'int64', dims: [1], values: [1] };
    const sum = (op: string, keepdims: number) =>
      gradientsAt({ op, inputs: [apart(2, 2), axes], attributes: { keepdims } });
    expect((await sum('ReduceSum', 1)).x0).toEqual([1, 1, 1, 1]);
    await expect(sum('ReduceMean', 1)).rejects.toMatchObject({ code: 'GRADIENT_UNSUPPORTED' });
  });
});
