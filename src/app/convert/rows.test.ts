import { expect, it } from 'vitest';
import { joined, piecesOf } from './rows.js';

const x = { type: 'float32', dims: [2, 4], data: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7) } as const;

it.each([
  [
    'the first axis',
    0,
    1,
    [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ],
  ],
  [
    'another axis',
    1,
    2,
    [
      [0, 1, 4, 5],
      [2, 3, 6, 7],
    ],
  ],
])('takes samples apart along %s, and puts them together', (_, axis, was, parts) => {
  const places = {
    axes: new Map([
      ['x', axis],
      ['y', axis],
    ]),
    was,
  };
  const pieces = piecesOf({ x, same: x }, places);
  expect(pieces.map((piece) => [...piece.x!.data])).toEqual(parts);
  expect(pieces.every((piece) => piece.same === x)).toBe(true);
  expect(
    joined(
      pieces.map((piece) => ({ y: piece.x! })),
      places,
    ),
  ).toEqual({ y: x });
});

it('joins texts, and outputs that get an axis for the batch', () => {
  const text = (value: string) => ({ type: 'string', dims: [1], data: [value] }) as never;
  const places = { axes: new Map([['y', 0]]), was: 1 };
  expect(joined([{ y: text('a') }, { y: text('b') }], places).y).toEqual({
    type: 'string',
    dims: [2],
    data: ['a', 'b'],
  });
  const row = (...values: number[]) =>
    ({ type: 'float32', dims: [2], data: Float32Array.from(values) }) as const;
  const stacked = joined([{ y: row(1, 2) }, { y: row(3, 4) }], { ...places, added: new Set(['y']) });
  expect(stacked.y).toEqual({ type: 'float32', dims: [2, 2], data: Float32Array.of(1, 2, 3, 4) });
});
