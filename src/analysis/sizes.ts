// Which sizes a tensor can have at all.
import { MAX_RANK, type Shape } from '../graph/types.js';
import type { Call } from '../ops/operator.js';

/** Sizes must be possible: whole, not negative, and together no more than can be counted. */
export function checkSizes(call: Call): void {
  const { outputs } = call;
  for (let index = 0; index < outputs.length; index++) {
    const type = outputs[index]!;
    if (type.kind !== 'tensor' || type.shape === undefined) continue;
    const { shape } = type;
    const problem = impossible(shape);
    if (problem !== undefined) call.fail(`output ${index} has a shape that ${problem}`, 'SHAPE_TOO_LARGE');
    for (let i = 0; i < shape.length; i++) {
      const d = shape[i]!;
      if (typeof d === 'number' && !isSize(d)) {
        call.fail(`output ${index} would have shape [${shape}]`, 'SHAPE_INVALID');
      }
    }
  }
}

export function isSize(d: number): boolean {
  return Number.isInteger(d) && d >= 0;
}

/** Why no tensor can have a shape: its dimensions, or its elements, are too many to count. */
export function impossible(shape: Shape): string | undefined {
  if (shape.length > MAX_RANK) return `has ${shape.length} dimensions; ${MAX_RANK} are the limit`;
  let elements = 1;
  for (let i = 0; i < shape.length; i++) {
    const d = shape[i]!;
    if (typeof d === 'number') elements *= d;
  }
  return elements > Number.MAX_SAFE_INTEGER && !shape.includes(0)
    ? `is too large to exist: [${shape.map(String).join(',')}]`
    : undefined;
}
