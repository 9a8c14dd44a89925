// Sizes as text: what files declare, users type and `Expr.toString` prints.
import {
  add,
  ceilOf,
  type Dim,
  floorDivide,
  floorOf,
  MAX_DEGREE,
  MAX_TEXT,
  maximum,
  minimum,
  multiply,
  opaque,
  product,
  subtract,
  symbol,
} from './dim.js';

/** What an expression consists of: numbers, names, signs and brackets. */
const TOKEN = /\/\/|[()+\-*/,^]|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])|[^\s()+\-*/,^]+/g;
const NUMBER = /^\d/;
const NAME = /^[A-Za-z_][\w.:[\]]*$/;

/** Functions an expression may call. */
const FUNCTIONS: Readonly<Record<string, (args: readonly Dim[]) => Dim | undefined>> = {
  floor: (args) => (args.length === 1 ? floorOf(args[0]!) : undefined),
  ceil: (args) => (args.length === 1 ? ceilOf(args[0]!) : undefined),
  min: (args) => args.reduce(minimum),
  max: (args) => args.reduce(maximum),
};

/**
 * Reads a size as files, users and `toString` write them: `12`, `batch`, `2*seq`, `(h - 1)//2 + 1`,
 * `floor(w/2)`, `min(a, b)`, `n^2`. Text that is no such expression is taken whole as the name of a size.
 *
 * @param bindings known values of names.
 */
export function parseDim(text: string, bindings: ReadonlyMap<string, number> = new Map()): Dim {
  const whole = bindings.get(text);
  if (whole !== undefined) return whole;
  if (text === '') return symbol('?');
  if (text.length > 8 * MAX_TEXT) return opaque(text);
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const fail = Symbol('not an expression');

  function take(token: string): boolean {
    if (tokens[at] !== token) return false;
    at++;
    return true;
  }
  function expect<T>(value: T | undefined | false): T {
    if (value === undefined || value === false) throw fail;
    return value;
  }
  function atomOf(depth: number): Dim {
    const token = expect(depth <= 32 && tokens[at++]);
    if (token === '(') {
      const inner = sumOf(depth + 1);
      expect(take(')'));
      return inner;
    }
    if (NUMBER.test(token)) return expect(Number.isFinite(Number(token)) && Number(token));
    expect(NAME.test(token));
    if (!take('(')) return bindings.get(token) ?? symbol(token);
    const call = expect(Object.hasOwn(FUNCTIONS, token) && FUNCTIONS[token]);
    const args = [sumOf(depth + 1)];
    while (take(',')) args.push(sumOf(depth + 1));
    expect(take(')'));
    return expect(call(args));
  }
  function factorOf(depth: number): Dim {
    const base = atomOf(depth);
    if (!take('^')) return base;
    const power = Number(tokens[at++]);
    expect(Number.isInteger(power) && power >= 1 && power <= MAX_DEGREE);
    return product(new Array<Dim>(power).fill(base));
  }
  function termOf(depth: number): Dim {
    let left = factorOf(depth);
    for (;;) {
      if (take('*')) left = multiply(left, factorOf(depth));
      else if (take('//') || take('/')) {
        const right = factorOf(depth);
        expect(right !== 0);
        left = floorDivide(left, right);
      } else return left;
    }
  }
  function sumOf(depth: number): Dim {
    let left: Dim = tokens[at] === '-' ? 0 : termOf(depth);
    for (;;) {
      if (take('+')) left = add(left, termOf(depth));
      else if (take('-')) left = subtract(left, termOf(depth));
      else return left;
    }
  }
  try {
    const value = sumOf(0);
    return at === tokens.length ? value : opaque(text);
  } catch (error) {
    if (error === fail) return opaque(text);
    throw error;
  }
}
