// A folder of images (Node only): PNG, binary PGM and PPM, CIFAR's binary files. Subfolders are classes. The folder is listed
// at once, pictures are read one by one.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { streamFor } from '../../nn/stream.js';
import { unreadable } from '../../onnx/file.js';
import { AuspexError } from '../../util/errors.js';
import { openCifar, readCifar } from './cifar.js';
import { MAX_FILE_BYTES, type Picture, pictureError } from './picture.js';
import { decodePng, PNG_SIGNATURE } from './png.js';
import { decodePnm } from './pnm.js';

const READ = new Set(['.png', '.ppm', '.pgm', '.pnm']);
const CIFAR = '.bin';
/** Images that are not read. Refused rather than left out, as the others need not be like them. */
const REFUSED = new Set([
  '.jpg',
  '.jpeg',
  '.jfif',
  '.webp',
  '.gif',
  '.bmp',
  '.tif',
  '.tiff',
  '.avif',
  '.heic',
]);

/** How files begin, whatever they are called. */
const SIGNATURES: readonly (readonly [string, string | ((bytes: Buffer) => Picture)])[] = [
  [PNG_SIGNATURE, decodePng],
  ['P5', decodePnm],
  ['P6', decodePnm],
  ['P2', 'plain PGM'],
  ['P3', 'plain PPM'],
  ['\xff\xd8\xff', 'JPEG'],
  ['GIF8', 'GIF'],
  ['RIFF', 'WebP'],
  ['BM', 'BMP'],
];

export interface LabelledPicture {
  readonly picture: Picture;
  /** Its class, from 0. */
  readonly label?: number;
}

/** Images of one class, or of one file. */
interface Group {
  /** Of the file or folder. */
  readonly name: string;
  readonly count: number;
  readonly isLabelled: boolean;
  /** How many classes its format has, where the format says. */
  readonly classes?: number;
  read(index: number): LabelledPicture;
}

/**
 * @example
 * const folder = new ImageFolder('imagenet/val');
 * for (const index of folder.drawn(16, 0)) folder.read(index).picture;
 */
export class ImageFolder {
  readonly count: number;
  /** Whether every image has a class. */
  readonly isLabelled: boolean;
  /** How many classes there are, those without images included; undefined where images have none. */
  readonly classes: number | undefined;
  readonly #groups: readonly Group[];

  /** Codes: FILE_UNREADABLE, IMAGES_EMPTY, IMAGES_MIXED, IMAGE_FORMAT. */
  constructor(path: string) {
    const groups = groupsOf(path);
    this.#groups = groups.filter(({ count }) => count > 0);
    this.count = this.#groups.reduce((sum, group) => sum + group.count, 0);
    this.isLabelled = this.#groups.every((group) => group.isLabelled);
    this.classes = this.isLabelled ? Math.max(...groups.map((g) => g.classes ?? groups.length)) : undefined;
    if (this.count > 0) return;
    throw new AuspexError('IMAGES_EMPTY', 'the folder has no images', {
      where: { file: path },
      hint: 'give a folder of PNG, PGM, PPM or CIFAR .bin files, or one whose subfolders are classes with such files',
    });
  }

  /** Indices of the images of one file of CIFAR, or of one class. */
  indicesOf(isWanted: (name: string) => boolean): number[] {
    let start = 0;
    return this.#groups.flatMap(({ name, count }) => {
      start += count;
      return isWanted(name) ? Array.from({ length: count }, (_, i) => start - count + i) : [];
    });
  }

  /** Different images, evenly drawn. More of them begin with the same ones. */
  drawn(count: number, seed: number): number[] {
    const random = streamFor(seed, 'images', 0);
    const found = new Set<number>();
    while (found.size < Math.min(count, this.count)) found.add(random.below(this.count));
    return [...found];
  }

  /** Codes: FILE_UNREADABLE, IMAGE_FORMAT. */
  read(index: number): LabelledPicture {
    let left = index;
    for (const group of this.#groups) {
      if (left < group.count) return group.read(left);
      left -= group.count;
    }
    throw new RangeError(`there is no image ${index} of ${this.count}`);
  }
}

