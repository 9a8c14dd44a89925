// The lines of a file or of standard input, one after another.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { unreadable } from '../onnx/file.js';

/** @param path of a file; `-` is standard input. */
export async function* linesOf(
  path: string,
  stdin: NodeJS.ReadableStream = process.stdin,
): AsyncGenerator<string> {
  const source = path === '-' ? stdin : createReadStream(path);
  try {
    yield* createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw unreadable(path, error);
  }
}
