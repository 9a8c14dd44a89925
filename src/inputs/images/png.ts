// PNG (W3C, third edition): all colour types and depths, not interlaced. Colour profiles and gamma are not applied.
import { crc32, inflateSync } from 'node:zlib';
import { checkSize, damaged, type Picture, pictureError } from './picture.js';

export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';

/** By colour type: samples of a pixel in the file, those that are kept, and how many bits they may have. */
const COLOURS: Readonly<Record<number, { samples: number; channels: 1 | 3; depths: readonly number[] }>> = {
  0: { samples: 1, channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, channels: 3, depths: [8, 16] },
  3: { samples: 1, channels: 3, depths: [1, 2, 4, 8] },
  4: { samples: 2, channels: 1, depths: [8, 16] },
  6: { samples: 4, channels: 3, depths: [8, 16] },
};

const PALETTE = 3;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
}

/** Code: IMAGE_FORMAT. */
export function decodePng(bytes: Buffer): Picture {
  let header: Header | undefined;
  let palette: Buffer | undefined;
  const packed: Buffer[] = [];
  for (const { type, data } of chunksOf(bytes)) {
    if (header === undefined && type !== 'IHDR') throw damaged('it does not start with its header');
    if (type === 'IHDR') header = readHeader(data);
    else if (type === 'PLTE') palette = data;
    else if (type === 'IDAT') packed.push(data);
  }
  if (header === undefined || packed.length === 0) throw damaged('it has no pixels');
  if (header.colour === PALETTE && palette === undefined) throw damaged('its palette is missing');
  const { samples } = COLOURS[header.colour]!;
  const rowBytes = Math.ceil((header.width * samples * header.depth) / 8);
  const rows = inflated(Buffer.concat(packed), header.height * (rowBytes + 1));
  unfilter(rows, rowBytes, Math.max(1, (samples * header.depth) / 8));
  // Other colour types may suggest a palette, for screens that need one.
  return pictureOf(header, rows, rowBytes, header.colour === PALETTE ? palette : undefined);
}

/** Up to the end that the file declares. Throws where a checksum is wrong. */
function* chunksOf(bytes: Buffer): Generator<{ readonly type: string; readonly data: Buffer }> {
  for (let at = PNG_SIGNATURE.length; ; ) {
    const end = at + 8 <= bytes.length ? at + 8 + bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    if (end + 4 > bytes.length) throw damaged('it ends early');
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) {
      throw damaged(`the checksum at byte ${end} is wrong`);
    }
    if (type === 'IEND') return;
    yield { type, data: bytes.subarray(at + 8, end) };
    at = end + 4;
  }
}

function readHeader(data: Buffer): Header {
  if (data.length !== 13) throw damaged('it has no PNG header');
  const [width, height, depth, colour] = [data.readUInt32BE(0), data.readUInt32BE(4), data[8]!, data[9]!];
  if (!COLOURS[colour]?.depths.includes(depth) || data[10] !== 0 || data[11] !== 0) {
    throw damaged(`PNG has no colour type ${colour} with ${depth} bits`);
  }
  if (data[12] !== 0) {
    throw pictureError(
      'interlaced PNG is not read',
      'write it without, as with ImageMagick: mogrify -interlace none FILE',
    );
  }
  const { samples, channels } = COLOURS[colour];
  checkSize(width, height, Math.max(samples, channels) * (depth === 16 ? 2 : 1));
  return { width, height, depth, colour };
}

function inflated(packed: Buffer, length: number): Buffer {
  let rows: Buffer;
  try {
    rows = inflateSync(packed, { maxOutputLength: length });
  } catch (cause) {
    const isMore = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw damaged(isMore ? 'it has more data than its size' : 'its data do not unpack', cause);
  }
  if (rows.length < length) throw damaged('it has less data than its size');
  return rows;
}

/** Undoes the prediction of every byte from its neighbours (section 9), in place. A row begins with its filter. */
function unfilter(rows: Buffer, rowBytes: number, pixelBytes: number): void {
  for (let start = 1; start < rows.length; start += rowBytes + 1) {
    const filter = rows[start - 1]!;
    if (filter > 4) throw damaged(`unknown filter ${filter}`);
    if (filter === 0) continue;
    const hasAbove = start > 1;
    for (let i = 0; i < rowBytes; i++) {
      const at = start + i;
      const left = i >= pixelBytes ? rows[at - pixelBytes]! : 0;
      const above = hasAbove ? rows[at - rowBytes - 1]! : 0;
      const corner = hasAbove && i >= pixelBytes ? rows[at - rowBytes - 1 - pixelBytes]! : 0;
      rows[at]! += predicted(filter, left, above, corner);
    }
  }
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  // Paeth: the neighbour nearest to left + above − corner.
  const fromLeft = Math.abs(above - corner);
  const fromAbove = Math.abs(left - corner);
  const fromCorner = Math.abs(left + above - 2 * corner);
  if (fromLeft <= fromAbove && fromLeft <= fromCorner) return left;
  return fromAbove <= fromCorner ? above : corner;
}

function pictureOf(
  { width, height, depth, colour }: Header,
  rows: Buffer,
  rowBytes: number,
  palette: Buffer | undefined,
): Picture {
  const { samples: perPixel, channels } = COLOURS[colour]!;
  const samples = new (depth === 16 ? Uint16Array : Uint8Array)(width * height * channels);
  let to = 0;
  for (let y = 0; y < height; y++) {
    const start = y * (rowBytes + 1) + 1;
    for (let x = 0; x < width; x++) {
      const entry = palette ? 3 * sampleAt(rows, start, x, depth) : 0;
      if (palette && entry + 3 > palette.length) throw damaged('a colour is not in its palette');
      for (let c = 0; c < channels; c++) {
        samples[to++] = palette ? palette[entry + c]! : sampleAt(rows, start, x * perPixel + c, depth);
      }
    }
  }
  return { width, height, channels, samples, max: palette ? 255 : 2 ** depth - 1 };
}

/** Sample `i` of a row that begins at byte `start`. */
function sampleAt(rows: Buffer, start: number, i: number, depth: number): number {
  if (depth === 8) return rows[start + i]!;
  if (depth === 16) return rows.readUInt16BE(start + 2 * i);
  const bit = i * depth;
  return (rows[start + (bit >> 3)]! >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
}
