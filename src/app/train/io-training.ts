// IO data as a predictor learns from it: the training networks of a file with the seen images, which are read from their folder.
import { listOf, Resolver } from '../../networks/index.js';
import type { IoTraining } from '../../predictors/kind.js';
import { readIoData } from '../../store/io-data.js';
import { AuspexError } from '../../util/errors.js';
import { readSeenImages } from '../data/io/image-pool.js';

/** Codes: those of `readIoData` and of images; BAD_OPTION, OTHER_SPACE, IO_IMAGES. */
export function ioTraining(file: string, images: string | undefined, space: string): IoTraining {
  if (images === undefined) {
    throw new AuspexError('BAD_OPTION', '--io needs the images that features are of', {
      hint: 'give --images DIR, the folder that `auspex data io` was given',
    });
  }
  const data = readIoData(file);
  if (data.space !== space) {
    throw new AuspexError('OTHER_SPACE', `the IO data is of ${data.space}, but the table contains ${space}`, {
      where: { file },
      hint: `give a table of ${data.space}`,
    });
  }
  const resolver = new Resolver();
  const networks = data.networks.filter(({ part }) => part === 'train');
  const seen = data.images.filter(({ part }) => part === 'seen');
  const set = readSeenImages(
    images,
    seen.map(({ place }) => place),
  );
  const other = seen.findIndex(({ label }, i) => label !== set.labels[i]);
  if (other >= 0) {
    throw new AuspexError('IO_IMAGES', `image ${seen[other]!.place} of the folder has another class`, {
      where: { file: images },
      hint: 'give the folder that `auspex data io` was given',
    });
  }
  return {
    networks: listOf(networks.map(({ text }) => resolver.network(`${space}:${text}`))),
    images: set,
    width: networks[0]?.minimum.length ?? 0,
    // Seen images come first.
    read: (network, image, out, at) => {
      const { minimum, step, levels } = networks[network]!;
      minimum.forEach((least, k) => {
        out[at + k] = least + step[k]! * levels[image * minimum.length + k]!;
      });
    },
  };
}
