// The one error users of auspex see: data, not prose. A stable code, what is wrong, where, and what to do.
// Anything else that is thrown is a defect of auspex itself.
import { printableStart } from './printable.js';

/** Longest line of an error as people see it. */
const MAX_LINE = 1000;

/** The place an error speaks of. Every field that is known is filled in. */
export interface Where {
  /** Path of the file, as the user gave it. */
  file?: string;
  /** Path inside the file's messages, such as `graph.node[3].attribute[0]`. */
  path?: string;
  /** Byte offset in the file. */
  offset?: number;
  /** Name of the node, or a description such as `#12` for a nameless one. */
  node?: string;
  /** Operator of the node, with its domain unless that is ai.onnx. */
  operator?: string;
  /** The graph or function the node is in, when it is not the main graph. */
  graph?: string;
}

/** `usage`: the user's input is at fault (exit code 2). `failure`: the environment is (exit code 1). */
type ErrorKind = 'usage' | 'failure';

/**
 * An error with a stable `code`, the place it happened and a hint.
 *
 * @example
 * let found: AuspexError | undefined;
 * try {
 *   network('missing.onnx').model();
 * } catch (error) {
 *   if (error instanceof AuspexError) found = error;
 * }
 * found?.code; // 'FILE_UNREADABLE'
 * found?.where.file; // 'missing.onnx'
 */
export class AuspexError extends Error {
  override readonly name = 'AuspexError';
  readonly code: string;
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  where: Where;

  constructor(
    code: string,
    message: string,
    options: { where?: Where; hint?: string; kind?: ErrorKind; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = options.kind ?? 'usage';
    this.hint = options.hint;
    this.where = options.where ?? {};
  }

  /** Adds what an outer layer knows of the place; what is already known stays. */
  within(where: Where): this {
    this.where = { ...where, ...this.where };
    return this;
  }

  /** One paragraph for people: message, place, hint. */
  describe(): string {
    const { file, path, offset, node, operator, graph } = this.where;
    const place = [
      file,
      operator && node ? `node '${node}' (${operator})` : (operator ?? (node && `node '${node}'`)),
      graph && `in '${graph}'`,
      path,
      offset === undefined ? undefined : `byte ${offset}`,
    ].filter(Boolean);
    const lines = [`${this.code}: ${this.message}`];
    if (place.length > 0) lines.push(`  at: ${place.join(', ')}`);
    if (this.hint) lines.push(`  try: ${this.hint}`);
    return lines.map((line) => printableStart(line, MAX_LINE)).join('\n');
  }
}
