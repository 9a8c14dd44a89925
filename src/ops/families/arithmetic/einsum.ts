// Einsum: a product of tensors written with a letter for each dimension, summed over letters that the result
// does not have. `bij,bjk->bik` multiplies batches of matrices.
import { type Dim, product } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { counted, times } from '../../cost.js';
import { type Call, commonDtype, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { broadcastDim, broadcastShapes } from './broadcast.js';
import { einsumGradient } from './einsum.gradient.js';

/** The letters of one operand or of the result; `ellipsis` tells before which letter `...` stands. */
export interface Term {
  readonly letters: readonly string[];
  readonly ellipsis: number | undefined;
}

interface Equation {
  readonly operands: readonly Term[];
  readonly result: Term;
}

/** What the equation says with the shapes put in. */
interface Sizes {
  /** Undefined size: the letter only stands in operands of unknown rank. */
  readonly letters: ReadonlyMap<string, Dim | undefined>;
  /** The dimensions that `...` stands for; undefined when an operand that has it is of unknown rank. */
  readonly ellipsis: Shape | undefined;
}

function parseTerm(call: Call, text: string): Term {
  const [before = '', after, ...more] = text.split('...');
  if (more.length > 0 || !/^[A-Za-z]*$/.test(before + (after ?? ''))) {
    return call.fail(`'${text}' in the equation is not a list of letters`, 'OP_ATTRIBUTE');
  }
  return {
    letters: [...before, ...(after ?? '')],
    ellipsis: after === undefined ? undefined : before.length,
  };
}

function parseEquation(call: Call): Equation {
  const text = call.required(call.string('equation'), 'equation').replaceAll(' ', '');
  const [left = '', right, ...more] = text.split('->');
  if (more.length > 0) call.fail(`the equation '${text}' has more than one arrow`, 'OP_ATTRIBUTE');
  const operands = left.split(',').map((term) => parseTerm(call, term));
  if (operands.length !== call.inputs.length) {
    call.fail(
      `the equation '${text}' is for ${operands.length} inputs, not ${call.inputs.length}`,
      'OP_INPUT',
    );
  }
  const result = right === undefined ? implicitResult(operands) : parseTerm(call, right);
  const known = new Set(operands.flatMap((term) => term.letters));
  for (const letter of result.letters) {
    if (!known.delete(letter)) {
      call.fail(
        `'${letter}' occurs twice in the result of '${text}', or in none of its inputs`,
        'OP_ATTRIBUTE',
      );
    }
  }
  if ((result.ellipsis === undefined) !== operands.every((term) => term.ellipsis === undefined)) {
    call.fail(`the ellipsis of '${text}' must be in the inputs and in the result`, 'OP_ATTRIBUTE');
  }
  return { operands, result };
}

/** Without an arrow the result has the ellipsis, then the letters that occur once, upper case first. */
function implicitResult(operands: readonly Term[]): Term {
  const occurrences = new Map<string, number>();
  for (const letter of operands.flatMap((term) => term.letters)) {
    occurrences.set(letter, (occurrences.get(letter) ?? 0) + 1);
  }
  const once = [...occurrences].filter(([, count]) => count === 1).map(([letter]) => letter);
  return {
    letters: once.sort((a, b) => (a < b ? -1 : 1)),
    ellipsis: operands.some((term) => term.ellipsis !== undefined) ? 0 : undefined,
  };
}

function resolveSizes(call: Call, operands: readonly Term[]): Sizes {
  const letters = new Map<string, Dim | undefined>();
  const hidden: (Shape | undefined)[] = [];
  operands.forEach((term, input) => {
    const shape = call.shape(input);
    const count = term.letters.length;
    if (shape && (term.ellipsis === undefined ? shape.length !== count : shape.length < count)) {
      call.fail(`input ${input} of shape [${shape}] does not have ${count} dimensions as in the equation`);
    }
    const extra = shape ? shape.length - count : 0;
    term.letters.forEach((letter, i) => {
      const size = shape?.[i < (term.ellipsis ?? count) ? i : i + extra];
      const known = letters.get(letter);
      const merged = known === undefined || size === undefined ? (known ?? size) : broadcastDim(known, size);
      if (merged === undefined && size !== undefined) {
        call.fail(`'${letter}' of the equation is both ${known} and ${size}`);
      }
      letters.set(letter, merged);
    });
    if (term.ellipsis !== undefined) {
      hidden.push(shape?.slice(term.ellipsis, term.ellipsis + extra));
    }
  });
  const ranks = new Set(hidden.filter((shape) => shape !== undefined).map((shape) => shape.length));
  if (ranks.size > 1) call.fail(`the ellipsis stands for ${[...ranks].join(' and for ')} dimensions`);
  return { letters, ellipsis: broadcastShapes(call, hidden) };
}

const Einsum: Operator = {
  infer: (call) => {
    const dtype = commonDtype(
      call,
      call.inputs.map((_, i) => call.tensor(i)),
    );
    const { operands, result } = parseEquation(call);
    const { letters, ellipsis } = resolveSizes(call, operands);
    const hidden = result.ellipsis === undefined ? [] : ellipsis;
    if (hidden === undefined) return [new TensorType(dtype, undefined)];
    const at = result.ellipsis ?? 0;
    const sizes = result.letters.map((letter) => letters.get(letter));
    const shape = [...sizes.slice(0, at), ...hidden, ...sizes.slice(at)];
    return [
      new TensorType(
        dtype,
        shape.map((d, axis) => d ?? call.unknownSize(0, axis)),
      ),
    ];
  },
  cost: counted(
    'MACs: product of the sizes of all letters × (inputs − 1); one input: 1 per element',
    (call) => {
      const { letters, ellipsis } = resolveSizes(call, parseEquation(call).operands);
      const factors = call.inputs.length - 1;
      if (factors === 0) return { otherFlops: isSum(call) ? call.inputSize() : 0 };
      return { macs: times(...letters.values(), ellipsis && product(ellipsis), factors) };
    },
  ),
  gradient: (g) => {
    const { operands, result } = parseEquation(g.call);
    return einsumGradient(g, operands, result);
  },
  traits: { product: 'einsum' },
};

/** Whether an Einsum of one operand adds anything: a mere transposition or diagonal does not. */
function isSum(call: Call): boolean {
  const { operands, result } = parseEquation(call);
  return operands[0]!.letters.some((letter) => !result.letters.includes(letter));
}

export const einsumOperators: OperatorTable = { Einsum };