function groupsOf(path: string): Group[] {
  const names = namesIn(path);
  if (names === undefined) return groupsOfFile(path);
  const images = imagesOf(path, names);
  const cifar = names.filter((name) => kindOf(name) === CIFAR).map((name) => cifarGroup(join(path, name)));
  const classes = names.filter((name) => kindOf(name) === '' && isFolder(join(path, name)));
  const own = [...(images.length > 0 ? [fileGroup(path, images)] : []), ...cifar];
  if (classes.length === 0) return own;
  if (own.length > 0) {
    throw new AuspexError('IMAGES_MIXED', `the folder has images beside the subfolder '${classes[0]}'`, {
      where: { file: path },
      hint: 'subfolders are classes: put all images into them, or give a folder without subfolders',
    });
  }
  // A class without images keeps its number.
  return classes.map((name, label) => {
    const folder = join(path, name);
    return fileGroup(folder, imagesOf(folder, namesIn(folder)!), label);
  });
}

function groupsOfFile(path: string): Group[] {
  return kindOf(path) === CIFAR ? [cifarGroup(path)] : [fileGroup('', [path])];
}

/** What is in a folder, sorted by name, without hidden files; undefined for a file. */
function namesIn(path: string): string[] | undefined {
  try {
    return readdirSync(path)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw unreadable(path, error);
  }
}

/** An ending that says something to us, or nothing. */
function kindOf(name: string): string {
  const ending = extname(name).toLowerCase();
  return ending === CIFAR || READ.has(ending) || REFUSED.has(ending) ? ending : '';
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Throws for the first image that is not read, unless it was converted: `mogrify` leaves both. */
function imagesOf(folder: string, names: readonly string[]): string[] {
  const images = names.filter((name) => READ.has(kindOf(name)));
  const converted = new Set(images.map((name) => basename(name, extname(name))));
  const refused = names.find(
    (name) => REFUSED.has(kindOf(name)) && !converted.has(basename(name, extname(name))),
  );
  if (refused === undefined) return images;
  const ending = extname(refused);
  throw pictureError(
    `${ending.slice(1).toUpperCase()} images are not read`,
    `convert them to PNG, as with ImageMagick: mogrify -format png *${ending}`,
  ).within({ file: join(folder, refused) });
}

function fileGroup(folder: string, names: readonly string[], label?: number): Group {
  const read = (index: number): LabelledPicture => {
    const picture = readPicture(join(folder, names[index]!));
    return label === undefined ? { picture } : { picture, label };
  };
  return { name: basename(folder), count: names.length, isLabelled: label !== undefined, read };
}

function cifarGroup(path: string): Group {
  const file = openCifar(path);
  return {
    name: basename(path),
    count: file.count,
    isLabelled: true,
    classes: file.labels === 1 ? 10 : 100,
    read: (index) => readCifar(file, index),
  };
}

/** Codes: FILE_UNREADABLE, IMAGE_FORMAT. */
export function readPicture(path: string): Picture {
  try {
    return decode(bytesOf(path));
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file: path }) : error;
  }
}

function bytesOf(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size <= MAX_FILE_BYTES) return readFileSync(path);
    throw pictureError(`a file of ${size} bytes is larger than any image that is read`, 'shrink it');
  } catch (error) {
    throw error instanceof AuspexError ? error : unreadable(path, error);
  }
}

function decode(bytes: Buffer): Picture {
  const start = bytes.toString('latin1', 0, 8);
  const [, decoder = 'no image'] = SIGNATURES.find(([signature]) => start.startsWith(signature)) ?? [];
  if (typeof decoder !== 'string') return decoder(bytes);
  throw pictureError(`this is ${decoder}${decoder === 'no image' ? '' : ', which is not read'}`);
}
