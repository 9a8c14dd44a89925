// Numbers in text files, as CSV writers of Python, R and spreadsheets put them down.

/** What stands for a missing value, besides nothing at all. */
const MISSING = new Set(['', 'na', 'n/a', 'null', 'none']);
/** What programs write for results that are no numbers: not missing, but wrong. */
const NOT_FINITE = /^[-+]?(?:nan|inf|infinity)$/;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/;

/** Powers of ten that a double holds exactly. */
const TENS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
/** Decimal digits that any double holds exactly. */
const EXACT_DIGITS = 15;
/** No number has more characters; what is longer is not looked at. */
const MAX_LENGTH = 400;

const latin1 = new TextDecoder('latin1');

/** The number that a text says, NaN for a missing one, undefined for what is no finite number. */
export function numberOf(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const word = text.trim().toLowerCase();
  if (MISSING.has(word)) return Number.NaN;
  const value = DECIMAL.test(word) ? Number(word) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Whether a text is what programs write for NaN and infinities, or a number too large for a double. */
export function isNotFinite(text: string): boolean {
  const word = text.trim().toLowerCase();
  return NOT_FINITE.test(word) || (DECIMAL.test(word) && !Number.isFinite(Number(word)));
}

export const NOT_FINITE_HINT =
  'leave the field empty where a value is missing; --skip-bad leaves such rows out';

/**
 * The same for a part of an array of bytes. Few digits are put together here: a product or quotient of a whole number
 * below 2^53 and a power of ten up to 10^22 is rounded once, hence right (Clinger 1990).
 */
export function numberIn(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (from === to) return Number.NaN;
  let at = from;
  const isNegative = bytes[at] === 0x2d;
  if (isNegative) at++;
  let mantissa = 0;
  let digits = 0;
  let point = -1;
  for (; at < to; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digits++;
    } else if (digit === -2 && point < 0) point = at;
    else break;
  }
  if (at < to || digits === 0 || digits > EXACT_DIGITS) {
    return to - from > MAX_LENGTH ? undefined : numberOf(latin1.decode(bytes.subarray(from, to)));
  }
  const value = point < 0 ? mantissa : mantissa / TENS[to - point - 1]!;
  return isNegative ? -value : value;
}

/** The shortest text that reads as this number; empty for NaN. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return '';
  return Object.is(value, -0) ? '-0' : String(value);
}
