import { expect, it } from 'vitest';
import '../../ops/index.js';
import { ArchNetwork } from '../../networks/arch-network.js';
import { listOf, type Networks } from '../../networks/networks.js';
import { spaceNamed } from '../../spaces/index.js';
import { Random } from '../../util/random.js';
import { kindNamed } from './index.js';

const SPACE = spaceNamed('nats-size');
const RUN = { seed: 2, threads: 1 };

function drawn(count: number, seed: number): ArchNetwork[] {
  const random = Random.seeded(seed);
  return Array.from({ length: count }, () => new ArchNetwork(SPACE, SPACE.sample(random)));
}

/** The logarithm of MACs is learned. */
function dataOf(networks: readonly ArchNetwork[]) {
  const values = Float64Array.from(networks, (network) => Math.log(network.counts().macs));
  return { networks: listOf(networks) as Networks, labels: { names: ['size'], values } };
}

it('learns rows that are held out for the interval, which is made without them', async () => {
  const [train, held, others] = [drawn(16, 1), drawn(12, 2), listOf(drawn(6, 3))];
  const fitted = (some: readonly ArchNetwork[], validation?: readonly ArchNetwork[]) =>
    kindNamed('few-shot').fit(
      { ...dataOf(some), ...(validation ? { validation: dataOf(validation) } : {}) },
      { model: { trees: 1, forest: 0 } },
      RUN,
    );
  const [few, kept, all] = [
    await fitted(train),
    await fitted(train, held),
    await fitted([...train, ...held]),
  ];
  const valuesOf = async ({ predictor }: Awaited<ReturnType<typeof fitted>>) =>
    (await predictor.predict!(others)).values;
  const [fewer, own, whole] = [await valuesOf(few), await valuesOf(kept), await valuesOf(all)];
  expect(own).not.toEqual(fewer);
  // What labels are standardised by comes from the training rows alone.
  own.forEach((value, i) => void expect(value).toBeCloseTo(whole[i]!, 2));
  const { interval } = kept.predictor.info.labels[0]!;
  expect(interval!.rows).toBe(12);
  const errors = (await few.predictor.predict!(listOf(held))).values.map((value, i) =>
    Math.abs(value - dataOf(held).labels.values[i]!),
  );
  // ⌈13 · 0.9⌉ = 12: the largest error of the model that did not see them.
  expect(interval!.groups[0]!.halfWidth).toBeCloseTo(Math.max(...errors), 5);
});
