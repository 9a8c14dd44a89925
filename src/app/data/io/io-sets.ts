// The five sets of IO data (Kadlecová et al. 2023, Table 2): seen and unseen networks with seen and unseen images. A tenth of
// the training networks is validated with on unseen images, the others are for tests.
import type { IoImage, IoNetwork } from '../../../store/io-data.js';

export const IO_SETS = [
  'train',
  'validation-networks',
  'validation-images',
  'test-images',
  'test-networks-and-images',
] as const;
export type IoSetName = (typeof IO_SETS)[number];

/** Places of networks and of images; every pair of them is an example. */
export interface IoSet {
  readonly name: IoSetName;
  readonly networks: readonly number[];
  readonly images: readonly number[];
}

/** Of the training networks, those whose features of unseen images are validated with. */
const VALIDATED = 0.1;

export function ioSets(
  networks: readonly Pick<IoNetwork, 'part'>[],
  images: readonly Pick<IoImage, 'part'>[],
): IoSet[] {
  const placesOf = <T extends { readonly part: string }>(list: readonly T[], part: T['part']): number[] =>
    list.flatMap((each, place) => (each.part === part ? [place] : []));
  const [train, validation] = [placesOf(networks, 'train'), placesOf(networks, 'validation')];
  const [seen, unseen] = [placesOf(images, 'seen'), placesOf(images, 'unseen')];
  const held = Math.round(VALIDATED * train.length);
  // Evenly, from the first on.
  const isHeld = (i: number): boolean =>
    Math.ceil(((i + 1) * held) / train.length) > Math.ceil((i * held) / train.length);
  const set = (name: IoSetName, of: readonly number[], with_: readonly number[]): IoSet => ({
    name,
    networks: of,
    images: with_,
  });
  return [
    set('train', train, seen),
    set('validation-networks', validation, seen),
    set(
      'validation-images',
      train.filter((_, i) => isHeld(i)),
      unseen,
    ),
    set(
      'test-images',
      train.filter((_, i) => !isHeld(i)),
      unseen,
    ),
    set('test-networks-and-images', validation, unseen),
  ];
}
