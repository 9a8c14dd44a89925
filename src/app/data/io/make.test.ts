import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readIoData } from '../../../store/io-data.js';
import { ioDocument } from '../../documents/io.js';
import { type IoRequest, makeIoData } from './make.js';
import { filesIn, smallRequest } from './make.testing.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-make-io-'));
afterAll(() => rmSync(folder, { recursive: true }));

const request = smallRequest(folder, 4, 'whole.npz');
const output = (name: string): string => join(folder, name);
const bytesOf = (name: string): Buffer => readFileSync(output(name));

describe('IO data', () => {
  it('has features of every network and image', async () => {
    const document = ioDocument.parse(await makeIoData(request));
    expect(document.networks).toEqual({ wanted: 4, done: 4, trained: 4 });
    expect(document.sets.map(({ examples }) => examples)).toEqual([18, 6, 0, 15, 5]);
    const data = readIoData(output('whole.npz'));
    expect([data.networks.length, data.images.length]).toEqual([4, 11]);
    // Unseen images are of the test set.
    expect(data.images.map(({ place }) => place >= 50)).toEqual([
      ...Array(6).fill(false),
      ...Array(5).fill(true),
    ]);
    expect(new Set(data.networks.map(({ levels }) => levels.join())).size).toBe(4);
    expect(existsSync(output('whole.npz.log'))).toBe(false);
    // Of 5 images with features and 12 more.
    const right = data.networks.map(({ accuracy }) => 17 * accuracy.unseen);
    for (const count of right) expect(count).toBeCloseTo(Math.round(count), 5);
    expect(Math.max(...right)).toBeGreaterThan(0);
  });

  it('is continued from a log, and from a file of some networks', async () => {
    const some = await makeIoData({ ...request, output: output('log.npz'), limit: 2 });
    expect(some.networks).toEqual({ wanted: 4, done: 2, trained: 2 });
    copyFileSync(output('log.npz'), output('file.npz'));
    for (const name of ['log.npz', 'file.npz']) {
      const rest = await makeIoData({ ...request, output: output(name), resume: true });
      expect(rest.networks).toEqual({ wanted: 4, done: 4, trained: 2 });
      expect(bytesOf(name).equals(bytesOf('whole.npz'))).toBe(true);
    }
  });

  it('is not continued with other settings', async () => {
    await expect(makeIoData({ ...request, epochs: 3, resume: true })).rejects.toMatchObject({
      code: 'IO_LOG_OTHER',
      message: expect.stringContaining('--epochs differs: was 1, is 3'),
    });
  });

  it('is not overwritten', async () => {
    await expect(makeIoData(request)).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    writeFileSync(output('notes.npz'), 'notes');
    await expect(makeIoData({ ...request, output: output('notes.npz'), resume: true })).rejects.toMatchObject(
      {
        code: 'OUTPUT_EXISTS',
      },
    );
    expect(bytesOf('notes.npz').toString()).toBe('notes');
  });
});

describe('IO data refuses', () => {
  const ppm = (side: number): string => `P6 ${side} ${side} 255\n${'x'.repeat(3 * side * side)}`;
  const pictures = (name: string, sides: Readonly<Record<string, number>>, more = {}): string => {
    const files = Object.fromEntries(Object.entries(sides).map(([file, side]) => [file, ppm(side)]));
    return filesIn(output(name), { ...files, ...more });
  };
  const few = { trainingImages: 2, seenImages: 1, unseenImages: 1, accuracyImages: 0, batch: 2 };

  it.each<[string, Partial<IoRequest>, string]>([
    ['an empty folder', { images: filesIn(output('empty'), { 'notes.md': 'none' }) }, 'IMAGES_EMPTY'],
    ['a folder that is not there', { images: output('missing') }, 'FILE_UNREADABLE'],
    ['too few images', { trainingImages: 49 }, 'IMAGES_FEW'],
    [
      'images without classes',
      { ...few, images: pictures('plain', { 'a.ppm': 8, 'b.ppm': 8, 'c.ppm': 8, 'd.ppm': 8 }) },
      'IMAGES_UNLABELLED',
    ],
    [
      'images of different sizes',
      { ...few, images: pictures('sizes', { 'a/1.ppm': 8, 'a/2.ppm': 16, 'b/1.ppm': 8, 'b/2.ppm': 16 }) },
      'IMAGES_SIZE',
    ],
    ['images that are too small', { resolution: 64 }, 'IMAGES_SIZE'],
    [
      'a class without images',
      {
        ...few,
        images: pictures(
          'class',
          { 'a/1.ppm': 8, 'a/2.ppm': 8, 'a/3.ppm': 8, 'a/4.ppm': 8 },
          { 'b/x.md': '' },
        ),
      },
      'IMAGES_CLASS',
    ],
    ['a space without cells', { space: 'nnlqp-vgg' }, 'SPACE_WITHOUT_CELLS'],
    ['cells where their number is fixed', { space: 'darts' }, 'BAD_OPTION'],
    ['too few networks', { train: 90 }, 'NETWORKS_FEW'],
    ['more features than there are', { kept: 100 }, 'BAD_OPTION'],
    ['batches larger than the training images', { batch: 33 }, 'BAD_OPTION'],
  ])('%s', async (_, changes, code) => {
    const refused = { ...request, ...changes, output: output('refused.npz') };
    await expect(makeIoData(refused)).rejects.toMatchObject({ code });
    expect(existsSync(refused.output)).toBe(false);
    rmSync(`${refused.output}.log`, { force: true });
  });
});
