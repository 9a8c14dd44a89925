import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesOf, files } from './golden-images.testing.js';
import { decodePng, PNG_SIGNATURE } from './png.js';
import { decodePnm } from './pnm.js';

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

interface Made {
  width?: number;
  height?: number;
  depth?: number;
  colour?: number;
  interlace?: number;
  rows?: Uint8Array;
  palette?: Uint8Array;
}

/** A grey picture of 2x2 unless told otherwise. */
function made({ width = 2, height = 2, depth = 8, colour = 0, interlace = 0, rows, palette }: Made): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from(PNG_SIGNATURE, 'latin1'),
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', palette)] : []),
    chunk('IDAT', deflateSync(rows ?? Uint8Array.of(0, 1, 2, 0, 3, 4))),
    chunk('IEND', new Uint8Array()),
  ]);
}

describe('PNG and Netpbm', () => {
  it.each(Object.keys(files))('has the pixels that were written: %s', (name) => {
    const { file: _, samples, ...size } = files[name]!;
    const found = name.includes('netpbm') ? decodePnm(bytesOf(name)) : decodePng(bytesOf(name));
    expect({ ...found, samples: 0 }).toEqual({ ...size, samples: 0 });
    expect([...found.samples]).toEqual(samples);
  });

  it.each<[string, Buffer]>([
    ['interlaced PNG is not read', made({ interlace: 1 })],
    ['a picture of 20000x20000 is too large', made({ width: 20_000, height: 20_000 })],
    ['a picture of 1x32769 is too large', made({ width: 1, height: 32_769 })],
    ['its size is 0x2', made({ width: 0 })],
    ['PNG has no colour type 2 with 4 bits', made({ colour: 2, depth: 4 })],
    ['PNG has no colour type 5', made({ colour: 5 })],
    ['its palette is missing', made({ colour: 3 })],
    ['a colour is not in its palette', made({ colour: 3, palette: Uint8Array.of(1, 2, 3) })],
    ['unknown filter 9', made({ rows: Uint8Array.of(9, 1, 2, 0, 3, 4) })],
    ['less data than its size', made({ rows: Uint8Array.of(0, 1, 2) })],
    // A thousand times as much as the file has bytes: stopped at the size that the header tells.
    ['more data than its size', made({ rows: new Uint8Array(50_000_000) })],
    ['it has no pixels', Buffer.concat([made({}).subarray(0, 33), chunk('IEND', new Uint8Array())])],
    [
      'does not start with its header',
      Buffer.concat([made({}).subarray(0, 8), chunk('IEXT', new Uint8Array())]),
    ],
  ])('refuses what it cannot read: %s', (message, bytes) => {
    expect(() => decodePng(bytes)).toThrow(
      expect.objectContaining({
        code: 'IMAGE_FORMAT',
        message: expect.stringContaining(message),
        hint: expect.any(String),
      }),
    );
  });

  it('finds every damaged byte by its checksum, and every cut', () => {
    const whole = bytesOf('RGB 8 bits, all filters');
    const refused = expect.objectContaining({ code: 'IMAGE_FORMAT' });
    for (let at = PNG_SIGNATURE.length; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 16;
      expect(() => decodePng(damaged)).toThrow(refused);
      expect(() => decodePng(whole.subarray(0, at))).toThrow(refused);
    }
  });

  it('reads headers of Netpbm with comments, and refuses broken ones', () => {
    const pnm = (text: string) => decodePnm(Buffer.from(text, 'latin1'));
    expect(pnm('P5 # made by hand\n2\t1 # 3 4\n#\n15\nab')).toMatchObject({
      width: 2,
      height: 1,
      channels: 1,
      max: 15,
      samples: new Uint8Array([97, 98]),
    });
    for (const [text, message] of [
      ['P6 2 1 255\nabcde', 'it ends early'],
      ['P5 2 1 300\nab', 'it ends early'],
      ['P5 0 1 255\n', 'its size is 0x1'],
      ['P5 99999 99999 255\n', 'too large'],
      ['P5 2 1 0\nab', 'its white is 0'],
      ['P5 2 1', 'no PGM or PPM header'],
      ['P5 -2 1 255\nab', 'no PGM or PPM header'],
    ] as const) {
      expect(() => pnm(text)).toThrow(
        expect.objectContaining({ code: 'IMAGE_FORMAT', message: expect.stringContaining(message) }),
      );
    }
  });
});
