// Where in a file's messages something is. Made for every message, spelled out for almost none.

/** A place among the messages, spelled out only when an error needs it: `graph.node[3].attribute[0]`. */
export class Path {
  readonly #parent: Path | undefined;
  readonly #name: string;
  readonly #index: number | undefined;

  constructor(parent: Path | undefined, name: string, index?: number) {
    this.#parent = parent;
    this.#name = name;
    this.#index = index;
  }

  item(name: string, index?: number): Path {
    return new Path(this, name, index);
  }

  toString(): string {
    const before = this.#parent?.toString() ?? '';
    const here = this.#index === undefined ? this.#name : `${this.#name}[${this.#index}]`;
    return before === '' ? here : `${before}.${here}`;
  }
}

/** The file itself. */
export const ROOT = new Path(undefined, '');
