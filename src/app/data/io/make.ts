// What `auspex data io` does: trains networks of a space on images, and keeps what their last layers see of other images.
// Each network is logged when it is done. A resumed run continues with the next one and writes the same file.
import { existsSync, rmSync } from 'node:fs';
import { spaceNamed } from '../../../spaces/index.js';
import { CLASSIFIER } from '../../../spaces/network-builder.js';
import type { AnySpace } from '../../../spaces/space.js';
import { digestOf, type Fingerprint, fingerprintOf } from '../../../store/fingerprint.js';
import { encodeIoData, type IoImage, levelled, readIoData } from '../../../store/io-data.js';
import { checkOutputs } from '../../../store/outputs.js';
import { TrialLog } from '../../../store/trial-log.js';
import { writeOutput } from '../../../store/write-file.js';
import { AuspexError } from '../../../util/errors.js';
import type { IoDocument } from '../../documents/io.js';
import { type DrawnImages, drawImages } from './image-pool.js';
import type { ImageSet } from './image-set.js';
import { ioFeatures } from './io-features.js';
import { expectSame, type MadeNetwork, readLog, recordOf } from './io-log.js';
import { ioSets } from './io-sets.js';
import { drawNetworks } from './network-list.js';
import { type NetworkTraining, trainNetwork } from './train-network.js';

export interface IoRequest {
  readonly space: string;
  /** A table, or a file with one architecture a line. */
  readonly networks: string;
  readonly images: string;
  readonly output: string;
  /** Networks that predictors learn from, and are validated with. */
  readonly train?: number | undefined;
  readonly validation?: number | undefined;
  readonly trainingImages: number;
  readonly seenImages: number;
  readonly unseenImages: number;
  /** Further images of the test set that accuracy is measured on. */
  readonly accuracyImages: number;
  readonly resolution: number;
  readonly width: number;
  readonly cells?: number | undefined;
  readonly epochs: number;
  readonly batch: number;
  readonly rate: number;
  /** Features that are kept of an image. */
  readonly kept: number;
  readonly seed: number;
  /** At most so many networks are trained now; the file then has those that are done. */
  readonly limit?: number | undefined;
  readonly resume?: boolean | undefined;
  readonly force?: boolean | undefined;
}

export interface IoWork {
  readonly signal?: AbortSignal | undefined;
  readonly onNetwork?: ((done: number, all: number, accuracy: number | undefined) => void) | undefined;
}

const MOMENTUM = 0.9;
const WEIGHT_DECAY = 1e-4;
const CLIP_NORM = 5;

/** Codes: those of its parts; SPACE_WITHOUT_CELLS, OUTPUT_EXISTS, BAD_OPTION. */
export async function makeIoData(request: IoRequest, work: IoWork = {}): Promise<IoDocument> {
  const { output, images: folder, resume, force } = request;
  const space = cellSpace(request);
  checkOutputs({ outputs: [{ path: output, kind: 'arrays' }], inputs: [request.networks], force });
  if (existsSync(output) && !resume && !force) {
    throw new AuspexError('OUTPUT_EXISTS', 'this file exists', {
      where: { file: output },
      hint: 'continue it (--resume), overwrite it (--force), or write to another file',
    });
  }
  if (request.batch < 1 || request.batch > request.trainingImages || request.epochs < 1) {
    throw new AuspexError(
      'BAD_OPTION',
      `${request.epochs} epochs of batches of ${request.batch} among ${request.trainingImages} images`,
      { hint: 'give --epochs and --batch of at least 1, and --training-images of at least --batch' },
    );
  }
  const networks = await drawNetworks(space, request, work.signal);
  const counts = {
    training: request.trainingImages,
    seen: request.seenImages,
    unseen: request.unseenImages,
    accuracy: request.accuracyImages,
  };
  const images = drawImages(folder, counts, request.resolution, request.seed);
  const fingerprint = fingerprintFor(
    request,
    networks.map(({ text }) => text),
    images,
  );
  const logPath = `${output}.log`;
  const log = TrialLog.open(logPath, { resume: resume ?? false, replace: force ?? false });
  try {
    const made = new Map<string, MadeNetwork>();
    for (const network of begun(log, fingerprint, request, logPath)) made.set(network.text, network);
    const before = made.size;
    const left = networks.filter(({ text }) => !made.has(text)).slice(0, request.limit);
    work.onNetwork?.(made.size, networks.length, undefined);
    for (const { text } of left) {
      const network = await makeNetwork(space, text, images, request, work.signal);
      log.append(recordOf(network));
      made.set(text, network);
      work.onNetwork?.(made.size, networks.length, network.accuracy.unseen);
    }
    const done = networks.flatMap(({ text, part }) => {
      const network = made.get(text);
      return network ? [{ ...network, part }] : [];
    });
    const data = { space: space.name, wanted: networks.length, fingerprint, networks: done };
    const listed = imagesOf(images);
    await writeOutput(output, encodeIoData({ ...data, images: listed }));
    if (done.length === networks.length) rmSync(logPath, { force: true });
    return {
      schema: 'auspex.data.io/1',
      output,
      space: space.name,
      networks: { wanted: networks.length, done: done.length, trained: done.length - before },
      sets: ioSets(done, listed).map(({ name, networks: of, images: seen }) => ({
        name,
        networks: of.length,
        images: seen.length,
        examples: of.length * seen.length,
      })),
      accuracy: {
        seen: meanAccuracy(done, 'seen'),
        unseen: meanAccuracy(done, 'unseen'),
      },
    };
  } finally {
    log.close();
  }
}

