// Text generation: operators that run whole networks, one token after the other, until a text ends. How often
// is not known, so what their decoders cost is told per token.
import type { Dim } from '../../graph/dim.js';
import type { DataType } from '../../graph/dtype.js';
import { TensorType, UNKNOWN, type ValueType } from '../../graph/types.js';
import { likeInput, shapeOfRank, shapeOfRankFrom } from '../arguments.js';
import { counted, FREE, perInput, times, total } from '../cost.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { lengthInput } from './arguments.js';

/** The subgraphs see what they declare: their inputs are caches and masks that the operator keeps itself. */
function runNetworks(call: Call): void {
  for (const [name, runs] of [
    ['encoder', 1],
    ['init_decoder', 1],
    ['decoder', undefined],
  ] as const) {
    if (!call.hasAttribute(name)) continue;
    const inputs = call.graph(name).inputs.map(() => UNKNOWN);
    call.runBody(name, inputs, { times: runs });
  }
}

function vocabulary(call: Call, output: number, axis: number): Dim {
  const size = call.int('vocab_size', -1);
  return Number.isSafeInteger(size) && size > 0 ? size : call.unknownSize(output, axis);
}

/** The type of scores: that of a penalty, if one is given. */
function scoreDtype(call: Call, penalties: readonly number[]): DataType | undefined {
  const given = penalties.find((i) => call.has(i));
  return given === undefined ? 'float32' : call.dtype(given);
}

/** Inputs: prompt (B, …), greatest length, least length, beams, sequences to return, penalties … */
const BeamSearch: Operator = {
  infer: (call): ValueType[] => {
    runNetworks(call);
    const prompt = shapeOfRankFrom(call, 0, 2);
    const size = (input: number, output: number, axis: number) =>
      lengthInput(call, input) ?? call.unknownSize(output, axis);
    const [longest, beams, returned] = [size(1, 0, 2), size(3, 2, 2), size(4, 0, 1)];
    const batch = prompt?.[0] ?? call.unknownSize(0, 0);
    // A decoder without an encoder starts with the prompt; others start with a token or two.
    const isDecoderOnly = call.int('model_type', 0) === 0;
    const steps = isDecoderOnly ? total(lengthInput(call, 1), times(prompt?.[1], -1)) : undefined;
    const dtype = scoreDtype(call, [5, 6]);
    return [
      new TensorType('int32', [batch, returned, longest]),
      new TensorType(dtype, [batch, returned]),
      new TensorType(dtype, [steps ?? call.unknownSize(2, 0), batch, beams, vocabulary(call, 2, 3)]),
      // Whisper's alone: the scores of its cross-attention, and how likely nobody speaks.
      new TensorType('float32', undefined),
      new TensorType(dtype, [batch]),
    ];
  },
  cost: FREE,
  roles: { data: ['input_ids'], others: 'setting' },
};

/** Inputs: prompt (B, S), greatest length … */
const GreedySearch: Operator = {
  infer: (call): ValueType[] => {
    runNetworks(call);
    const batch = shapeOfRank(call, 0, 2)?.[0] ?? call.unknownSize(0, 0);
    const longest = lengthInput(call, 1) ?? call.unknownSize(0, 1);
    return [
      new TensorType('int32', [batch, longest]),
      new TensorType('float32', [batch, vocabulary(call, 1, 1)]),
    ];
  },
  cost: FREE,
  roles: { data: ['input_ids'], others: 'setting' },
};

/** Forbids tokens that would repeat an n-gram of the text so far. */
const NGramRepeatBlock: Operator = {
  infer: likeInput(1),
  cost: counted('1 per token of the texts so far', perInput(1).of),
};

/** The text so far with the predicted tokens that hold, and where the source goes on. */
const BifurcationDetector: Operator = {
  infer: (call): ValueType[] => {
    const current = shapeOfRank(call, 1, 1);
    // Without a prediction nothing is added.
    const length = call.has(3) ? undefined : current?.[0];
    const index = call.tensor(2);
    return [
      new TensorType(call.dtype(1), [length ?? call.unknownSize(0, 0)]),
      new TensorType(index.dtype, index.shape),
    ];
  },
  cost: counted('1 per token of the source', perInput(1).of),
};

export const generationOperators: OperatorTable = {
  BeamSearch,
  BifurcationDetector,
  GreedySearch,
  NGramRepeatBlock,
  Sampling: GreedySearch,
  WhisperBeamSearch: BeamSearch,
};
