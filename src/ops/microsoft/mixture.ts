// Mixtures of experts: a router sends every token to its `k` best experts, each of them a small feed-forward
// network of two layers, or three when its activation is gated. What the other experts hold is not computed.
import { type Dim, divideExactly, isKnown } from '../../graph/dim.js';
import { TensorType } from '../../graph/types.js';
import { positiveInt, shapeOfRank } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationFlops } from './activation.js';
import { roles } from './arguments.js';

/** Inputs with the weights of the layers, and how many numbers one of their elements packs. */
interface Experts {
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly packing: (call: Call) => number;
  readonly roles: string;
}

/** Bits of the number formats that are no integers. */
const FORMAT_BITS: ReadonlyMap<string, number> = new Map([
  ['fp4', 4],
  ['nvfp4', 4],
  ['wfp4afp8', 4],
  ['fp8', 8],
]);

function packedBits(call: Call): number {
  const bits = FORMAT_BITS.get(call.string('quant_type', 'int')) ?? call.int('expert_weight_bits', 4);
  if (![2, 4, 8].includes(bits)) {
    call.fail(`attribute 'expert_weight_bits' cannot be ${bits}`, 'OP_ATTRIBUTE');
  }
  return bits;
}

/** Weights of one expert's layer. */
function weightsPerExpert(call: Call, index: number, packing: number): Dim | undefined {
  const shape = shapeOfRank(call, index, 3);
  return times(shape?.[1], shape?.[2], packing);
}

function mixture({ first, second, third, packing, roles: inputRoles }: Experts): Operator {
  return {
    infer: (call) => {
      const k = positiveInt(call, 'k');
      const experts = shapeOfRank(call, first, 3)?.[0];
      if (isKnown(experts) && k > experts)
        call.fail(`${k} of ${experts} experts are asked for`, 'OP_ATTRIBUTE');
      return [new TensorType(call.dtype(0), shapeOfRank(call, 0, 2, 3))];
    },
    cost: counted(
      'MACs tokens · k · weights of one expert (its two or three layers); per token and chosen expert the ' +
        'activation of the hidden units and 2 per output element to weigh and add up; 5 per router output',
      (call) => {
        const k = positiveInt(call, 'k');
        const input = shapeOfRank(call, 0, 2, 3);
        const tokens = times(...(input?.slice(0, -1) ?? [undefined]));
        const layers = [first, second, ...(call.has(third) ? [third] : [])];
        const weights = total(...layers.map((i) => weightsPerExpert(call, i, packing(call))));
        const hidden = input?.at(-1);
        const inner = weightsPerExpert(call, second, packing(call));
        const units = inner !== undefined && hidden !== undefined ? divideExactly(inner, hidden) : undefined;
        return {
          macs: times(tokens, k, weights),
          otherFlops: total(
            times(tokens, k, total(times(units, activationFlops(call, 'activation_type')), times(hidden, 2))),
            times(call.inputSize(1), 5),
          ),
        };
      },
    ),
    weightsIn: (call, input) => {
      const size = [first, second, third].includes(input) ? call.inputSize(input) : undefined;
      return isKnown(size) ? size * packing(call) : undefined;
    },
    roles: roles(inputRoles),
  };
}

export const mixtureOperators: OperatorTable = {
  MoE: mixture({ first: 2, second: 4, third: 6, packing: () => 1, roles: 'ddwwwwww' }),
  QMoE: mixture({
    first: 2,
    second: 5,
    third: 8,
    packing: (call) => (call.dtype(2) === 'uint8' ? 8 / packedBits(call) : 1),
    roles: 'ddwswwswwswsssds',
  }),
};
