// IO data in a file: what the last layers of trained networks see of images, reduced to a few numbers for each image. A .npz
// archive that NumPy opens; features are levels between the least and the greatest of a network, a byte each.
import * as z from 'zod';
import { AuspexError } from '../util/errors.js';
import { type Fingerprint, fingerprint } from './fingerprint.js';
import { encodeNpz, readNpz } from './npz.js';

/** Features of one network: `minimum + step * level`. */
export interface LevelledFeatures {
  /** (kept) each. */
  readonly minimum: Float32Array;
  readonly step: Float32Array;
  /** (images, kept) */
  readonly levels: Uint8Array;
}

export interface IoNetwork extends LevelledFeatures {
  /** As the space writes it. */
  readonly text: string;
  /** Whether predictors learn from it, or are validated with it. */
  readonly part: 'train' | 'validation';
  /** The part of seen and of unseen images whose class it says; unseen ones include those without features. */
  readonly accuracy: { readonly seen: number; readonly unseen: number };
}

/** An image, by its place in the folder that was given. */
export interface IoImage {
  readonly place: number;
  readonly label: number;
  /** Seen: held out of the training images. Unseen: of the test set. */
  readonly part: 'seen' | 'unseen';
}

export interface IoData {
  readonly space: string;
  /** All networks that were to be trained; `networks` are those that are done, in the same order. */
  readonly wanted: number;
  readonly fingerprint: Fingerprint;
  readonly images: readonly IoImage[];
  readonly networks: readonly IoNetwork[];
}

const SCHEMA = 'auspex.io/1';
/** Greatest level. Seven bits: rounding adds 0.02% of the variance of features, and packed files are smaller than with eight. */
const LEVELS = 127;

const about = z.object({
  schema: z.literal(SCHEMA),
  space: z.string(),
  wanted: z.int().nonnegative(),
  fingerprint,
});

/** Rounds features (images, kept) to 128 levels for each of the kept ones. */
export function levelled(features: Float32Array, kept: number): LevelledFeatures {
  const minimum = new Float32Array(kept).fill(Number.POSITIVE_INFINITY);
  const maximum = new Float32Array(kept).fill(Number.NEGATIVE_INFINITY);
  features.forEach((value, i) => {
    const k = i % kept;
    if (value < minimum[k]!) minimum[k] = value;
    if (value > maximum[k]!) maximum[k] = value;
  });
  const step = maximum.map((most, k) => (most - minimum[k]!) / LEVELS);
  const levels = Uint8Array.from(features, (value, i) => {
    const k = i % kept;
    return step[k] === 0 ? 0 : Math.max(0, Math.min(LEVELS, Math.round((value - minimum[k]!) / step[k]!)));
  });
  return { minimum, step, levels };
}

/** The features of an image. */
export function featuresOf({ minimum, step, levels }: LevelledFeatures, image: number): Float32Array {
  const kept = minimum.length;
  return minimum.map((least, k) => least + step[k]! * levels[image * kept + k]!);
}

export function encodeIoData(data: IoData): Buffer {
  const { networks, images } = data;
  const kept = networks[0]?.minimum.length ?? 0;
  const flat = (of: (network: IoNetwork) => ArrayLike<number>): number[] =>
    networks.flatMap((network) => Array.from(of(network)));
  const features = new Uint8Array(networks.length * images.length * kept);
  for (const [i, { levels }] of networks.entries()) features.set(levels, i * images.length * kept);
  const text = JSON.stringify({
    schema: SCHEMA,
    space: data.space,
    wanted: data.wanted,
    fingerprint: data.fingerprint,
  });
  const count = networks.length;
  return encodeNpz({
    networks: { dims: [count], data: networks.map((network) => network.text) },
    validation: { dims: [count], data: Uint8Array.from(networks, ({ part }) => Number(part !== 'train')) },
    accuracy: {
      dims: [count, 2],
      data: Float32Array.from(flat(({ accuracy }) => [accuracy.seen, accuracy.unseen])),
    },
    minimum: { dims: [count, kept], data: Float32Array.from(flat(({ minimum }) => minimum)) },
    step: { dims: [count, kept], data: Float32Array.from(flat(({ step }) => step)) },
    features: { dims: [count, images.length, kept], data: features },
    image_place: { dims: [images.length], data: Int32Array.from(images, ({ place }) => place) },
    image_label: { dims: [images.length], data: Uint8Array.from(images, ({ label }) => label) },
    image_unseen: {
      dims: [images.length],
      data: Uint8Array.from(images, ({ part }) => Number(part === 'unseen')),
    },
    about: { dims: [1], data: [text] },
  });
}

/** Codes: FILE_UNREADABLE, NPZ_FORMAT, NPY_FORMAT, IO_FORMAT. */
export function readIoData(path: string): IoData {
  const npz = readNpz(path);
  const wrong = (message: string, cause?: unknown): AuspexError =>
    new AuspexError('IO_FORMAT', message, {
      where: { file: path },
      hint: 'give a file that `auspex data io` wrote',
      cause,
    });
  if (!npz.has('about')) throw wrong('the archive is not IO data');
  const { data: said, error } = about.safeParse(jsonOf(npz.texts('about')[0] ?? ''));
  if (said === undefined) throw wrong('the archive does not say what it is, or in another version', error);
  const texts = npz.texts('networks');
  const features = npz.array('features');
  const [count, images, kept] = features.dims as [number, number, number];
  const numbers = (name: string, size: number): ArrayLike<number> => {
    const { data } = npz.array(name);
    if (data.length !== size) throw wrong(`its array '${name}' has ${data.length} elements, not ${size}`);
    return data as unknown as ArrayLike<number>;
  };
  if (features.dims.length !== 3 || texts.length !== count) {
    throw wrong(`its features are [${features.dims}] for ${texts.length} networks`);
  }
  const [validation, accuracy] = [numbers('validation', count), numbers('accuracy', 2 * count)];
  const [minimum, step] = [numbers('minimum', count * kept), numbers('step', count * kept)];
  const [places, labels] = [numbers('image_place', images), numbers('image_label', images)];
  const unseen = numbers('image_unseen', images);
  const size = images * kept;
  const rows = (all: ArrayLike<number>, i: number): Float32Array =>
    Float32Array.from({ length: kept }, (_, k) => all[i * kept + k]!);
  return {
    space: said.space,
    wanted: said.wanted,
    fingerprint: said.fingerprint,
    images: Array.from({ length: images }, (_, i) => ({
      place: places[i]!,
      label: labels[i]!,
      part: unseen[i] ? 'unseen' : 'seen',
    })),
    networks: texts.map((text, i) => ({
      text,
      part: validation[i] ? 'validation' : 'train',
      accuracy: { seen: accuracy[2 * i]!, unseen: accuracy[2 * i + 1]! },
      minimum: rows(minimum, i),
      step: rows(step, i),
      levels: (features.data as Uint8Array).slice(i * size, (i + 1) * size),
    })),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
