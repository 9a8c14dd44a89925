// Sizes that may not be known yet. A `Dim` is a number, or an `Expr`: a polynomial with integer coefficients
// over named sizes (`batch`, `2*seq+1`) and opaque terms such as `floor((h-1)/2)`. Equal sizes that were
// computed along different ways print the same text, and the text decides equality.

/** One tensor dimension, or any count derived from dimensions. */
export type Dim = number | Expr;

/** A factor of a term: a named size, or a function of sizes that cannot be written as a polynomial. */
interface Atom {
  readonly text: string;
  /** Set for `floor(numerator/divisor)`, so that nested ones can be merged. */
  readonly floor?: { readonly numerator: Expr; readonly divisor: number };
}

interface Term {
  readonly coefficient: number;
  /** Sorted by text; an atom occurs as often as its power. Empty for the constant term. */
  readonly atoms: readonly Atom[];
}

/** Larger polynomials are replaced by one opaque size: nobody reads them, and hostile files cannot grow them. */
const MAX_TERMS = 48;
const MAX_TEXT = 400;

const SEPARATOR = '\u0001';

function keyOf(atoms: readonly Atom[]): string {
  return atoms.length === 1 ? atoms[0]!.text : atoms.map((a) => a.text).join(SEPARATOR);
}

/** A size that is not a plain number. Immutable; made by the functions of this file. */
export class Expr {
  readonly #terms: ReadonlyMap<string, Term>;
  #text: string | undefined;

  private constructor(terms: ReadonlyMap<string, Term>) {
    this.#terms = terms;
  }

  /** A polynomial from its terms, or the number it amounts to. */
  static of(terms: Map<string, Term>): Dim {
    for (const [key, term] of terms) if (term.coefficient === 0) terms.delete(key);
    if (terms.size === 0) return 0;
    const constant = terms.get('');
    if (terms.size === 1 && constant) return constant.coefficient;
    const expr = new Expr(terms);
    if (terms.size <= MAX_TERMS && expr.toString().length <= MAX_TEXT) return expr;
    return Expr.atom({ text: `size_${hashText(expr.toString())}` });
  }

  static atom(atom: Atom): Expr {
    return new Expr(new Map([[atom.text, { coefficient: 1, atoms: [atom] }]]));
  }

  static constant(value: number): Expr {
    return new Expr(value === 0 ? new Map() : new Map([['', { coefficient: value, atoms: [] }]]));
  }

  get terms(): ReadonlyMap<string, Term> {
    return this.#terms;
  }

