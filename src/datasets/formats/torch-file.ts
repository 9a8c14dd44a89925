// Files of `torch.save`: a zip archive since PyTorch 1.6, before that a few pickles in a row. Weights stay where they
// are; what is wanted is the pickle with everything else.
import type { ByteSource } from '../../util/bytes.js';
import { AuspexError } from '../../util/errors.js';
import { chunksOf } from './chunks.js';
import { type PickleOptions, PickleReader } from './pickle.js';
import type { PickleValue } from './pickle-values.js';
import { isZip, STORED, type ZipEntry, zipEntries } from './zip.js';

export { isZip };

/** The number that files before 1.6 begin with. */
const LEGACY_MAGIC = 0x1950a86a20f9469cfc6cn;
const LEGACY_PROTOCOL = 1001;

/** The object in a file of `torch.save`, of either kind, or in a plain pickle. */
export function readTorchFile(source: ByteSource, options: PickleOptions = {}): PickleValue {
  if (isZip(source.read(0, Math.min(4, source.size)))) {
    const { from, to } = pickleEntry(source);
    return new PickleReader(chunksOf(source, from, to), options).read();
  }
  return readPickles(chunksOf(source), options);
}

/** The object in bytes that are a pickle, or pickles as PyTorch before 1.6 wrote them. */
export function readPickles(chunks: Iterable<Uint8Array>, options: PickleOptions = {}): PickleValue {
  const reader = new PickleReader(chunks, options);
  const first = reader.read();
  if (first !== LEGACY_MAGIC) return first;
  const protocol = reader.read();
  if (protocol !== LEGACY_PROTOCOL) {
    throw new AuspexError('TORCH_FILE', 'the PyTorch file has an unknown version', {
      hint: 'load it with PyTorch and save it again',
    });
  }
  // What the machine was like that wrote it.
  reader.read();
  return reader.read();
}

function pickleEntry(source: ByteSource): ZipEntry {
  const fail = (problem: string, hint?: string): AuspexError =>
    new AuspexError('TORCH_FILE', `the zip archive cannot be read: ${problem}`, hint ? { hint } : {});
  for (const entry of zipEntries(source, fail)) {
    if (entry.name !== 'data.pkl' && !entry.name.endsWith('/data.pkl')) continue;
    if (entry.method === STORED) return entry;
    throw fail(`its entry '${entry.name}' is compressed, which PyTorch never does`);
  }
  throw fail('it has no data.pkl', 'is it a file of torch.save?');
}
