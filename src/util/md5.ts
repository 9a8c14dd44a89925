// MD5 (RFC 1321), for hashes that others have published as MD5. Not for secrets.

/** ⌊2³²·|sin(i + 1)|⌋ */
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(2 ** 32 * Math.abs(Math.sin(i + 1))));

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const utf8 = new TextEncoder();
const state = new Int32Array(4);
let padded = new Uint8Array(1024);
let words = new DataView(padded.buffer);
const block = new Int32Array(16);

/** The text as UTF-8 in `padded`, and how many bytes that is. Nearly all texts that are hashed are ASCII. */
function write(text: string): number {
  // No UTF-16 unit takes more than three bytes; 72 is the most that padding adds.
  const needed = 3 * text.length + 72;
  if (needed > padded.length) {
    padded = new Uint8Array(2 * needed);
    words = new DataView(padded.buffer);
  }
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return utf8.encodeInto(text, padded).written;
    padded[i] = code;
  }
  return text.length;
}

/** 32 hexadecimal digits: the MD5 of the text's UTF-8. */
export function md5(text: string): string {
  const length = write(text);
  const end = (length + 72) & ~63;
  padded.fill(0, length, end);
  padded[length] = 0x80;
  words.setUint32(end - 8, length << 3, true);
  words.setUint32(end - 4, Math.floor(length / 2 ** 29), true);
  state[0] = 0x67452301;
  state[1] = 0xefcdab89;
  state[2] = 0x98badcfe;
  state[3] = 0x10325476;
  for (let at = 0; at < end; at += 64) {
    for (let i = 0; i < 16; i++) block[i] = words.getInt32(at + 4 * i, true);
    mixBlock();
  }
  let digits = '';
  for (let i = 0; i < 4; i++) {
    const word = state[i]!;
    digits += HEX[word & 255]! + HEX[(word >> 8) & 255]! + HEX[(word >> 16) & 255]! + HEX[word >>> 24]!;
  }
  return digits;
}

function rotate(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

/** Mixes `block` into `state`: four rounds of sixteen steps, each with a function and an order of its own. */
function mixBlock(): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  const x = (step: number, from: number): number => SINES[step]! + block[from & 15]!;
  for (let i = 0; i < 16; i += 4) {
    a = (b + rotate((a + ((b & c) | (~b & d)) + x(i, i)) | 0, 7)) | 0;
    d = (a + rotate((d + ((a & b) | (~a & c)) + x(i + 1, i + 1)) | 0, 12)) | 0;
    c = (d + rotate((c + ((d & a) | (~d & b)) + x(i + 2, i + 2)) | 0, 17)) | 0;
    b = (c + rotate((b + ((c & d) | (~c & a)) + x(i + 3, i + 3)) | 0, 22)) | 0;
  }
  for (let i = 16; i < 32; i += 4) {
    a = (b + rotate((a + ((d & b) | (~d & c)) + x(i, 5 * i + 1)) | 0, 5)) | 0;
    d = (a + rotate((d + ((c & a) | (~c & b)) + x(i + 1, 5 * i + 6)) | 0, 9)) | 0;
    c = (d + rotate((c + ((b & d) | (~b & a)) + x(i + 2, 5 * i + 11)) | 0, 14)) | 0;
    b = (c + rotate((b + ((a & c) | (~a & d)) + x(i + 3, 5 * i + 16)) | 0, 20)) | 0;
  }
  for (let i = 32; i < 48; i += 4) {
    a = (b + rotate((a + (b ^ c ^ d) + x(i, 3 * i + 5)) | 0, 4)) | 0;
    d = (a + rotate((d + (a ^ b ^ c) + x(i + 1, 3 * i + 8)) | 0, 11)) | 0;
    c = (d + rotate((c + (d ^ a ^ b) + x(i + 2, 3 * i + 11)) | 0, 16)) | 0;
    b = (c + rotate((b + (c ^ d ^ a) + x(i + 3, 3 * i + 14)) | 0, 23)) | 0;
  }
  for (let i = 48; i < 64; i += 4) {
    a = (b + rotate((a + (c ^ (b | ~d)) + x(i, 7 * i)) | 0, 6)) | 0;
    d = (a + rotate((d + (b ^ (a | ~c)) + x(i + 1, 7 * i + 7)) | 0, 10)) | 0;
    c = (d + rotate((c + (a ^ (d | ~b)) + x(i + 2, 7 * i + 14)) | 0, 15)) | 0;
    b = (c + rotate((b + (d ^ (c | ~a)) + x(i + 3, 7 * i + 21)) | 0, 21)) | 0;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
}
