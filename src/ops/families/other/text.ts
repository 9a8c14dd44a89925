// Operators on tensors of strings. What they do to letters is not counted as arithmetic.
import { isKnown } from '../../../graph/dim.js';
import { TensorType } from '../../../graph/types.js';
import { shapeOfRank } from '../../arguments.js';
import { FREE, perOutput } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { broadcastShapes } from '../arithmetic/broadcast.js';

function expectStrings(call: Call, index: number): void {
  const dtype = call.dtype(index);
  if (dtype !== undefined && dtype !== 'string') {
    call.fail(`input ${index} must hold strings, not ${dtype}`, 'OP_INPUT');
  }
}

const StringConcat: Operator = {
  infer: (call) => {
    expectStrings(call, 0);
    expectStrings(call, 1);
    return [new TensorType('string', broadcastShapes(call, [call.shape(0), call.shape(1)]))];
  },
  cost: FREE,
};

/** Outputs: the parts, in a dimension as long as the most parts there are, and how many there are. */
const StringSplit: Operator = {
  infer: (call) => {
    expectStrings(call, 0);
    const shape = call.shape(0);
    const parts = shape && [...shape, shape.includes(0) ? 0 : call.unknownSize(0, shape.length)];
    return [new TensorType('string', parts), new TensorType('int64', shape)];
  },
  cost: FREE,
};

/** Changes the case of strings and drops stop words; of [C] or [1, C] strings at least one is left. */
const StringNormalizer: Operator = {
  infer: (call) => {
    expectStrings(call, 0);
    const shape = shapeOfRank(call, 0, 1, 2);
    if (shape?.length === 2 && isKnown(shape[0]) && shape[0] !== 1) {
      call.fail(`input 0 must have shape [C] or [1,C], not [${shape}]`);
    }
    const drops = (call.strings('stopwords')?.length ?? 0) > 0;
    return [new TensorType('string', drops ? shape?.with(-1, call.unknownSize(0, shape.length - 1)) : shape)];
  },
  cost: FREE,
};

const RegexFullMatch: Operator = {
  infer: (call) => {
    expectStrings(call, 0);
    return [new TensorType('bool', call.shape(0))];
  },
  cost: FREE,
};

/** Counts n-grams: the i-th known one in column `ngram_indexes[i]`. */
const TfIdfVectorizer: Operator = {
  infer: (call) => {
    const shape = shapeOfRank(call, 0, 1, 2);
    let columns = 0;
    for (const index of call.required(call.ints('ngram_indexes'), 'ngram_indexes')) {
      if (!Number.isSafeInteger(index) || index < 0)
        call.fail(`ngram_indexes contains ${index}`, 'OP_ATTRIBUTE');
      columns = Math.max(columns, index + 1);
    }
    return [new TensorType('float32', shape && [...shape.slice(0, -1), columns])];
  },
  /** A product with the weight. */
  cost: perOutput(1),
};

export const textOperators: OperatorTable = {
  RegexFullMatch,
  StringConcat,
  StringNormalizer,
  StringSplit,
  TfIdfVectorizer,
};
