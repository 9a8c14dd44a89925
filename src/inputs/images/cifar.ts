// CIFAR-10 and CIFAR-100 as their binary version has them (https://www.cs.toronto.edu/~kriz/cifar.html): records of one
// label, or a coarse and a fine one, and 32x32 pixels, all red ones first. A file is read record by record.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Picture, pictureError } from './picture.js';

const SIDE = 32;
const PIXELS = SIDE * SIDE;
/** Of CIFAR-100, whose files have a name each; data_batch_1.bin and others are CIFAR-10. */
const WITH_TWO_LABELS = /^(train|test)\.bin$/i;

interface CifarFile {
  readonly path: string;
  readonly count: number;
  readonly labels: 1 | 2;
}

/** Code: IMAGE_FORMAT. */
export function openCifar(path: string): CifarFile {
  const { size } = statSync(path);
  const likely = WITH_TWO_LABELS.test(basename(path)) ? ([2, 1] as const) : ([1, 2] as const);
  const labels = likely.find((n) => size > 0 && size % (n + 3 * PIXELS) === 0);
  if (labels !== undefined) return { path, labels, count: size / (labels + 3 * PIXELS) };
  throw pictureError(
    `${size} bytes are not a whole number of CIFAR-10 (3073) or CIFAR-100 (3074) records`,
    'give the binary version of CIFAR, or take the file away if it is something else',
  ).within({ file: path });
}

/** A picture and its class, the fine one of CIFAR-100. */
export function readCifar({ path, labels }: CifarFile, index: number): { picture: Picture; label: number } {
  const record = new Uint8Array(labels + 3 * PIXELS);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, record, 0, record.length, index * record.length);
  } finally {
    closeSync(descriptor);
  }
  const samples = new Uint8Array(3 * PIXELS);
  for (let i = 0; i < PIXELS; i++) {
    for (let c = 0; c < 3; c++) samples[3 * i + c] = record[labels + c * PIXELS + i]!;
  }
  const picture: Picture = { width: SIDE, height: SIDE, channels: 3, max: 255, samples };
  return { picture, label: record[labels - 1]! };
}
