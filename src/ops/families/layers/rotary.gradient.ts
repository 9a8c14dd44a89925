// What rotary embeddings are made of: of every head the elements a and b of a pair become a·cos − b·sin and
// b·cos + a·sin, with the angles of their position (arXiv:2104.09864).
import { positiveInt } from '../../arguments.js';
import type { Value } from '../../build.js';
import type { Decomposition } from '../../gradient.js';

/** Cosines and sines, each with half as many elements as are rotated, that broadcast against (…, H/2). */
interface Angles {
  readonly cos: Value;
  readonly sin: Value;
}

/** Rotates the first elements of heads (…, H). Pairs are neighbours, or one of the first half and one of the second. */
export function rotate(heads: Value, angles: Angles, isInterleaved: boolean): Value {
  const { builder } = heads;
  const half = angles.cos.length(-1);
  const rest = heads.length(-1) - 2 * half;
  const axis = heads.rank - 1;
  const [turned, kept] = rest === 0 ? [heads] : heads.split([2 * half, rest], axis);
  const rotated = isInterleaved ? rotateNeighbours(turned!, angles) : rotateHalves(turned!, angles, axis);
  return kept ? builder.concat([rotated, kept], axis) : rotated;
}

function rotateHalves(value: Value, { cos, sin }: Angles, axis: number): Value {
  const half = cos.length(-1);
  const [a, b] = value.split([half, half], axis) as [Value, Value];
  return value.builder.concat([a.mul(cos).sub(b.mul(sin)), b.mul(cos).add(a.mul(sin))], axis);
}

function rotateNeighbours(value: Value, { cos, sin }: Angles): Value {
  const half = cos.length(-1);
  const { rank } = value;
  const pairs = value.reshape([...value.freeSizes.slice(0, -1), half, 2]);
  const column = (angles: Value): Value => angles.unsqueeze([angles.rank]);
  const rotated = rotateHalves(pairs, { cos: column(cos), sin: column(sin) }, rank);
  return rotated.reshapeTo(value);
}

/** X (B, N, S, H) or (B, S, N·H) with angles (B, S, H/2), or those of all positions, to be looked up. */
export const rotaryParts: Decomposition = (node) => {
  const x = node.input(0);
  const positions = node.optionalInput(3);
  const look = (index: number): Value =>
    positions ? node.input(index).gather(positions) : node.input(index);
  const isInterleaved = node.call.int('interleaved', 0) !== 0;
  const [cos, sin] = [look(1), look(2)];
  if (x.rank === 4) return [rotate(x, { cos: cos.unsqueeze([1]), sin: sin.unsqueeze([1]) }, isInterleaved)];
  return [rotateTokens(x, positiveInt(node.call, 'num_heads'), { cos, sin }, isInterleaved)];
};

/** Tokens (B, S, N·H) with angles (…, S, H/2). */
export function rotateTokens(x: Value, heads: number, { cos, sin }: Angles, isInterleaved: boolean): Value {
  const [batch, length] = x.freeSizes as [number, number, number];
  const apart = x.reshape([batch, length, heads, x.length(2) / heads]);
  const across = (angles: Value): Value => angles.unsqueeze([angles.rank - 1]);
  return rotate(apart, { cos: across(cos), sin: across(sin) }, isInterleaved).reshapeTo(x);
}
