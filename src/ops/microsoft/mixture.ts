// Mixtures of experts: a router sends every token to its `k` best experts, each of them a small feed-forward
// network of two layers, or three when its activation is gated. What the other experts hold is not computed.
import { type Dim, divideExactly, isKnown } from '../../graph/dim.js';
import { TensorType } from '../../graph/types.js';
import { positiveInt, shapeOfRank } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import type { Call, InputRoles, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationFlops } from './activation.js';

/** The weights of the layers; the third is there if the activation is gated. */
const [FIRST, SECOND, THIRD] = ['fc1_experts_weights', 'fc2_experts_weights', 'fc3_experts_weights'] as const;
const LAYERS: readonly string[] = [FIRST, SECOND, THIRD];

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
function weightsPerExpert(call: Call, input: string, packing: number): Dim | undefined {
  const shape = shapeOfRank(call, input, 3);
  return times(shape?.[1], shape?.[2], packing);
}

/** @param packing how many numbers one element of the weights packs. */
function mixture(packing: (call: Call) => number, others: InputRoles['others'] = 'data'): Operator {
  return {
    infer: (call) => {
      const k = positiveInt(call, 'k');
      const experts = shapeOfRank(call, FIRST, 3)?.[0];
      if (isKnown(experts) && k > experts)
        call.fail(`k is ${k}, but there are ${experts} experts`, 'OP_ATTRIBUTE');
      return [new TensorType(call.dtype(0), shapeOfRank(call, 0, 2, 3))];
    },
    cost: counted(
      'MACs tokens · k · weights of one expert (its two or three layers); per token and chosen expert the ' +
        'activation of the hidden units and 2 per output element to weigh and add up; 5 per router output',
      (call) => {
        const k = positiveInt(call, 'k');
        const input = shapeOfRank(call, 0, 2, 3);
        const tokens = times(...(input?.slice(0, -1) ?? [undefined]));
        const layers = LAYERS.filter((name) => name !== THIRD || call.has(name));
        const weights = total(...layers.map((name) => weightsPerExpert(call, name, packing(call))));
        const hidden = input?.at(-1);
        const inner = weightsPerExpert(call, SECOND, packing(call));
        const units = inner !== undefined && hidden !== undefined ? divideExactly(inner, hidden) : undefined;
        return {
          macs: times(tokens, k, weights),
          otherFlops: total(
            times(tokens, k, total(times(units, activationFlops(call, 'activation_type')), times(hidden, 2))),
            times(call.inputSize('router_probs'), 5),
          ),
        };
      },
    ),
    weightsIn: (call, input) => {
      const size = LAYERS.some((name) => call.slot(name) === input) ? call.inputSize(input) : undefined;
      return isKnown(size) ? size * packing(call) : undefined;
    },
    roles: {
      data: ['input', 'router_probs', ...(others === 'data' ? [] : ['router_weights'])],
      weight: LAYERS,
      bias: ['fc1_experts_bias', 'fc2_experts_bias', 'fc3_experts_bias'],
      others,
    },
  };
}

export const mixtureOperators: OperatorTable = {
  MoE: mixture(() => 1),
  QMoE: mixture((call) => (call.dtype(FIRST) === 'uint8' ? 8 / packedBits(call) : 1), 'setting'),
};
