// Where the worker reads models from: dropped files and URLs of the page's own host, piece by piece. Weights that nobody
// asks for are never loaded.
import type { ExternalFiles } from '../../../src/graph/tensor.js';
import { ByteRange, type ByteSource, MemorySource } from '../../../src/util/bytes.js';
import { AuspexError } from '../../../src/util/errors.js';

/** In workers only. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const WINDOW_BYTES = 1024 * 1024;

/** A dropped file. */
class BlobSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = WINDOW_BYTES;
  readonly #blob: Blob;
  readonly #name: string;

  constructor(blob: Blob, name: string) {
    this.size = blob.size;
    this.#blob = blob;
    this.#name = name;
  }

  read(offset: number, length: number): Uint8Array {
    try {
      return new Uint8Array(
        new FileReaderSync().readAsArrayBuffer(this.#blob.slice(offset, offset + length)),
      );
    } catch (cause) {
      throw new AuspexError('FILE_UNREADABLE', 'the file cannot be read any more', {
        where: { file: this.#name },
        hint: 'it was changed or moved; drop it again',
        cause,
      });
    }
  }
}

/** A file of the page's host that answers requests for parts of it. */
class UrlSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = WINDOW_BYTES;
  readonly #url: string;

  constructor(url: string, size: number) {
    this.#url = url;
    this.size = size;
  }

  read(offset: number, length: number): Uint8Array {
    if (length === 0) return new Uint8Array();
    const request = new XMLHttpRequest();
    request.open('GET', this.#url, false);
    request.responseType = 'arraybuffer';
    request.setRequestHeader('Range', `bytes=${offset}-${offset + length - 1}`);
    request.send();
    if (request.status === 206) return new Uint8Array(request.response as ArrayBuffer);
    throw unreadable(this.#url, request.status);
  }
}

/** A file that was given to the page. */
export type GivenFile =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: Blob }
  | { readonly kind: 'url'; readonly name: string; readonly url: string };

export async function sourceOf(file: GivenFile): Promise<ByteSource> {
  if (file.kind === 'blob') return new BlobSource(file.blob, file.name);
  const response = await fetch(file.url, { headers: { Range: 'bytes=0-0' } });
  if (!response.ok) throw unreadable(file.url, response.status);
  const size = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status === 206 && size !== undefined) return new UrlSource(file.url, Number(size));
  return new MemorySource(bytes);
}

export async function textOf(file: GivenFile): Promise<string> {
  if (file.kind === 'blob') return file.blob.text();
  const response = await fetch(file.url);
  if (!response.ok) throw unreadable(file.url, response.status);
  return response.text();
}

function unreadable(url: string, status: number): AuspexError {
  return new AuspexError('FILE_UNREADABLE', `the file cannot be loaded (status ${status})`, {
    where: { file: url },
    kind: 'failure',
  });
}

/** External data among the files that were given together with a model, found by name. */
export class GivenData implements ExternalFiles {
  readonly #sources: ReadonlyMap<string, ByteSource>;

  constructor(sources: ReadonlyMap<string, ByteSource>) {
    this.#sources = sources;
  }

  open(location: string): ByteRange {
    const source = this.#sources.get(location.split('/').at(-1)!);
    if (source !== undefined) return new ByteRange(source, 0, source.size);
    throw new AuspexError('DATA_MISSING', `the weight file '${location}' is missing`, {
      hint: 'drop it together with the model',
    });
  }
}
