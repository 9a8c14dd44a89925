// IO data as a predictor learns from it and is tested with: networks of a file with images, which are read from their folder.
import { listOf, Resolver } from '../../networks/index.js';
import type { IoTraining } from '../../predictors/kind.js';
import { featuresOf, type IoImage, readIoData } from '../../store/io-data.js';
import { AuspexError } from '../../util/errors.js';
import { readDrawnImages } from '../data/io/image-pool.js';
import { ioSets } from '../data/io/io-sets.js';

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
  const placesOf = (part: IoImage['part']): IoImage[] => data.images.filter((image) => image.part === part);
  const parts = { seen: placesOf('seen'), unseen: placesOf('unseen') };
  const read = readDrawnImages(images, {
    seen: parts.seen.map(({ place }) => place),
    unseen: parts.unseen.map(({ place }) => place),
  });
  for (const part of ['seen', 'unseen'] as const) {
    const other = parts[part].find(({ label }, i) => label !== read[part].labels[i]);
    if (other === undefined) continue;
    throw new AuspexError('IO_IMAGES', `image ${other.place} of the folder has another class`, {
      where: { file: images },
      hint: 'give the folder that `auspex data io` was given',
    });
  }
  const resolver = new Resolver();
  const [learned, ...tests] = ioSets(data.networks, data.images).map((set) => {
    const networks = set.networks.map((place) => data.networks[place]!);
    const part = data.images[set.images[0] ?? 0]?.part ?? 'seen';
    return {
      name: set.name,
      networks: listOf(networks.map(({ text }) => resolver.network(`${space}:${text}`))),
      images: read[part],
      width: networks[0]?.minimum.length ?? 0,
      read: (network: number, image: number, out: Float32Array, at: number): void =>
        out.set(featuresOf(networks[network]!, set.images[image]!), at),
    };
  });
  return { ...learned!, tests };
}
