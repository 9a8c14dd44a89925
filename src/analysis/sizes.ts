// Which sizes a tensor can have at all.
import { MAX_RANK, type Shape } from '../graph/types.js';
import type { Call } from '../ops/operator.js';

/** Sizes must be possible: whole, not negative, and together no more than can be counted. */
export function checkSizes(call: Call): void {
  call.outputs.forEach((type, index) => {
    if (type.kind !== 'tensor' || type.shape === undefined) return;
    const problem = impossible(type.shape);
    if (problem !== undefined) call.fail(`output ${index} has a shape that ${problem}`, 'SHAPE_TOO_LARGE');
    if (type.shape.some((d) => typeof d === 'number' && !isSize(d))) {
      call.fail(`output ${index} would have shape [${type.shape}]`, 'SHAPE_INVALID');
    }
  });
}

export function isSize(d: number): boolean {
  return Number.isInteger(d) && d >= 0;
}

/** Why no tensor can have a shape: its dimensions, or its elements, are too many to count. */
export function impossible(shape: Shape): string | undefined {
  if (shape.length > MAX_RANK) return `has ${shape.length} dimensions; ${MAX_RANK} are the limit`;
  if (shape.includes(0)) return undefined;
  let elements = 1;
  for (const d of shape) if (typeof d === 'number') elements *= d;
  return elements > Number.MAX_SAFE_INTEGER
    ? `is too large to exist: [${shape.map(String).join(',')}]`
    : undefined;
}
