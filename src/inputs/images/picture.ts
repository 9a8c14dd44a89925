// A picture as a file has it, and what is refused. Sizes are limited before anything is unpacked, so that a small file
// cannot take all memory.
import { AuspexError } from '../../util/errors.js';

/** Samples row by row, the channels of a pixel beside each other. Transparency is left out, as in training. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** The sample that is white. */
  readonly max: number;
  readonly samples: Uint8Array | Uint16Array;
}

/** The most that one picture may take when it is unpacked: 44 million pixels of three 8-bit colours. */
const MAX_BYTES = 2 ** 27;

/** The longest side: resizing keeps numbers for every row and every column. */
const MAX_SIDE = 2 ** 15;

/** The largest file that is opened. What is packed can be a little longer than what is not. */
export const MAX_FILE_BYTES = 2 * MAX_BYTES;

const CONVERT = 'convert it to PNG, as with ImageMagick: mogrify -format png FILE';

/** What is wrong with a picture; whoever knows its file adds that. */
export function pictureError(message: string, hint = CONVERT, cause?: unknown): AuspexError {
  return new AuspexError('IMAGE_FORMAT', message, { hint, cause });
}

export function damaged(what: string, cause?: unknown): AuspexError {
  return pictureError(what, 'the file is damaged or was cut off; get it again, or take it away', cause);
}

/** Throws for a picture without pixels, and for one that is too large. */
export function checkSize(width: number, height: number, bytesPerPixel: number): void {
  if (width === 0 || height === 0) throw damaged(`its size is ${width}x${height}`);
  if (Math.max(width, height) <= MAX_SIDE && width * height * bytesPerPixel <= MAX_BYTES) return;
  throw pictureError(
    `a picture of ${width}x${height} is too large`,
    `shrink it: sides are up to ${MAX_SIDE}, and all of it up to ${MAX_BYTES} bytes`,
  );
}
