// Architectures as others write them: JSON objects of numbers and lists of numbers, or the same as Python prints it. What is
// missing or of the wrong kind is refused with the name of its key.
import { printableStart } from '../util/printable.js';
import { archError } from './arch-error.js';

export class JsonArch {
  readonly #space: string;
  readonly #text: string;
  readonly #fields: ReadonlyMap<string, unknown>;

  constructor(space: string, text: string) {
    this.#space = space;
    this.#text = text;
    let object: unknown;
    try {
      object = JSON.parse(text.includes("'") ? fromPython(text) : text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw this.error(`it is not JSON: ${printableStart(why, 100)}`);
    }
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      throw this.error('it is not a JSON object');
    }
    this.#fields = new Map(Object.entries(object));
  }

  static isMeant(text: string): boolean {
    return text.trimStart().startsWith('{');
  }

  error(problem: string): Error {
    return archError(this.#space, this.#text, problem);
  }

  /** Whether there is such a key, and not with null. */
  has(key: string): boolean {
    return this.#fields.get(key) !== undefined && this.#fields.get(key) !== null;
  }

  /** A number; a list of one stands for it. */
  number(key: string): number {
    const value = this.#required(key);
    const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (typeof only !== 'number') throw this.error(`'${key}' is not a number`);
    return only;
  }

  boolean(key: string): boolean {
    const value = this.#required(key);
    if (typeof value !== 'boolean') throw this.error(`'${key}' is neither true nor false`);
    return value;
  }

  /** A list of numbers; one number stands for a list of them. */
  numbers(key: string, count: number): readonly number[] {
    const value = this.#required(key);
    if (typeof value === 'number') return Array.from({ length: count }, () => value);
    if (!Array.isArray(value) || !value.every((v) => typeof v === 'number')) {
      throw this.error(`'${key}' is not a list of numbers`);
    }
    if (value.length !== count) throw this.error(`'${key}' has ${value.length} numbers, not ${count}`);
    return value;
  }

  #required(key: string): unknown {
    if (!this.has(key)) throw this.error(`'${key}' is missing`);
    return this.#fields.get(key);
  }
}

/** `{'d': [2, 3], 'wid': None}` as JSON; other texts may become something that is not JSON either. */
function fromPython(text: string): string {
  const words: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };
  return text.replaceAll("'", '"').replaceAll(/\b(?:None|True|False)\b/g, (word) => words[word]!);
}
