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
