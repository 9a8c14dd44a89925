// The images of a folder for making IO data: those that networks are trained on, those that are seen (held out of training)
// and those that are unseen (of the test set); and more of the test set, to measure accuracy only. No image is in two of them.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ImageFolder, type LabelledPicture } from '../../../inputs/images/image-folder.js';
import { resized } from '../../../inputs/images/image-tensor.js';
import type { Picture } from '../../../inputs/images/picture.js';
import { streamFor } from '../../../nn/stream.js';
import { AuspexError } from '../../../util/errors.js';
import type { ImageSet } from './image-set.js';

export interface ImageCounts {
  readonly training: number;
  readonly seen: number;
  readonly unseen: number;
  /** Images of the test set that only accuracy is measured on. */
  readonly accuracy: number;
}

export interface DrawnImages {
  readonly classes: number;
  readonly training: ImageSet;
  readonly seen: ImageSet;
  readonly unseen: ImageSet;
  readonly accuracy: ImageSet;
  /** Which images these are, by their places in the folder; unseen ones among those of the test set. */
  readonly places: { readonly seen: readonly number[]; readonly unseen: readonly number[] };
}

/** Files of CIFAR that are the test set. */
const TEST_FILE = /^test(_batch)?\.bin$/i;

/**
 * Subfolders `train` and `test`, CIFAR's own files, or one folder that all images are drawn from.
 *
 * Codes: those of `ImageFolder`; IMAGES_UNLABELLED, IMAGES_FEW, IMAGES_SIZE, IMAGES_CLASS.
 *
 * @param side images are shrunk to this many pixels on a side
 */
export function drawImages(path: string, counts: ImageCounts, side: number, seed: number): DrawnImages {
  const { train, test } = foldersOf(path);
  const classes = train.folder.classes;
  if (classes === undefined || test.folder.classes === undefined) {
    throw new AuspexError('IMAGES_UNLABELLED', 'the images have no classes', {
      where: { file: path },
      hint: 'give CIFAR .bin files, or put the images of each class into a subfolder',
    });
  }
  const isOne = train === test;
  const tested = counts.unseen + counts.accuracy;
  const wanted = counts.training + counts.seen + (isOne ? tested : 0);
  expectEnough(path, train.indices.length, wanted, isOne ? 'images' : 'training images');
  if (!isOne) expectEnough(path, test.indices.length, tested, 'test images');
  const drawn = drawnFrom(train.indices, wanted, seed, 'training');
  const drawnTest = isOne
    ? drawn.slice(counts.seen + counts.training)
    : drawnFrom(test.indices, tested, seed, 'test');
  const places = { seen: drawn.slice(0, counts.seen), unseen: drawnTest.slice(0, counts.unseen) };
  const reader = new Reader(path, side, classes);
  const raw = {
    training: reader.read(train.folder, drawn.slice(counts.seen, counts.seen + counts.training)),
    seen: reader.read(train.folder, places.seen),
    unseen: reader.read(test.folder, places.unseen),
    accuracy: reader.read(test.folder, drawnTest.slice(counts.unseen)),
  };
  expectClasses(path, raw.training.labels, classes);
  normalise(raw.training, [raw.training, raw.seen, raw.unseen, raw.accuracy]);
  return { classes, ...raw, places };
}

/** Images that were drawn, at their own size, normalised as the seen ones are among themselves. */
export function readDrawnImages(
  path: string,
  places: DrawnImages['places'],
): Record<'seen' | 'unseen', ImageSet> {
  const { train, test } = foldersOf(path);
  const first = places.seen[0];
  const side =
    first === undefined || first >= train.folder.count ? 1 : train.folder.read(first).picture.width;
  const reader = new Reader(path, side, train.folder.classes ?? 0);
  const read = ({ folder }: Part, of: readonly number[]): ImageSet => {
    const beyond = of.find((place) => place >= folder.count);
    if (beyond !== undefined) expectEnough(path, folder.count, beyond + 1, 'images');
    return reader.read(folder, of);
  };
  const [seen, unseen] = [read(train, places.seen), read(test, places.unseen)];
  normalise(seen, [seen, unseen]);
  return { seen, unseen };
}

interface Part {
  readonly folder: ImageFolder;
  readonly indices: readonly number[];
}

