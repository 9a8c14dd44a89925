// Architectures that are a few sizes and lists of one element a layer, as spaces of transformers have them: reading
// their texts or JSON objects.
import { archError } from '../arch-error.js';

/** A field's name in JSON, and the letters in front of it in a text. */
type FieldLayout = readonly (readonly [name: string, letters: string])[];

/** The values of an architecture's text by name, checked as they are taken out. */
export class Fields {
  readonly isJson: boolean;
  readonly #space: string;
  readonly #text: string;
  readonly #values: ReadonlyMap<string, unknown>;

  /**
   * Reads fields joined by ':', lists in them joined by ',', such as `192:2:r3.5,4:h3,4`; or a JSON object, which
   * may say more than is asked for.
   */
  constructor(space: string, text: string, layout: FieldLayout) {
    this.#space = space;
    this.#text = text;
    this.isJson = text.trimStart().startsWith('{');
    this.#values = this.isJson ? this.#jsonValues() : this.#textValues(layout);
  }

  #jsonValues(): Map<string, unknown> {
    try {
      return new Map(Object.entries(JSON.parse(this.#text)));
    } catch (cause) {
      throw archError(
        this.#space,
        this.#text,
        `it looks like JSON, but is invalid: ${(cause as Error).message}`,
      );
    }
  }

  #textValues(layout: FieldLayout): Map<string, unknown> {
    const parts = this.#text.trim().split(':');
    if (parts.length !== layout.length) {
      this.fail(`it has ${parts.length} fields joined by ':', not ${layout.length}`);
    }
    return new Map(
      layout.map(([name, letters], i) => {
        const part = parts[i]!;
        if (!part.startsWith(letters)) this.fail(`field ${i + 1}, ${name}, must begin with '${letters}'`);
        return [name, part.slice(letters.length)];
      }),
    );
  }

  fail(problem: string, hint?: string): never {
    throw archError(this.#space, this.#text, problem, hint);
  }

  /** What a field says, if it is there. */
  raw(name: string): unknown {
    return this.#values.get(name);
  }

  /** One of the options. */
  choice(name: string, options: readonly number[]): number {
    return this.#option(name, this.raw(name), options);
  }

  /** A whole number from `low` to `high`, a multiple of `step`. */
  whole(name: string, low: number, high: number, step = 1): number {
    return this.#whole(name, this.raw(name), low, high, step);
  }

  /** 1 or 0 in texts. */
  flag(name: string): boolean {
    const value = this.raw(name);
    if (value === true || value === '1') return true;
    if (value === false || value === '0') return false;
    return this.fail(`${name} is ${JSON.stringify(value) ?? 'missing'}, not 1 or 0`);
  }

  /** A list of options. JSON that describes a part of a larger network may have more than `count`, see `isPrefix`. */
  choices(
    name: string,
    count: number,
    options: readonly number[],
    { isPrefix = false }: { readonly isPrefix?: boolean } = {},
  ): number[] {
    const list = this.#list(name, count, isPrefix);
    return list.map((value, i) => this.#option(`${name} of layer ${i + 1}`, value, options));
  }

  /** A list of whole numbers. */
  wholes(name: string, count: number, low: number, high: number): number[] {
    const list = this.#list(name, count, false);
    return list.map((value, i) => this.#whole(`${name} of layer ${i + 1}`, value, low, high, 1));
  }

  #list(name: string, count: number, isPrefix: boolean): unknown[] {
    const value = this.raw(name);
    const list = typeof value === 'string' && !this.isJson ? value.split(',') : value;
    if (!Array.isArray(list)) return this.fail(`${name} is not a list`);
    if (this.isJson && isPrefix && list.length > count) return list.slice(0, count);
    if (list.length !== count)
      this.fail(`${name} has ${list.length} elements, but there are ${count} layers`);
    return list;
  }

  #number(name: string, value: unknown): number {
    if (typeof value === 'number' && this.isJson) return value;
    if (typeof value === 'string' && !this.isJson && /^\d+(\.\d+)?$/.test(value)) return Number(value);
    return this.fail(`${name} is ${JSON.stringify(value) ?? 'missing'}, not a number`);
  }

  #option(name: string, value: unknown, options: readonly number[]): number {
    const number = this.#number(name, value);
    if (!options.includes(number)) {
      this.fail(`${name} is ${number}`, `choose from ${options.join(', ')}`);
    }
    return number;
  }

  #whole(name: string, value: unknown, low: number, high: number, step: number): number {
    const number = this.#number(name, value);
    if (!Number.isInteger(number / step) || number < low || number > high) {
      const kind = step === 1 ? 'a whole number' : `a multiple of ${step}`;
      this.fail(`${name} is ${number}`, `it must be ${kind} from ${low} to ${high}`);
    }
    return number;
  }
}
