// Errors as the page shows them.
import { AuspexError } from '../../../src/util/errors.js';
import { printableStart } from '../../../src/util/printable.js';
import type { Problem } from './protocol.js';

export function problemFrom(error: unknown): Problem {
  if (!(error instanceof AuspexError)) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const isMemory = error instanceof RangeError;
    return {
      code: isMemory ? 'OUT_OF_MEMORY' : 'UNEXPECTED',
      message: printableStart(message, 500),
      hint: isMemory ? 'close other networks, or use the command line' : undefined,
      at: [],
    };
  }
  const { file, path, offset, node, operator, graph } = error.where;
  const at = [
    file,
    node === undefined ? operator : `node '${node}'${operator ? ` (${operator})` : ''}`,
    graph && `in '${graph}'`,
    path,
    offset === undefined ? undefined : `byte ${offset}`,
  ].filter((part): part is string => part !== undefined && part !== '');
  return {
    code: error.code,
    message: printableStart(error.message, 1000),
    hint: error.hint && printableStart(error.hint, 1000),
    at: at.map((part) => printableStart(part, 300)),
    node,
  };
}
