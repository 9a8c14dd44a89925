import { expect, it } from 'vitest';
import { blockAt, chainCell, chainVocabulary, longestChain } from './chain-cell.js';

it('joins every block to the next, from the input to the output', () => {
  expect(chainCell('input@160', ['a@1', 'b@2'])).toEqual({
    ops: ['input@160', 'a@1', 'b@2', 'output'],
    adjacency: [
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [0, 0, 0, 0],
    ],
  });
  expect(chainCell('input', [])).toEqual({
    ops: ['input', 'output'],
    adjacency: [
      [0, 1],
      [0, 0],
    ],
  });
});

it('names blocks by what they are and where they stand', () => {
  expect(blockAt('k3_e6', 7)).toBe('k3_e6@7');
  expect(blockAt('k5_e4', 2, 3)).toBe('k5_e4@2.3');
});

it('names all of them in order', () => {
  const places = [['a@1', 'b@1'], ['a@2']];
  expect(chainVocabulary(['input@1', 'input@2'], places)).toEqual([
    ...['input@1', 'input@2'],
    ...['a@1', 'b@1', 'a@2', 'output'],
  ]);
  expect(longestChain(places)).toBe(chainCell('input@1', ['a@1', 'a@2']).ops.length);
});
