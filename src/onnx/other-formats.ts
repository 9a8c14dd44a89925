// Files that are given for models by mistake, told by how they begin.
import type { ByteSource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';

/** Files people give by mistake, by the text at (or, if said, somewhat after) their beginning. */
const OTHER_FORMATS: readonly (readonly [magic: string, what: string, at?: number])[] = [
  ['version https://git-lfs', 'a Git LFS pointer, not the model itself: run `git lfs pull`'],
  ['PK\u0003\u0004', 'a ZIP archive (a PyTorch checkpoint, perhaps): export it with torch.onnx.export first'],
  ['\u0089HDF', 'an HDF5 file (a Keras model, perhaps): convert it with tf2onnx first'],
  ['\u001f\u008b', 'a gzip archive: unpack it first'],
  ['<!DOCTYPE', 'a web page: the download went wrong'],
  ['<html', 'a web page: the download went wrong'],
  ['\u0000\u0000ORTM', 'an ORT-format model: use the .onnx file it was made from', 2],
  ['GGUF', 'a GGUF file: auspex reads ONNX'],
];

/** Throws if the file is of a format that people mistake for ONNX, and says what to do. */
export function refuseOtherFormats(source: ByteSource): void {
  const head = source.read(0, Math.min(source.size, 32));
  const text = Array.from(head, (byte) => String.fromCharCode(byte)).join('');
  const found = OTHER_FORMATS.find(([magic, , at]) => text.startsWith(magic, at));
  if (found) {
    throw new AuspexError('ONNX_OTHER_FORMAT', `the file is ${found[1].split(':')[0]}`, {
      hint: found[1].split(': ')[1]!,
    });
  }
  if (source.size === 0) throw new AuspexError('ONNX_EMPTY', 'the file is empty');
}
