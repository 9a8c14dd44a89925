// Gzip both ways with what Node and browsers have built in. Node's own zlib is about three times as fast at
// unpacking; whoever can use it (store/) passes it in.
import { AuspexError } from '../../util/errors.js';

/** Packed bytes → unpacked bytes, or the other way. */
export type Transform = (chunks: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>;

export const gunzip: Transform = async function* (chunks) {
  try {
    yield* streamed(chunks, new DecompressionStream('gzip'));
  } catch (cause) {
    throw damagedGzip(cause);
  }
};

export const gzip: Transform = (chunks) => streamed(chunks, new CompressionStream('gzip'));

/** The error of bytes that do not unpack; errors of what reads them come through. */
export function damagedGzip(cause: unknown): unknown {
  if (cause instanceof AuspexError) return cause;
  return new AuspexError('GZIP_DAMAGED', 'the gzip file is damaged or truncated', {
    hint: 'it was probably truncated; download or copy it again',
    cause,
  });
}

async function* streamed(
  chunks: Iterable<Uint8Array>,
  through: { readonly readable: unknown; readonly writable: unknown },
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const out = source.pipeThrough(through as TransformStreamPair);
  const reader = out.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever stops early needs nothing more of the source.
    await reader.cancel().catch(() => undefined);
  }
}

type TransformStreamPair = {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
};
