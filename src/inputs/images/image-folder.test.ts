import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bytesOf, files } from './golden-images.testing.js';
import { ImageFolder, readPicture } from './image-folder.js';

const root = mkdtempSync(join(tmpdir(), 'auspex-images-'));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
/** A folder with files in it; a path ending in `/` is an empty subfolder. */
function folder(contents: Readonly<Record<string, string | Uint8Array>>): string {
  const path = join(root, String(made++));
  mkdirSync(path);
  for (const [name, data] of Object.entries(contents)) {
    mkdirSync(join(path, name, name.endsWith('/') ? '' : '..'), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(join(path, name), data);
  }
  return path;
}

const pixel = (value: number): string => `P5 1 1 255\n${String.fromCharCode(value)}`;
const valuesOf = (images: ImageFolder): (readonly [number, number | undefined])[] =>
  Array.from({ length: images.count }, (_, i) => images.read(i)).map(
    ({ picture, label }) => [picture.samples[0]!, label] as const,
  );

/** Records as the binary version of CIFAR has them: pixel i of record r is r + i in red, 2i in green, 7 in blue. */
function cifar(records: readonly (readonly number[])[]): Uint8Array {
  return Buffer.concat(
    records
      .map((labels, r) => [
        ...labels,
        ...Array.from({ length: 1024 }, (_, i) => (r + i) % 256),
        ...Array.from({ length: 1024 }, (_, i) => (2 * i) % 256),
        ...new Array<number>(1024).fill(7),
      ])
      .map((record) => Uint8Array.from(record)),
  );
}

describe('a folder of images', () => {
  it('has its images by name, without classes', () => {
    const images = new ImageFolder(
      folder({
        'b.pgm': pixel(2),
        'a.PGM': pixel(1),
        'notes.txt': 'x',
        '.hidden.png': 'x',
        'c.png': bytesOf('pillow L'),
      }),
    );
    expect([images.count, images.isLabelled]).toEqual([3, false]);
    expect(valuesOf(images)).toEqual([
      [1, undefined],
      [2, undefined],
      [files['pillow L']!.samples[0], undefined],
    ]);
  });

  it('takes subfolders for classes, sorted, and an empty one too', () => {
    const path = folder({ 'dog/1.pgm': pixel(4), 'cat/2.pgm': pixel(3), 'cat/1.pgm': pixel(2), 'bird/': '' });
    symlinkSync(join(path, 'dog'), join(path, 'wolf'));
    const images = new ImageFolder(path);
    expect(images.isLabelled).toBe(true);
    expect(valuesOf(images)).toEqual([
      [2, 1],
      [3, 1],
      [4, 2],
      [4, 3],
    ]);
  });

  it('reads CIFAR-10 and CIFAR-100 record by record', () => {
    const ten = new ImageFolder(
      folder({ 'data_batch_1.bin': cifar([[3], [9]]), 'test_batch.bin': cifar([[5]]) }),
    );
    expect([ten.count, ten.isLabelled]).toEqual([3, true]);
    const { picture, label } = ten.read(1);
    expect(label).toBe(9);
    expect(picture).toMatchObject({ width: 32, height: 32, channels: 3, max: 255 });
    expect([...picture.samples.subarray(3 * 33, 3 * 35)]).toEqual([34, 66, 7, 35, 68, 7]);
    expect(ten.read(2).label).toBe(5);
    const path = folder({ 'train.bin': cifar([[1, 77]]) });
    expect(new ImageFolder(path).read(0).label).toBe(77);
    // Also a file itself.
    expect(new ImageFolder(join(path, 'train.bin')).read(0)).toEqual(new ImageFolder(path).read(0));
  });

  it('tells CIFAR-10 from CIFAR-100 by name where the size fits both', () => {
    const [ten, hundred] = ['data_batch_1.bin', 'test.bin'].map((name) => {
      const path = join(folder({ [name]: '' }), name);
      truncateSync(path, 3073 * 3074);
      return new ImageFolder(path);
    });
    expect([ten!.count, hundred!.count]).toEqual([3074, 3073]);
  });

  it('draws different images by the seed, more of them beginning with the same', () => {
    const images = new ImageFolder(
      folder(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.pgm`, pixel(i)]))),
    );
    const all = images.drawn(100, 1);
    expect([...all].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(images.drawn(4, 1)).toEqual(all.slice(0, 4));
    expect(images.drawn(9, 2)).not.toEqual(all);
    const firsts = Array.from({ length: 300 }, (_, seed) => images.drawn(1, seed)[0]!);
    for (let i = 0; i < 9; i++) expect(firsts.filter((f) => f === i).length).toBeGreaterThan(15);
  });

  it.each<[string, Record<string, string | Uint8Array>, string, RegExp]>([
    ['nothing', {}, 'IMAGES_EMPTY', /subfolders are classes/],
    ['nothing of use', { 'a.txt': '', 'deep/er/a.pgm': pixel(1) }, 'IMAGES_EMPTY', /PNG/],
    ['a JPEG', { 'a.jpg': '' }, 'IMAGE_FORMAT', /mogrify -format png \*\.jpg/],
    ['a JPEG of a class', { 'x/a.pgm': pixel(1), 'y/b.JPEG': '' }, 'IMAGE_FORMAT', /mogrify/],
    ['images beside classes', { 'a.pgm': pixel(1), 'x/a.pgm': pixel(1) }, 'IMAGES_MIXED', /classes/],
    ['another .bin', { 'model.bin': 'xyz' }, 'IMAGE_FORMAT', /binary version of CIFAR/],
  ])('refuses %s', (_, contents, code, hint) => {
    expect(() => new ImageFolder(folder(contents))).toThrow(
      expect.objectContaining({ code, hint: expect.stringMatching(hint) }),
    );
  });

  it('takes what was converted beside its original', () => {
    expect(new ImageFolder(folder({ 'a.jpg': '', 'a.png': bytesOf('pillow L') })).count).toBe(1);
  });

  it('goes by what a file is, not by its name', () => {
    const path = folder({
      'rgb.pgm': bytesOf('pillow RGB'),
      'photo.png': '\xff\xd8\xff',
      'text.png': 'no image',
      'p.ppm': 'P3 1 1',
    });
    writeFileSync(join(path, 'photo.png'), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0));
    expect(readPicture(join(path, 'rgb.pgm')).channels).toBe(3);
    for (const [name, message] of [
      ['photo.png', 'this is JPEG, which is not read'],
      ['text.png', 'this is no image'],
      ['p.ppm', 'this is plain PPM, which is not read'],
    ] as const) {
      const file = join(path, name);
      expect(() => readPicture(file)).toThrow(
        expect.objectContaining({ code: 'IMAGE_FORMAT', message, where: { file } }),
      );
    }
  });

  it('opens no file that is too large, and none that is not there', () => {
    const path = join(folder({ 'huge.png': '' }), 'huge.png');
    truncateSync(path, 2 ** 28 + 1);
    expect(() => readPicture(path)).toThrow(expect.objectContaining({ code: 'IMAGE_FORMAT' }));
    expect(() => new ImageFolder(join(root, 'nowhere'))).toThrow(
      expect.objectContaining({ code: 'FILE_UNREADABLE' }),
    );
  });
});
