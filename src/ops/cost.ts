// Ways to count an operator. The conventions: one multiply-accumulate (MAC) is two FLOPs; every other
// arithmetic step on an element is one FLOP, whatever the hardware needs for it; moving data is none.
import { add, type Dim, multiply } from '../graph/dim.js';
import type { Call, CostRule, OperatorCost } from './operator.js';

/** Moves or renames data: no arithmetic. */
export const FREE: CostRule = { describe: '0', of: () => ({}) };

/** `flops` per element of the first output. */
export function perOutput(flops: number): CostRule {
  return {
    describe: `${flops} per output element`,
    of: (call) => scaled(call.outputSize(0), flops),
  };
}

/** `flops` per element of the first input. */
export function perInput(flops: number): CostRule {
  return {
    describe: `${flops} per input element`,
    of: (call) => scaled(call.inputSize(0), flops),
  };
}

function scaled(size: Dim | undefined, flops: number): OperatorCost | undefined {
  return size === undefined ? undefined : { otherFlops: multiply(size, flops) };
}

/** Any other rule. When a size is unknown `of` returns undefined, or a count that is undefined. */
export function counted(describe: string, of: (call: Call) => OperatorCost | undefined): CostRule {
  return {
    describe,
    of: (call) => {
      const cost = of(call);
      const isPartial = (key: keyof OperatorCost): boolean => key in cost! && cost![key] === undefined;
      return cost === undefined || isPartial('macs') || isPartial('otherFlops') ? undefined : cost;
    },
  };
}

/** The sum, or undefined when a part is. */
export function total(...parts: (Dim | undefined)[]): Dim | undefined {
  let sum: Dim = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    sum = add(sum, part);
  }
  return sum;
}

/** The product, or undefined when a factor is. */
export function times(...factors: (Dim | undefined)[]): Dim | undefined {
  let result: Dim = 1;
  for (const factor of factors) {
    if (factor === undefined) return undefined;
    result = multiply(result, factor);
  }
  return result;
}
