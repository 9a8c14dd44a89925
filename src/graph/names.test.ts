import { expect, it } from 'vitest';
import { makeNode } from './graph.js';
import { uniquelyNamed } from './names.js';

const named = (...names: string[]) => names.map((name) => makeNode('Relu', ['x'], ['y'], {}, { name }));
const namesOf = (...names: string[]) => uniquelyNamed(named(...names)).map((node) => node.name);

it('gives nodes with the name of another one of their own, and no name that is taken later', () => {
  expect(namesOf('a', 'a', 'a', 'a_2', 'b', 'a')).toEqual(['a', 'a_3', 'a_4', 'a_2', 'b', 'a_5']);
});

it('leaves nodes without a name, and nodes that are fine', () => {
  expect(namesOf('', '', 'a', '')).toEqual(['', '', 'a', '']);
  const fine = named('a', 'b', '');
  expect(uniquelyNamed(fine)).toBe(fine);
});
