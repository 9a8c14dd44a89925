// The lines of a file or of standard input, one after another.
import { createReadStream } from 'node:fs';
import { unreadable } from '../onnx/file.js';

/** @param path of a file; `-` is standard input. */
export async function* linesOf(path: string, stdin?: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const lines of linesTogether(path, stdin)) yield* lines;
}

/** As many lines at once as have arrived: waiting for each of thousands takes longer than reading them. */
export async function* linesTogether(
  path: string,
  stdin: NodeJS.ReadableStream = process.stdin,
): AsyncGenerator<readonly string[]> {
  const source = path === '-' ? stdin : createReadStream(path);
  const decoder = new TextDecoder();
  let begun = '';
  try {
    for await (const chunk of source) {
      begun += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      // A carriage return at the end may be half of a line's end.
      const lines = begun.split(/\r\n|\n|\r(?!$)/);
      begun = lines.pop()!;
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw unreadable(path, error);
  }
  begun += decoder.decode();
  if (begun !== '') yield [begun.replace(/\r$/, '')];
}
