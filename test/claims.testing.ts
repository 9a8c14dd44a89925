// What the comments of examples claim: `93.62`, `'a…'`, `[1, 2, …]`, `{ value: 93.62, … }`. A number holds to the digits that
// are written; `…` stands for anything, and at the end of a list or an object for all that is left.

/** Whether a comment claims a value; others are prose. */
export function isClaim(comment: string): boolean {
  return /^(?:-?\d|['[{…]|(?:true|false|null|undefined)\b)/.test(comment);
}

/** What is wrong with a claim about values, one for each that the comment names; undefined if it holds. */
export function refuted(claim: string, values: readonly unknown[]): string | undefined {
  const reader = new ClaimReader(claim);
  for (const value of values) {
    const problem = reader.compare(value, '');
    if (problem !== undefined) return problem;
  }
  return undefined;
}

class ClaimReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  compare(value: unknown, path: string): string | undefined {
    const start = this.#skip();
    const rest = this.#text.slice(start);
    if (rest.startsWith('…')) return this.#take(1);
    if (rest.startsWith('{')) return this.#object(value, path);
    if (rest.startsWith('[')) return this.#list(value, path);
    const [text, body, more] = /^'((?:[^'…])*)(…?)'/.exec(rest) ?? [];
    if (text !== undefined) {
      this.#at += text.length;
      const isRight = typeof value === 'string' && (more ? value.startsWith(body!) : value === body);
      return isRight ? undefined : different(path, text, value);
    }
    const [word] = /^(?:true|false|null|undefined)\b/.exec(rest) ?? [];
    if (word !== undefined) {
      this.#at += word.length;
      return String(value) === word && typeof value !== 'string' ? undefined : different(path, word, value);
    }
    return this.#number(rest, value, path);
  }

  #number(rest: string, value: unknown, path: string): string | undefined {
    const [text, number, isBig] = /^(-?\d[\d_]*(?:\.\d+)?)(n?)/.exec(rest) ?? [];
    if (text === undefined) throw new Error(`the claim '${this.#text}' cannot be read at ${this.#at}`);
    this.#at += text.length;
    const decimals = number!.split('.')[1]?.length ?? 0;
    const wanted = Number(number!.replaceAll('_', ''));
    const isRight = isBig
      ? value === BigInt(wanted)
      : typeof value === 'number' &&
        Math.abs(value - wanted) <= (decimals === 0 ? 0 : 0.51 * 10 ** -decimals);
    return isRight ? undefined : different(path, text, value);
  }

  #list(value: unknown, path: string): string | undefined {
    const list =
      ArrayBuffer.isView(value) || Array.isArray(value) ? Array.from(value as unknown[]) : undefined;
    if (list === undefined) return different(path, 'a list', value);
    this.#take(1);
    for (let i = 0; ; i++) {
      if (this.#next(']')) return i === list.length ? undefined : different(path, `${i} elements`, list);
      if (this.#next('…')) {
        this.#expect(']');
        return undefined;
      }
      if (i >= list.length) return different(path, `more than ${i} elements`, list);
      const problem = this.compare(list[i], `${path}[${i}]`);
      if (problem !== undefined) return problem;
      this.#next(',');
    }
  }

  #object(value: unknown, path: string): string | undefined {
    if (typeof value !== 'object' || value === null) return different(path, 'an object', value);
    this.#take(1);
    const seen = new Set<string>();
    for (;;) {
      if (this.#next('…')) {
        this.#next(',');
        this.#expect('}');
        return undefined;
      }
      if (this.#next('}')) {
        const other = Object.keys(value).find((key) => !seen.has(key));
        return other === undefined ? undefined : `${path} has '${other}' as well`;
      }
      const [text, name] = /^(\w+):/.exec(this.#text.slice(this.#skip())) ?? [];
      if (text === undefined) throw new Error(`the claim '${this.#text}' cannot be read at ${this.#at}`);
      this.#at += text.length;
      seen.add(name!);
      const problem = this.compare((value as Record<string, unknown>)[name!], `${path}.${name}`);
      if (problem !== undefined) return problem;
      this.#next(',');
    }
  }

  #skip(): number {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#at;
  }

  #next(character: string): boolean {
    if (this.#text[this.#skip()] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#next(character)) throw new Error(`'${character}' is missing in the claim '${this.#text}'`);
  }

  #take(count: number): undefined {
    this.#at += count;
    return undefined;
  }
}

function different(path: string, wanted: string, value: unknown): string {
  const shown =
    typeof value === 'bigint'
      ? `${value}n`
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  return `${path || 'it'} is ${shown?.slice(0, 200)}, not ${wanted}`;
}