function cellSpace({ space: name, cells }: IoRequest): AnySpace {
  const space = spaceNamed(name);
  if (space.cell === undefined || space.defaults.input !== 'image') {
    throw new AuspexError('SPACE_WITHOUT_CELLS', `networks of '${name}' are not made of cells of images`, {
      hint: 'give --space nasbench101, nasbench201 or darts',
    });
  }
  if (cells !== undefined && space.defaults.cells === undefined) {
    throw new AuspexError('BAD_OPTION', `'${name}' has a fixed number of cells`, {
      hint: 'leave out --cells',
    });
  }
  return space;
}

/** All that decides the bytes of the file. */
function fingerprintFor(request: IoRequest, texts: readonly string[], images: DrawnImages): Fingerprint {
  const { networks: _, images: __, output: ___, limit: ____, resume: _____, force: ______, ...all } = request;
  const flag = (name: string): string =>
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const pixels = [images.training, images.seen, images.unseen, images.accuracy].flatMap((set) => [
    new Uint8Array(set.pixels.buffer),
    set.labels,
  ]);
  return fingerprintOf(Object.fromEntries(Object.entries(all).map(([name, value]) => [flag(name), value])), {
    '--networks': digestOf(texts),
    '--images': digestOf(pixels),
  });
}

/** Networks that are done: those in the log or, without a log, those in the output file. */
function begun(
  log: TrialLog,
  fingerprint: Fingerprint,
  { output, resume }: IoRequest,
  path: string,
): MadeNetwork[] {
  if (log.records.length > 0) return readLog(log.records, fingerprint, path);
  const found = resume && existsSync(output) ? readIoData(output) : undefined;
  if (found) expectSame(found.fingerprint, fingerprint, output);
  const networks = found?.networks ?? [];
  log.append({ kind: 'io', version: 1, fingerprint }, ...networks.map(recordOf));
  return [...networks];
}

async function makeNetwork(
  space: AnySpace,
  text: string,
  images: DrawnImages,
  request: IoRequest,
  signal: AbortSignal | undefined,
): Promise<MadeNetwork> {
  const training: NetworkTraining = {
    width: request.width,
    cells: request.cells,
    classes: images.classes,
    epochs: request.epochs,
    batch: request.batch,
    rate: request.rate,
    momentum: MOMENTUM,
    weightDecay: WEIGHT_DECAY,
    clipNorm: CLIP_NORM,
    seed: request.seed,
  };
  const trained = await trainNetwork(space, space.parse(text), images.training, training, signal);
  try {
    if (trained.width < request.kept - 1) {
      throw new AuspexError(
        'BAD_OPTION',
        `'${CLASSIFIER}' has ${trained.width} features, fewer than --kept`,
        {
          hint: 'raise --width or lower --kept',
        },
      );
    }
    const { kept } = request;
    const reduced = new Float32Array((images.seen.count + images.unseen.count) * kept);
    const right = { seen: 0, unseen: 0 };
    for (const part of ['seen', 'unseen'] as const) {
      const set = images[part];
      const { features, classes } = await trained.run(set);
      const start = part === 'seen' ? 0 : images.seen.count * kept;
      reduced.set(ioFeatures(features, set.labels, trained, kept), start);
      right[part] = rightOf(set, classes);
    }
    right.unseen += rightOf(images.accuracy, (await trained.run(images.accuracy)).classes);
    const accuracy = {
      seen: right.seen / images.seen.count,
      unseen: right.unseen / (images.unseen.count + images.accuracy.count),
    };
    return { text, accuracy, ...levelled(reduced, kept) };
  } finally {
    await trained.dispose();
  }
}

function rightOf({ labels }: ImageSet, classes: Uint8Array): number {
  return labels.reduce((sum, label, i) => sum + Number(label === classes[i]), 0);
}

function imagesOf({ seen, unseen, places }: DrawnImages): IoImage[] {
  const list = (part: 'seen' | 'unseen', { labels }: { labels: Uint8Array }): IoImage[] =>
    places[part].map((place, i) => ({ place, label: labels[i]!, part }));
  return [...list('seen', seen), ...list('unseen', unseen)];
}

function meanAccuracy(networks: readonly MadeNetwork[], part: 'seen' | 'unseen'): number | null {
  return networks.length === 0 ? null : meanOf(networks.map(({ accuracy }) => accuracy[part]));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
