// MurmurHash3 (x86, 128 bits): a fast, well-spread fingerprint for structures. Not for secrets.

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

function rotate(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

function finish(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const utf8 = new TextEncoder();
const shared = new Uint8Array(8192);

/** The bytes of a text, for as long as no other text is asked for. */
function bytesOf(text: string): Uint8Array {
  // No UTF-16 unit takes more than three bytes.
  if (3 * text.length > shared.length) return utf8.encode(text);
  return shared.subarray(0, utf8.encodeInto(text, shared).written);
}

/** 32 hexadecimal digits that depend on every byte of the text. */
export function digest(text: string): string {
  const bytes = bytesOf(text);
  const { length } = bytes;
  const blocks = length >> 4;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let [h1, h2, h3, h4] = [0, 0, 0, 0];
  for (let i = 0; i < blocks; i++) {
    const at = i * 16;
    h1 ^= Math.imul(rotate(Math.imul(view.getInt32(at, true), C1), 15), C2);
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(view.getInt32(at + 4, true), C2), 16), C3);
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(view.getInt32(at + 8, true), C3), 17), C4);
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(view.getInt32(at + 12, true), C4), 18), C1);
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  const tail = [0, 0, 0, 0];
  for (let i = blocks * 16; i < length; i++) tail[(i & 15) >> 2]! |= bytes[i]! << ((i & 3) * 8);
  h4 ^= Math.imul(rotate(Math.imul(tail[3]!, C4), 18), C1);
  h3 ^= Math.imul(rotate(Math.imul(tail[2]!, C3), 17), C4);
  h2 ^= Math.imul(rotate(Math.imul(tail[1]!, C2), 16), C3);
  h1 ^= Math.imul(rotate(Math.imul(tail[0]!, C1), 15), C2);
  const mixed = [h1 ^ length, h2 ^ length, h3 ^ length, h4 ^ length];
  spread(mixed);
  for (let i = 0; i < 4; i++) mixed[i] = finish(mixed[i]!);
  spread(mixed);
  return mixed.map((h) => (h >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Adds all to the first, then the first to all others. */
function spread(h: number[]): void {
  h[0] = (h[0]! + h[1]! + h[2]! + h[3]!) | 0;
  for (let i = 1; i < 4; i++) h[i] = (h[i]! + h[0]!) | 0;
}
