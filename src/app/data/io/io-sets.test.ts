import { expect, it } from 'vitest';
import { ioSets } from './io-sets.js';

it('has the sizes of the paper', () => {
  const networks = Array.from({ length: 685 }, (_, i) => ({
    part: i % 9 === 8 || i === 0 ? ('validation' as const) : ('train' as const),
  }));
  expect(networks.filter(({ part }) => part === 'train').length).toBe(608);
  const images = Array.from({ length: 3000 }, (_, i) => ({
    part: i < 1000 ? ('seen' as const) : ('unseen' as const),
  }));
  const sets = ioSets(networks, images);
  expect(sets.map(({ networks: of, images: seen }) => of.length * seen.length)).toEqual([
    608_000, 77_000, 122_000, 1_094_000, 154_000,
  ]);
  // No network of one validation set is in the test set beside it.
  const [, , validation, test] = sets;
  expect(validation!.networks.filter((place) => test!.networks.includes(place))).toEqual([]);
});
