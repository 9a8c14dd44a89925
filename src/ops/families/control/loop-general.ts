// What holds in all iterations of a Loop at once. Sizes that change get a name for "the size in this
// iteration"; the body is looked at again until its types go in and come out the same.
import { add, type Dim, isKnown, multiply, sameDim, subtract, symbol } from '../../../graph/dim.js';
import type { Graph } from '../../../graph/graph.js';
import { isTensor, sequenceLength, sequenceType, TensorType, type ValueType } from '../../../graph/types.js';
import type { Call } from '../../operator.js';
import { asOptional, carriedOut, collected, goesOn, type Look, look, type Start } from './loop-body.js';
import { mergeTypes, sameElements, sameKnowledge, withoutShape } from './merge.js';

/** Rounds in which changing sizes are looked for, before all shapes are given up. */
const MAX_ROUNDS = 4;

/** Infers a loop that need not be followed, or cannot be. */
export function generalise(call: Call, start: Start, first: Look): ValueType[] {
  const changing = new ChangingSizes(start.body);
  const settled = settle(call, first, changing);
  const after = new AfterLoop(call, start, settled, changing);
  call.recordBody('body', settled.body, { times: after.times });
  const carried = carriedOut(settled).map((type, i) => after.carried(i, type));
  const scans = collected(settled).map((type, i) => after.stacked(carried.length + i, type));
  return [...carried, ...scans];
}

/** Sizes that change from one iteration to the next, each named after the body's input that has it. */
class ChangingSizes {
  readonly #inputs: readonly string[];
  readonly #named = new Set<string>();

  constructor(body: Graph) {
    this.#inputs = body.inputs.slice(2).map((input) => input.name);
  }

  /** The size of a carried tensor, or the length of a carried sequence, in this iteration. */
  now(carried: number, axis: number | 'length'): Dim {
    return symbol(`${this.#inputs[carried]}[${axis}].now`);
  }

  /** Notes that it changes. */
  add(carried: number, axis: number | 'length'): Dim {
    const size = this.now(carried, axis);
    this.#named.add(String(size));
    return size;
  }

  /** Whether a size depends on the iteration. */
  has(size: Dim): boolean {
    const text = String(size);
    return [...this.#named].some((name) => text.includes(name));
  }
}

/** Finds types for the carried values that hold in all iterations, and looks at the body with these. */
function settle(call: Call, first: Look, changing: ChangingSizes): Look {
  let at = first;
  for (let round = 0; ; round++) {
    const next = carriedOut(at).map((type, i) => {
      const before = at.carried[i]!;
      if (round >= MAX_ROUNDS) return withoutShape(before);
      const after = before.kind === 'optional' ? asOptional(type) : type;
      const merged = mergeTypes(call, before, after, (axis) => changing.add(i, axis));
      if (merged.kind !== 'sequence' || knowsLength(merged)) return merged;
      if (!knowsLength(before) || !knowsLength(after)) return merged;
      return { ...merged, length: changing.add(i, 'length') };
    });
    if (next.every((type, i) => sameKnowledge(type, at.carried[i]!))) return at;
    at = look(call, next);
  }
}

function knowsLength(type: ValueType): boolean {
  return type.kind === 'sequence' && sequenceLength(type) !== undefined;
}

/** The outputs of a loop, from types that hold in each iteration. */
class AfterLoop {
  /** How often the body runs; undefined when that is not known. */
  readonly times: Dim | undefined;
  /** Whether it surely runs at all. */
  readonly #runs: boolean;
  readonly #call: Call;
  readonly #initial: readonly ValueType[];
  readonly #changing: ChangingSizes;

  constructor(
    call: Call,
    { initial, enters, isBounded, limit }: Start,
    settled: Look,
    changing: ChangingSizes,
  ) {
    this.#call = call;
    this.#initial = initial;
    this.#changing = changing;
    this.#runs = enters === true && (!isBounded || (isKnown(limit) && limit > 0));
    const on = goesOn(settled);
    if (enters === false || limit === 0) this.times = 0;
    else if (enters === true && on === true) this.times = limit;
    else this.times = this.#runs && on === false ? 1 : undefined;
  }

  /**
   * What a carried value is after the loop: what the body gives, or, where the body may not run at all, what
   * that has in common with the start.
   */
  carried(index: number, after: ValueType): ValueType {
    const before = this.#initial[index]!;
    if (this.times === 0) return before;
    if (isTensor(before) && isTensor(after)) return this.#tensor(index, before, after);
    const unknown = (axis: number): Dim => this.#call.unknownSize(index, axis);
    const first = before.kind === 'optional' && after.kind !== 'optional' ? before.element : before;
    const body = this.#withoutChanging(after, unknown);
    const last = this.#runs ? body : mergeTypes(this.#call, first, body, unknown);
    if (first.kind !== 'sequence' || after.kind !== 'sequence' || last.kind !== 'sequence') return last;
    const now = this.#changing.now(index, 'length');
    const length = this.#lastSize(sequenceLength(first), sequenceLength(after), now);
    return last.items === undefined && length !== undefined ? { ...last, length } : last;
  }

  #tensor(index: number, before: TensorType, after: TensorType): TensorType {
    const shape = after.shape?.map((size, axis): Dim => {
      const last = this.#lastSize(before.shape?.[axis], size, this.#changing.now(index, axis));
      return last ?? this.#call.unknownSize(index, axis);
    });
    const isCertain = this.#runs ? this.#isFixed(after) : sameElements(before, after);
    return new TensorType(
      after.dtype ?? before.dtype,
      this.#runs || before.rank === after.rank ? shape : undefined,
      isCertain ? after.elements : undefined,
    );
  }

  /** A size after the loop. Where each iteration adds the same, it is known from the number of iterations. */
  #lastSize(before: Dim | undefined, after: Dim | undefined, now: Dim): Dim | undefined {
    if (after === undefined) return undefined;
    if (!this.#changing.has(after)) {
      return this.#runs || (before !== undefined && sameDim(before, after)) ? after : undefined;
    }
    const step = subtract(after, now);
    if (before === undefined || this.times === undefined || this.#changing.has(step)) return undefined;
    return add(before, multiply(this.times, step));
  }

  /** What an output that collects one value per iteration is. */
  stacked(output: number, type: ValueType): ValueType {
    const row = this.#withoutChanging(type, (axis) => this.#call.unknownSize(output, axis + 1));
    if (!isTensor(row)) return row;
    const times = this.times ?? this.#call.unknownSize(output, 0);
    return new TensorType(row.dtype, row.shape && [times, ...row.shape]);
  }

  /** A type as seen from outside: sizes that depend on the iteration are unknown there. */
  #withoutChanging(type: ValueType, unknown: (axis: number) => Dim): ValueType {
    const outside = (inner: ValueType): ValueType => this.#withoutChanging(inner, unknown);
    switch (type.kind) {
      case 'tensor': {
        const shape = type.shape?.map((size, axis) => (this.#changing.has(size) ? unknown(axis) : size));
        return new TensorType(type.dtype, shape, this.#isFixed(type) ? type.elements : undefined);
      }
      case 'sequence':
        return sequenceType(outside(type.element), type.items?.map(outside));
      case 'optional':
        return { ...type, element: outside(type.element) };
      default:
        return type;
    }
  }

  /** Whether the elements of a value are known, and the same in all iterations. */
  #isFixed(type: TensorType): boolean {
    return type.mayBeKnown && type.elements?.some((element) => this.#changing.has(element)) === false;
  }
}
