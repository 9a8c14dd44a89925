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
  /** Set for `min(…)` and `max(…)`, likewise. */
  readonly extreme?: { readonly kind: 'min' | 'max'; readonly of: readonly Dim[] };
  /** Set where the value may be below 0 although all sizes are not: `floor((5-h)/2)`. */
  readonly signed?: true;
}

interface Term {
  readonly coefficient: number;
  /** Sorted by text; an atom occurs as often as its power. Empty for the constant term. */
  readonly atoms: readonly Atom[];
}

/** Larger polynomials are replaced by one opaque size: nobody reads them, and hostile files cannot grow them. */
const MAX_TERMS = 48;
/** Counts are sums over a whole network that nothing is computed from: they may be longer. */
const MAX_TOTAL_TERMS = 512;
const MAX_TOTAL_TEXT = 32_000;
export const MAX_DEGREE = 32;
const MAX_OPERANDS = 16;
export const MAX_TEXT = 1000;

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

  /** A polynomial from its terms, or the number it amounts to: NaN when a coefficient is not finite. */
  static of(terms: Map<string, Term>, maxTerms = MAX_TERMS, maxText = MAX_TEXT): Dim {
    for (const [key, term] of terms) {
      if (term.coefficient === 0) terms.delete(key);
      else if (!Number.isFinite(term.coefficient)) return Number.NaN;
    }
    if (terms.size === 0) return 0;
    const constant = terms.get('');
    if (terms.size === 1 && constant) return constant.coefficient;
    const expr = new Expr(terms);
    if (terms.size <= maxTerms && textLength(terms) <= maxText) return expr;
    return hashed(expr.toString(), isNonNegative(expr));
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

/** The length of the text of a polynomial, without making it; at most one more than it will be. */
function textLength(terms: ReadonlyMap<string, Term>): number {
  let length = 0;
  for (const { coefficient, atoms } of terms.values()) {
    const magnitude = Math.abs(coefficient);
    length++;
    if (magnitude !== 1) length += magnitude < 10 ? 2 : String(magnitude).length + 1;
    for (let i = 0; i < atoms.length; i++) {
      const isPower = i > 0 && atoms[i]!.text === atoms[i - 1]!.text;
      length += isPower ? 0 : atoms[i]!.text.length + 1;
    }
  }
  return length;
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

/** One size that stands for a text too long to carry around. */
function hashed(text: string, nonNegative: boolean): Expr {
  const name = { text: `size_${hashText(text)}` };
  return Expr.atom(nonNegative ? name : { ...name, signed: true });
}

/** The names of sizes (and opaque terms) that a size depends on. */
export function symbolsIn(d: Dim): string[] {
  if (typeof d === 'number') return [];
  return [...new Set([...d.terms.values()].flatMap((term) => term.atoms.map((atom) => atom.text)))];
}

/** The names that a size is made of, also those inside of opaque terms: `h` of `floor((h-1)/2)`. */
export function namesIn(d: Dim): string[] {
  if (typeof d === 'number') return [];
  const words = d.toString().split(/[\s()+\-*/,^]+/);
  return [...new Set(words)].filter((word) => word !== '' && !/^\d|^(floor|ceil|min|max)$/.test(word));
}

/** The names that a size is made of, whatever characters they have; those of min, max and floor are looked into. */
export function leavesOf(d: Dim): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (size: Dim): void => {
    if (typeof size === 'number') return;
    for (const { atoms } of size.terms.values()) {
      for (const { text, floor, extreme } of atoms) {
        if (floor) visit(floor.numerator);
        else if (extreme) extreme.of.forEach(visit);
        else found.add(text);
      }
    }
  };
  visit(d);
  return found;
}

/** A named size. */
export function symbol(name: string): Expr {
  return Expr.atom({ text: name });
}

/** The size of a value along an axis when nothing else is known of it: `logits[0]`. */
export function axisSize(name: string, axis: number): Expr {
  return opaque(`${name}[${axis}]`);
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
  if (a === 0) return b;
  return b === 0 ? a : combine(a, b, 1);
}

export function subtract(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return b === 0 ? a : combine(a, b, -1);
}

function combine(a: Dim, b: Dim, sign: 1 | -1): Dim {
  const terms = new Map(asExpr(a).terms);
  for (const [key, term] of asExpr(b).terms) accumulate(terms, key, sign * term.coefficient, term.atoms);
  return Expr.of(terms);
}

export function multiply(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  if (a === 1) return b;
  if (b === 1) return a;
  const left = asExpr(a).terms;
  const right = asExpr(b).terms;
  if (left.size * right.size > 4 * MAX_TERMS || degreeOf(left) + degreeOf(right) > MAX_DEGREE) {
    const factors = [a, b].map((d) => `(${d})`).sort();
    return hashed(factors.join('*'), isNonNegative(a) && isNonNegative(b));
  }
  const terms = new Map<string, Term>();
  for (const x of left.values()) {
    for (const y of right.values()) {
      const atoms = [...x.atoms, ...y.atoms].sort((p, q) => (p.text < q.text ? -1 : p.text > q.text ? 1 : 0));
      accumulate(terms, keyOf(atoms), x.coefficient * y.coefficient, atoms);
    }
  }
  return Expr.of(terms);
}

function degreeOf(terms: ReadonlyMap<string, Term>): number {
  let degree = 0;
  for (const { atoms } of terms.values()) degree = Math.max(degree, atoms.length);
  return degree;
}

export function product(dims: readonly Dim[]): Dim {
  let total: Dim = 1;
  for (let i = 0; i < dims.length; i++) {
    if (dims[i] === 0) return 0;
    total = multiply(total, dims[i]!);
  }
  return total;
}

export function sum(dims: readonly Dim[]): Dim {
  return summed(dims, MAX_TERMS, MAX_TEXT);
}

/** The sum of counts of a network, for reports: a formula also where it is long. */
export function sumOfCounts(counts: readonly Dim[]): Dim {
  return summed(counts, MAX_TOTAL_TERMS, MAX_TOTAL_TEXT);
}

function summed(dims: readonly Dim[], maxTerms: number, maxText: number): Dim {
  let constant = 0;
  const terms = new Map<string, Term>();
  for (const d of dims) {
    if (typeof d === 'number') constant += d;
    else for (const [key, term] of d.terms) accumulate(terms, key, term.coefficient, term.atoms);
  }
  if (terms.size === 0) return constant;
  if (constant !== 0) accumulate(terms, '', constant, []);
  return Expr.of(terms, maxTerms, maxText);
}

function accumulate(
  terms: Map<string, Term>,
  key: string,
  coefficient: number,
  atoms: readonly Atom[],
): void {
  terms.set(key, { coefficient: (terms.get(key)?.coefficient ?? 0) + coefficient, atoms });
}

/** A size that is no polynomial of others. */
export function opaque(text: string, facts: Omit<Atom, 'text'> = {}): Expr {
  return text.length > MAX_TEXT ? hashed(text, !facts.signed) : Expr.atom({ text, ...facts });
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
  if (b === 0) return Number.NaN;
  const exact = divideExactly(a, b);
  if (exact !== undefined) return exact;
  if (typeof b !== 'number' || b < 0) {
    const text = `floor(${asNumerator(a)}/${asDivisor(b)})`;
    return opaque(text, signFacts(a, b));
  }
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
  const floor = { numerator: rest, divisor: b };
  return add(whole, opaque(`floor(${asNumerator(rest)}/${b})`, { floor, ...signFacts(rest) }));
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
  if (inner === undefined || inner.divisor * b > Number.MAX_SAFE_INTEGER) return undefined;
  return floorDivide(add(inner.numerator, inner.divisor * constant), inner.divisor * b);
}

/**
 * floor(a). Float arithmetic on sizes leaves polynomials with fractions (`0.5*h`); over their common
 * denominator the whole part is a size again: `floor(h/2)`.
 */
export function floorOf(a: Dim): Dim {
  if (typeof a === 'number') return Math.floor(a);
  const fraction = commonFraction(a);
  return fraction
    ? floorDivide(fraction.numerator, fraction.denominator)
    : opaque(`floor(${a})`, signFacts(a));
}

/** ceil(a), likewise. */
export function ceilOf(a: Dim): Dim {
  if (typeof a === 'number') return Math.ceil(a);
  const fraction = commonFraction(a);
  return fraction ? ceilDivide(fraction.numerator, fraction.denominator) : opaque(`ceil(${a})`, signFacts(a));
}

/** Fractions with a greater denominator are not recognised as such. */
const MAX_DENOMINATOR = 1024;

/** A polynomial as integers over one denominator; coefficients count as fractions within float32's accuracy. */
function commonFraction(a: Expr): { numerator: Dim; denominator: number } | undefined {
  const coefficients = [...a.terms.values()].map((term) => term.coefficient);
  for (let denominator = 1; denominator <= MAX_DENOMINATOR; denominator++) {
    const isWhole = (c: number): boolean => {
      const scaled = c * denominator;
      return Math.abs(scaled - Math.round(scaled)) <= Math.abs(scaled) * 2 ** -23;
    };
    if (!coefficients.every(isWhole)) continue;
    const terms = new Map<string, Term>();
    for (const [key, { coefficient, atoms }] of a.terms) {
      terms.set(key, { coefficient: Math.round(coefficient * denominator), atoms });
    }
    return { numerator: Expr.of(terms), denominator };
  }
  return undefined;
}

/** ceil(a/b) for a positive number b. */
export function ceilDivide(a: Dim, b: number): Dim {
  if (typeof a === 'number') return Math.ceil(a / b);
  return floorDivide(add(a, b - 1), b);
}

export function minimum(a: Dim, b: Dim): Dim {
  return extremeOf('min', a, b);
}

export function maximum(a: Dim, b: Dim): Dim {
  return extremeOf('max', a, b);
}

/** The least or greatest of sizes; of those that another one is sure to beat nothing remains. */
function extremeOf(kind: 'min' | 'max', a: Dim, b: Dim): Dim {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  const beats = (x: Dim, y: Dim): boolean => (kind === 'min' ? atLeast(y, x) : atLeast(x, y));
  let left: Dim[] = [];
  for (const d of [...operandsOf(kind, a), ...operandsOf(kind, b)]) {
    if (left.some((other) => beats(other, d))) continue;
    left = left.filter((other) => !beats(d, other));
    left.push(d);
  }
  if (left.length === 1) return left[0]!;
  const nonNegative = kind === 'min' ? left.every(isNonNegative) : left.some(isNonNegative);
  const facts = left.length > MAX_OPERANDS ? {} : { extreme: { kind, of: left } };
  const text = `${kind}(${left.map(String).sort().join(', ')})`;
  return opaque(text, nonNegative ? facts : { ...facts, signed: true });
}

/** min(min(x, y), z) = min(x, y, z): the operands of a minimum, or what is none on its own. */
function operandsOf(kind: 'min' | 'max', d: Dim): readonly Dim[] {
  if (typeof d === 'number' || d.terms.size !== 1) return [d];
  const { coefficient, atoms } = leadingTerm(d);
  const extreme = coefficient === 1 && atoms.length === 1 ? atoms[0]!.extreme : undefined;
  return extreme?.kind === kind ? extreme.of : [d];
}

/** Whether a size is ≥ 0 for all sizes ≥ 0 of the symbols, as far as the signs of the coefficients tell. */
function isNonNegative(d: Dim): boolean {
  if (typeof d === 'number') return d >= 0;
  for (const { coefficient, atoms } of d.terms.values()) {
    if (coefficient < 0 || atoms.some((atom) => atom.signed)) return false;
  }
  return true;
}

function signFacts(...parts: readonly Dim[]): { signed?: true } {
  return parts.every(isNonNegative) ? {} : { signed: true };
}

/** Whether a ≥ b for all sizes ≥ 0 of the symbols, as far as the signs of the coefficients tell. */
export function atLeast(a: Dim, b: Dim): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a >= b;
  if (a === Number.POSITIVE_INFINITY || b === Number.NEGATIVE_INFINITY) return true;
  return isNonNegative(subtract(a, b));
}

/**
 * The sign of a−b where it is the same for all sizes ≥ 0 of the symbols, else undefined.
 * Sizes are non-negative, so a polynomial with coefficients of one sign has that sign.
 */
export function compare(a: Dim, b: Dim): -1 | 0 | 1 | undefined {
  if (sameDim(a, b)) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : undefined;
  if (exceeds(a, b)) return 1;
  return exceeds(b, a) ? -1 : undefined;
}

/** Whether a > b for sure: besides what cannot be negative there is a positive constant. */
function exceeds(a: Dim, b: Dim): boolean {
  if (!atLeast(a, b)) return false;
  const difference = subtract(a, b);
  return typeof difference === 'number' || (difference.terms.get('')?.coefficient ?? 0) > 0;
}

function asNumerator(d: Dim): string {
  const text = String(d);
  return text.startsWith('-') || (typeof d !== 'number' && d.terms.size > 1) ? `(${text})` : text;
}

/** Products need brackets too: `x/(a*b)` is not `x/a*b`. */
function asDivisor(d: Dim): string {
  const text = String(d);
  return /^-|\*/.test(text) || (typeof d !== 'number' && d.terms.size > 1) ? `(${text})` : text;
}
