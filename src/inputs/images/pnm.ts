// Binary PGM and PPM (Netpbm's P5 and P6), of 8 or 16 bits. The first picture of a file.
import { checkSize, damaged, type Picture } from './picture.js';

const GAP = '(?:\\s|#[^\\r\\n]*[\\r\\n])+';
const HEADER = new RegExp(`^P([56])${GAP}(\\d{1,9})${GAP}(\\d{1,9})${GAP}(\\d{1,5})\\s`);
/** Where a header must have ended; comments in it are short. */
const HEADER_BYTES = 8192;

/** Code: IMAGE_FORMAT. */
export function decodePnm(bytes: Buffer): Picture {
  const found = HEADER.exec(bytes.toString('latin1', 0, HEADER_BYTES));
  if (found === null) throw damaged('it has no PGM or PPM header');
  const [width, height, max] = found.slice(2).map(Number) as [number, number, number];
  if (max < 1 || max > 65_535) throw damaged(`its white is ${max}, not 1 to 65535`);
  const channels = found[1] === '5' ? 1 : 3;
  const isWide = max > 255;
  checkSize(width, height, isWide ? 2 * channels : channels);
  const count = width * height * channels;
  const data = bytes.subarray(found[0].length);
  if (data.length < (isWide ? 2 * count : count)) throw damaged('it ends early');
  const samples = isWide
    ? Uint16Array.from({ length: count }, (_, i) => data.readUInt16BE(2 * i))
    : new Uint8Array(data.subarray(0, count));
  return { width, height, channels, max, samples };
}
