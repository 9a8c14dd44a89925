// Networks that are one block after another, as cells: predictors of small graphs take them like any other. A name says
// what a block is and where it stands, so that the same block means something else elsewhere: `k3_e6@7`.
import type { Cell } from '../space.js';

export const CHAIN_INPUT = 'input';
const OUTPUT = 'output';

/** `k3_e6@7` for a block at place 7, `k5_e4@2.3` at the third place of stage 2; places are counted from 1. */
export function blockAt(block: string, ...place: readonly (number | string)[]): string {
  return `${block}@${place.join('.')}`;
}

/** A chain that begins with the input and ends with the output, which is put behind the blocks. */
export function chainCell(input: string, blocks: readonly string[]): Cell {
  const ops = [input, ...blocks, OUTPUT];
  return { ops, adjacency: ops.map((_, i) => ops.map((_, j) => Number(j === i + 1))) };
}

/** All names of a space's chains: those of the input, of the blocks place by place, and the output's. */
export function chainVocabulary(inputs: readonly string[], places: readonly (readonly string[])[]): string[] {
  return [...inputs, ...places.flat(), OUTPUT];
}

/** Nodes of a chain that has all its places. */
export function longestChain(places: readonly unknown[]): number {
  return places.length + 2;
}
