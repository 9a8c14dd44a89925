// The gradient of Einsum is an Einsum again: of what comes back and the other operands, with the letters of the
// operand in question as the result. `ij,jk->ik` gives `ik,jk->ij` for the first.
import type { Value } from '../../build.js';
import type { Differentiation } from '../../gradient.js';
import type { Term } from './einsum.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** An operand with a letter for each dimension. */
interface Labelled {
  readonly value: Value;
  readonly letters: readonly string[];
}

export function einsumGradient(
  g: Differentiation,
  terms: readonly Term[],
  result: Term,
): readonly (Value | undefined)[] {
  const free = freeLetters(g, terms);
  const label = (value: Value, term: Term): Labelled => ({ value, letters: lettersOf(term, free) });
  const operands = terms.map((term, i) => label(g.input(i), term));
  const dy = label(g.dy, result);
  const sizes = new Map<string, number>();
  for (const { value, letters } of operands) {
    letters.forEach((letter, axis) => {
      if ((sizes.get(letter) ?? 1) === 1) sizes.set(letter, value.length(axis));
    });
  }
  const whole = operands.map((operand) => withoutBroadcasts(operand, sizes));
  return operands.map((operand, i) =>
    g.when(i, () => spread(product([dy, ...whole.toSpliced(i, 1)], whole[i]!.letters), operand, sizes)),
  );
}

/** Letters that the equation does not use, for the dimensions that `...` stands for. */
function freeLetters(g: Differentiation, terms: readonly Term[]): string[] {
  const used = new Set(terms.flatMap((term) => term.letters));
  const hidden = terms.map((term, i) =>
    term.ellipsis === undefined ? 0 : g.input(i).rank - term.letters.length,
  );
  const free = [...ALPHABET].filter((letter) => !used.has(letter)).slice(0, Math.max(...hidden));
  return free.length < Math.max(...hidden)
    ? g.call.fail('the equation uses too many letters', 'GRADIENT_UNSUPPORTED')
    : free;
}

function lettersOf({ letters, ellipsis }: Term, free: readonly string[]): readonly string[] {
  return ellipsis === undefined ? letters : letters.toSpliced(ellipsis, 0, ...free);
}

/** A dimension of 1 that is repeated says nothing: the same without it. */
function withoutBroadcasts({ value, letters }: Labelled, sizes: ReadonlyMap<string, number>): Labelled {
  const repeated = [...letters.keys()].filter((axis) => value.length(axis) !== sizes.get(letters[axis]!));
  return {
    value: value.squeeze(repeated),
    letters: letters.filter((_, axis) => !repeated.includes(axis)),
  };
}

/** The product with those of the letters that any factor has, each once. */
function product(factors: readonly Labelled[], letters: readonly string[]): Labelled {
  const known = new Set(factors.flatMap((factor) => factor.letters));
  const kept = [...new Set(letters)].filter((letter) => known.has(letter));
  const [first, ...others] = factors as [Labelled, ...Labelled[]];
  // One operand: nothing is multiplied, and all letters of the result are its own.
  if (others.length === 0) {
    return {
      value: first.value.transpose(kept.map((letter) => first.letters.indexOf(letter))),
      letters: kept,
    };
  }
  const equation = `${factors.map((factor) => factor.letters.join('')).join(',')}->${kept.join('')}`;
  const value = first.value.builder.op(
    'Einsum',
    factors.map((factor) => factor.value),
    { equation },
  );
  return { value, letters: kept };
}

/**
 * With the dimensions of the operand: what was summed along a letter on its own is repeated, and what was taken
 * from a diagonal goes back to it.
 */
function spread(
  found: Labelled,
  { value: like, letters }: Labelled,
  sizes: ReadonlyMap<string, number>,
): Value {
  const shape = like.sizes;
  const missing: number[] = [];
  let diagonals: Value | undefined;
  letters.forEach((letter, axis) => {
    const first = letters.indexOf(letter);
    const isFirst = first === axis;
    if (!isFirst || shape[axis] !== sizes.get(letter) || !found.letters.includes(letter)) missing.push(axis);
    if (isFirst || shape[axis] === 1) return;
    const dims = shape.map((d, i) => (i === axis || i === first ? d : 1));
    const n = shape[axis]!;
    const eye = Array.from({ length: n * n }, (_, i) => Number(i % (n + 1) === 0));
    const diagonal = like.builder.constant(eye, like.dtype, dims);
    diagonals = diagonals ? diagonals.mul(diagonal) : diagonal;
  });
  const unsqueezed = found.value.unsqueeze(missing);
  return (diagonals ? unsqueezed.mul(diagonals) : unsqueezed).expand(shape);
}