  /** The canonical text; two sizes are equal exactly when their texts are. */
  toString(): string {
    this.#text ??= print(this.#terms);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

function print(terms: ReadonlyMap<string, Term>): string {
  const degree = (t: Term): number => t.atoms.length;
  const sorted = [...terms.entries()].sort(
    ([ka, a], [kb, b]) => degree(b) - degree(a) || (ka < kb ? -1 : ka > kb ? 1 : 0),
  );
  let text = '';
  for (const [, { coefficient, atoms }] of sorted) {
    const magnitude = Math.abs(coefficient);
    const factors: string[] = [];
    if (magnitude !== 1 || atoms.length === 0) factors.push(String(magnitude));
    for (let i = 0; i < atoms.length; ) {
      let power = 1;
      while (atoms[i + power]?.text === atoms[i]!.text) power++;
      factors.push(power === 1 ? atoms[i]!.text : `${atoms[i]!.text}^${power}`);
      i += power;
    }
    const sign = coefficient < 0 ? '-' : text === '' ? '' : '+';
    text += sign + factors.join('*');
  }
  return text === '' ? '0' : text;
}

/** FNV-1a, only to give oversized expressions a short stable name. */
function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** A named size. */
export function symbol(name: string): Expr {
  return Expr.atom({ text: name });
}

export function isKnown(d: Dim | undefined): d is number {
  return typeof d === 'number';
}

export function sameDim(a: Dim, b: Dim): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b;
  return a === b || a.toString() === b.toString();
}

function asExpr(d: Dim): Expr {
  return typeof d === 'number' ? Expr.constant(d) : d;
}

export function add(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  return combine(a, b, 1);
}

export function subtract(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return combine(a, b, -1);
}

function combine(a: Dim, b: Dim, sign: 1 | -1): Dim {
  const terms = new Map(asExpr(a).terms);
  for (const [key, term] of asExpr(b).terms) {
    const coefficient = (terms.get(key)?.coefficient ?? 0) + sign * term.coefficient;
    terms.set(key, { coefficient, atoms: term.atoms });
  }
  return Expr.of(terms);
}

export function multiply(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  const left = asExpr(a).terms;
  const right = asExpr(b).terms;
  if (left.size * right.size > MAX_TERMS * MAX_TERMS) return opaque(`(${a})*(${b})`);
  const terms = new Map<string, Term>();
  for (const x of left.values()) {
    for (const y of right.values()) {
      const atoms = [...x.atoms, ...y.atoms].sort((p, q) => (p.text < q.text ? -1 : p.text > q.text ? 1 : 0));
      const key = keyOf(atoms);
      const coefficient = (terms.get(key)?.coefficient ?? 0) + x.coefficient * y.coefficient;
      terms.set(key, { coefficient, atoms });
    }
  }
  return Expr.of(terms);
}

export function product(dims: readonly Dim[]): Dim {
  let total: Dim = 1;
  for (const d of dims) total = multiply(total, d);
  return total;
}

export function sum(dims: readonly Dim[]): Dim {
  let total: Dim = 0;
  for (const d of dims) total = add(total, d);
  return total;
}

function opaque(text: string, floor?: Atom['floor']): Expr {
  if (text.length > MAX_TEXT) return Expr.atom({ text: `size_${hashText(text)}` });
  return Expr.atom(floor ? { text, floor } : { text });
}

/** a/b when b divides a for every value of the symbols, else undefined. */
export function divideExactly(a: Dim, b: Dim): Dim | undefined {
  if (typeof a === 'number' && typeof b === 'number') {
    return b !== 0 && Number.isInteger(a / b) ? a / b : undefined;
  }
  if (b === 0) return undefined;
  if (a === 0) return 0;
  // Polynomial long division: the leading term of the remainder must be divisible each time.
  const divisor = asExpr(b);
  const lead = leadingTerm(divisor);
  let remainder: Dim = a;
  let quotient: Dim = 0;
  for (let step = 0; step <= MAX_TERMS; step++) {
    if (remainder === 0) return quotient;
    const term = divideTerm(leadingTerm(asExpr(remainder)), lead);
    if (term === undefined) return undefined;
    const part = Expr.of(new Map([[keyOf(term.atoms), term]]));
    quotient = add(quotient, part);
    remainder = subtract(remainder, multiply(part, b));
  }
  return undefined;
}

/** Greatest term in a fixed order that multiplication respects: by degree, then by text. */
function leadingTerm(expr: Expr): Term {
  let best: Term | undefined;
  let bestKey = '';
  for (const [key, term] of expr.terms) {
    if (
      best === undefined ||
      term.atoms.length > best.atoms.length ||
      (term.atoms.length === best.atoms.length && key < bestKey)
    ) {
      best = term;
      bestKey = key;
    }
  }
  return best!;
}

function divideTerm(a: Term, b: Term): Term | undefined {
  const coefficient = a.coefficient / b.coefficient;
  if (!Number.isInteger(coefficient)) return undefined;
  const atoms = [...a.atoms];
  for (const atom of b.atoms) {
    const at = atoms.findIndex((x) => x.text === atom.text);
    if (at < 0) return undefined;
    atoms.splice(at, 1);
  }
  return { coefficient, atoms };
}

/** floor(a/b). What is divisible is taken out, and floors of floors become one. */
export function floorDivide(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return Math.floor(a / b);
  const exact = divideExactly(a, b);
  if (exact !== undefined) return exact;
  if (typeof b !== 'number' || b < 0) return opaque(`floor(${parenthesised(a)}/${parenthesised(b)})`);
  let whole: Dim = 0;
  let rest: Dim = 0;
  for (const [key, term] of asExpr(a).terms) {
    const outside = key === '' ? Math.floor(term.coefficient / b) : Math.trunc(term.coefficient / b);
    const inside = term.coefficient - outside * b;
    const takeOut = key === '' || inside === 0;
    const part = (coefficient: number): Dim => Expr.of(new Map([[key, { coefficient, atoms: term.atoms }]]));
    if (takeOut) {
      whole = add(whole, part(outside));
      rest = add(rest, part(inside));
    } else {
      rest = add(rest, part(term.coefficient));
    }
  }
  if (typeof rest === 'number') return add(whole, Math.floor(rest / b));
  const nested = mergeFloors(rest, b);
  if (nested !== undefined) return add(whole, nested);
  return add(whole, opaque(`floor(${parenthesised(rest)}/${b})`, { numerator: rest, divisor: b }));
}

/** floor((floor(x/a)+c)/b) = floor((x+a·c)/(a·b)) for integers. */
function mergeFloors(rest: Expr, b: number): Dim | undefined {
  let inner: Atom['floor'];
  let constant = 0;
  for (const [key, term] of rest.terms) {
    if (key === '') constant = term.coefficient;
    else if (
      inner === undefined &&
      term.coefficient === 1 &&
      term.atoms.length === 1 &&
      term.atoms[0]!.floor
    ) {
      inner = term.atoms[0]!.floor;
    } else return undefined;
  }
  if (inner === undefined) return undefined;
  return floorDivide(add(inner.numerator, inner.divisor * constant), inner.divisor * b);
}

/** ceil(a/b) for a positive number b. */
export function ceilDivide(a: Dim, b: number): Dim {
  if (typeof a === 'number') return Math.ceil(a / b);
  return floorDivide(add(a, b - 1), b);
}

export function minimum(a: Dim, b: Dim): Dim {
  const order = compare(a, b);
  if (order !== undefined) return order <= 0 ? a : b;
  return opaque(`min(${[String(a), String(b)].sort().join(', ')})`);
}

export function maximum(a: Dim, b: Dim): Dim {
  const order = compare(a, b);
  if (order !== undefined) return order >= 0 ? a : b;
  return opaque(`max(${[String(a), String(b)].sort().join(', ')})`);
}

/**
 * The sign of a−b where it is the same for all sizes ≥ 0 of the symbols, else undefined.
 * Sizes are non-negative, so a polynomial with coefficients of one sign has that sign.
 */
export function compare(a: Dim, b: Dim): -1 | 0 | 1 | undefined {
  const difference = subtract(a, b);
  if (typeof difference === 'number') return Math.sign(difference) as -1 | 0 | 1;
  let positive = true;
  let negative = true;
  for (const { coefficient } of difference.terms.values()) {
    if (coefficient < 0) positive = false;
    else negative = false;
  }
  const constant = difference.terms.get('')?.coefficient ?? 0;
  if (positive && constant > 0) return 1;
  if (negative && constant < 0) return -1;
  return undefined;
}

function parenthesised(d: Dim): string {
  const text = String(d);
  return typeof d !== 'number' && (d.terms.size > 1 || /^-/.test(text)) ? `(${text})` : text;
}

/**
 * Reads a size as files and users write them: `12`, `batch`, `2*seq`, `(h - 1)//2 + 1`, `floor(w/2)`.
 * Text that is no such expression is taken whole as the name of a size.
 *
 * @param bindings known values of names.
 */
export function parseDim(text: string, bindings: ReadonlyMap<string, number> = new Map()): Dim {
  const whole = bindings.get(text);
  if (whole !== undefined) return whole;
  const tokens = text.match(/\/\/|[()+\-*/,]|\d+(?![\w.])|[^\s()+\-*/,]+/g) ?? [];
  let at = 0;
  const peek = (): string | undefined => tokens[at];
  const fail = Symbol('not an expression');

  function factor(depth: number): Dim {
    const token = tokens[at++];
    if (token === undefined || depth > 32) throw fail;
    if (token === '(') {
      const inner = sumOf(depth + 1);
      if (tokens[at++] !== ')') throw fail;
      return inner;
    }
    if (token === 'floor' && peek() === '(') return factor(depth + 1);
    if (/^\d+$/.test(token)) return Number(token);
    if (/^[A-Za-z_][\w.:[\]]*$/.test(token) && peek() !== '(') return bindings.get(token) ?? symbol(token);
    throw fail;
  }
  function termOf(depth: number): Dim {
    let left = factor(depth);
    for (;;) {
      if (peek() === '*') {
        at++;
        left = multiply(left, factor(depth));
      } else if (peek() === '//' || peek() === '/') {
        at++;
        const right = factor(depth);
        if (right === 0) throw fail;
        left = floorDivide(left, right);
      } else return left;
    }
  }
  function sumOf(depth: number): Dim {
    let left: Dim = 0;
    if (peek() !== '-') left = termOf(depth);
    for (;;) {
      if (peek() === '+') {
        at++;
        left = add(left, termOf(depth));
      } else if (peek() === '-') {
        at++;
        left = subtract(left, termOf(depth));
      } else return left;
    }
  }
  try {
    const value = sumOf(0);
    return at === tokens.length ? value : symbol(text);
  } catch (error) {
    if (error === fail) return symbol(text);
    throw error;
  }
}
