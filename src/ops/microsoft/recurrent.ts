// Recurrent layers: an LSTM with quantised weights, and one that looks at a memory in every step.
import { type Shape, TensorType } from '../../graph/types.js';
import { optionalShape, shapeOfRank } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import { recurrentOperators } from '../families/layers/recurrent.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { dynamicQuantizeLstmFloat } from './recurrent.float.js';
import { standard } from './standard.js';

/** Weights are stored (directions, I, 4·H) and (directions, H, 4·H): transposed against LSTM. */
const TransposedLstm = standard(recurrentOperators, 'LSTM', 7, (call) => [
  call.input(0),
  ...[1, 2].map((i) => {
    const shape = shapeOfRank(call, i, 3);
    return new TensorType(undefined, shape && [shape[0]!, shape[2]!, shape[1]!]);
  }),
  ...call.inputs.slice(3, 8),
]);

const DynamicQuantizeLSTM: Operator = {
  infer: TransposedLstm.infer,
  cost: counted(`${TransposedLstm.cost.describe}; 6 per input element to quantise it`, (call) => {
    const cost = TransposedLstm.cost.of(call);
    return { macs: cost?.macs, otherFlops: total(cost?.otherFlops, times(call.inputSize(0), 6)) };
  }),
  roles: { data: ['X'], weight: ['W', 'R', 'P'], bias: ['B'], others: 'setting' },
  traits: { recurrent: true },
  float: dynamicQuantizeLstmFloat,
};

/** The cell's input is X beside what attention gave in the step before, so W is as wide as both together. */
const WidenedLstm = standard(recurrentOperators, 'LSTM', 7, (call) => {
  const input = shapeOfRank(call, 0, 3);
  const width = shapeOfRank(call, 1, 3)?.[2];
  const widened: Shape | undefined = input && width !== undefined ? [input[0]!, input[1]!, width] : undefined;
  return [new TensorType(call.dtype(0), widened), ...call.inputs.slice(1, 8)];
});

/** MACs of Bahdanau attention: keys once, then for every step query, scores, context and output layer. */
function memoryMacs(call: Call): ReturnType<typeof times> {
  const steps = shapeOfRank(call, 0, 3)?.[0];
  const query = optionalShape(call, 8, 3);
  const keys = optionalShape(call, 9, 3);
  const memory = optionalShape(call, 11, 3);
  const output = call.has(13) ? optionalShape(call, 13, 3) : [0, 0, 0];
  const [directions, depth, attention] = keys ?? [];
  const perStep = total(
    times(query?.[1], attention),
    times(memory?.[1], total(attention, depth)),
    times(output?.[1], output?.[2]),
  );
  const once = times(memory?.[1], depth, attention);
  return times(memory?.[0], directions, total(once, times(steps, perStep)));
}

/** LSTM in an AttentionWrapper: inputs 8 to 13 are QW, MW, V, the memory M, its lengths, and AW. */
const AttnLSTM: Operator = {
  infer: WidenedLstm.infer,
  cost: counted(
    `${WidenedLstm.cost.describe}; MACs of the keys of the memory, and in every step of the query, its scores, the context and the attention layer`,
    (call) => {
      const cost = WidenedLstm.cost.of(call);
      const macs = call.has(11) ? total(cost?.macs, memoryMacs(call)) : cost?.macs;
      return { macs, otherFlops: cost?.otherFlops };
    },
  ),
  roles: {
    weight: ['W', 'R', 'P', 'QW', 'MW', 'V', 'AW'],
    bias: ['B'],
    setting: ['sequence_lens', 'initial_h', 'initial_c', 'memory_seq_lens'],
  },
  traits: { recurrent: true },
};

export const recurrentVariants: OperatorTable = { AttnLSTM, DynamicQuantizeLSTM };