function foldersOf(path: string): { train: Part; test: Part } {
  const isFolder = (name: string): boolean =>
    existsSync(join(path, name)) && statSync(join(path, name)).isDirectory();
  const whole = (folder: ImageFolder): Part => ({ folder, indices: folder.indicesOf(() => true) });
  if (isFolder('train') && isFolder('test')) {
    const [train, test] = [new ImageFolder(join(path, 'train')), new ImageFolder(join(path, 'test'))];
    return { train: whole(train), test: whole(test) };
  }
  const folder = new ImageFolder(path);
  const test = folder.indicesOf((name) => TEST_FILE.test(name));
  if (test.length === 0 || test.length === folder.count) {
    const all = whole(folder);
    return { train: all, test: all };
  }
  return {
    train: { folder, indices: folder.indicesOf((name) => !TEST_FILE.test(name)) },
    test: { folder, indices: test },
  };
}

function expectEnough(path: string, there: number, wanted: number, what: string): void {
  if (there >= wanted) return;
  throw new AuspexError('IMAGES_FEW', `the folder has ${there} ${what}; ${wanted} are needed`, {
    where: { file: path },
    hint: 'add images, or lower --training-images, --seen-images or --unseen-images',
  });
}

function drawnFrom(indices: readonly number[], count: number, seed: number, part: string): number[] {
  const random = streamFor(seed, `${part} images`, 0);
  return Array.from(random.sample(indices.length, count), (place) => indices[place]!);
}

function expectClasses(path: string, labels: Uint8Array, classes: number): void {
  const there = new Set(labels);
  const missing = Array.from({ length: classes }, (_, label) => label).filter((label) => !there.has(label));
  if (missing.length === 0) return;
  throw new AuspexError(
    'IMAGES_CLASS',
    `no image of class ${missing[0]} is among the ${labels.length} training images (${classes} classes)`,
    {
      where: { file: path },
      hint: 'add images of that class, remove its folder, or raise --training-images',
    },
  );
}

/** Reads images of one size, which must be squares. */
class Reader {
  readonly #path: string;
  readonly #side: number;
  readonly #classes: number;
  #first: Picture | undefined;

  constructor(path: string, side: number, classes: number) {
    this.#path = path;
    this.#side = side;
    this.#classes = classes;
  }

  /** Samples from 0 to 1. */
  read(folder: ImageFolder, indices: readonly number[]): ImageSet {
    const side = this.#side;
    const size = side ** 2;
    const pixels = new Float32Array(indices.length * 3 * size);
    const labels = new Uint8Array(indices.length);
    indices.forEach((index, i) => {
      const { picture, label } = this.#checked(folder.read(index));
      for (let c = 0; c < 3; c++) {
        const plane = resized(picture, picture.channels === 1 ? 0 : c, side, side);
        for (let k = 0; k < size; k++) pixels[(3 * i + c) * size + k] = plane[k]! / picture.max;
      }
      labels[i] = label!;
    });
    return { count: indices.length, side, pixels, labels };
  }

  #checked(labelled: LabelledPicture): LabelledPicture {
    const { picture, label } = labelled;
    this.#first ??= picture;
    const fail = (problem: string, hint: string): AuspexError =>
      new AuspexError('IMAGES_SIZE', problem, { where: { file: this.#path }, hint });
    const sizeOf = ({ width, height }: Picture): string => `${width}x${height}`;
    if (sizeOf(picture) !== sizeOf(this.#first)) {
      throw fail(
        `images differ in size: ${sizeOf(this.#first)} and ${sizeOf(picture)}`,
        'resize them to one size, as with ImageMagick: mogrify -resize 32x32! *.png',
      );
    }
    if (picture.width !== picture.height || picture.width < this.#side) {
      throw fail(
        `images are ${sizeOf(picture)}; squares of at least ${this.#side}x${this.#side} are needed`,
        'resize the images, or lower --resolution',
      );
    }
    if (label === undefined || label >= this.#classes) {
      throw new AuspexError('IMAGES_CLASS', `an image has class ${label}; there are ${this.#classes}`, {
        where: { file: this.#path },
        hint: 'keep the same subfolders in train and test',
      });
    }
    return labelled;
  }
}

/** Subtracts the mean of each colour, and divides by its standard deviation, both of the training images. */
function normalise({ side, count, pixels }: ImageSet, sets: readonly ImageSet[]): void {
  const size = side ** 2;
  for (let c = 0; c < 3; c++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < count; i++) {
      for (let k = (3 * i + c) * size; k < (3 * i + c + 1) * size; k++) {
        sum += pixels[k]!;
        squares += pixels[k]! ** 2;
      }
    }
    const mean = sum / (count * size);
    const deviation = Math.sqrt(Math.max(1e-12, squares / (count * size) - mean ** 2));
    for (const set of sets) {
      for (let i = 0; i < set.count; i++) {
        for (let k = (3 * i + c) * size; k < (3 * i + c + 1) * size; k++) {
          set.pixels[k] = (set.pixels[k]! - mean) / deviation;
        }
      }
    }
  }
}
