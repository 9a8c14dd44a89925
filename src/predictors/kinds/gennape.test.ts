import { expect, it } from 'vitest';
import '../../ops/index.js';
import { spearman } from '../../metrics/index.js';
import { ArchNetwork } from '../../networks/arch-network.js';
import { listOf, type Networks } from '../../networks/networks.js';
import { spaceNamed } from '../../spaces/index.js';
import { Random } from '../../util/random.js';
import { decodePredictor } from '../load.js';
import type { MemberAnswers } from '../predictor.js';
import { kindNamed } from './index.js';

const RUN = { seed: 2, threads: 1 };
const CHANGES = { steps: 3, batch: 16, pretraining: { rows: 0, steps: 2, rate: 1e-3 } };
const MODEL = { width: 4, layers: 1, clusters: 2, latent: 3 };

function drawn(space: string, count: number): Networks {
  const random = Random.seeded(5);
  return listOf(
    Array.from({ length: count }, () => new ArchNetwork(spaceNamed(space), spaceNamed(space).sample(random))),
  );
}

function dataOf(networks: Networks) {
  const values = Float64Array.from({ length: networks.count }, (_, i) => 0.9 + 0.01 * Math.sin(i));
  return { networks, labels: { names: ['accuracy'], values } };
}

/** What the order by structure says. */
function structureOf({ members, values }: MemberAnswers): number[] {
  const at = members.findIndex(({ name }) => name === 'structure');
  return Array.from(
    { length: values.length / members.length },
    (_, row) => values[row * members.length + at]!,
  );
}

it('is trained further on another family, again and again; weights follow from labels', async () => {
  const first = await kindNamed('gennape').fit(
    dataOf(drawn('nasbench201', 20)),
    { ...CHANGES, model: MODEL },
    RUN,
  );
  const equal = first.predictor.info.ensemble!.members;
  expect(equal.map(({ name }) => name)).toEqual([
    ...['cl-fcm-t', 'cl-t', 'cl-fcm-pairwise', 'cl-pairwise', 'k-gnn', 'flops', 'structure'],
  ]);
  for (const { weight } of equal.slice(0, 6)) expect(weight).toBeCloseTo(1 / 6, 12);
  expect(equal[6]).toMatchObject({ weight: 0, far: 0.7 });
  expect(equal.reduce((sum, { far }) => sum + far!, 0)).toBeCloseTo(1, 12);
  // Cells of the training are near; other networks are not, and weigh members otherwise.
  expect(
    (await first.predictor.members!(drawn('nasbench201', 20))).near!.filter((x) => x > 0.9).length,
  ).toBeGreaterThan(15);
  const files = drawn('nnlqp-alexnet', 12);
  const far = await first.predictor.members!(files);
  expect([...far.near!]).toEqual(new Array(12).fill(0));
  expect(spearman(await first.predictor.order!(files), structureOf(far))).toBeGreaterThan(0.8);
  const from = await decodePredictor(first.predictor.toOnnx());
  const second = await kindNamed('gennape').fit({ ...dataOf(files), from }, CHANGES, RUN);
  const third = await kindNamed('gennape').fit({ ...dataOf(files), from: second.predictor }, CHANGES, RUN);
  const weights = third.predictor.info.ensemble!.members.map(({ weight }) => weight);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  expect(new Set(weights).size).toBeGreaterThan(1);
  const again = await decodePredictor(third.predictor.toOnnx());
  // The encoder is the first one's, once.
  const embedded = await again.embed!(files);
  expect(embedded.data).toEqual((await first.predictor.embed!(files)).data);
  const { members, values } = await again.members!(files);
  // Trained further, a regression for few labels has joined them.
  expect(members.map(({ name }) => name)).toEqual([...equal.map(({ name }) => name), 'few-shot']);
  expect(values.length).toBe(8 * 12);
  expect(values.every(Number.isFinite)).toBe(true);
  const further = (networks: Networks, values?: Float64Array) => {
    const { labels } = dataOf(networks);
    const data = { networks, labels: { ...labels, values: values ?? labels.values }, from };
    return kindNamed('gennape').fit(data, CHANGES, RUN);
  };
  for (const count of [0, 3]) {
    await expect(further(drawn('nasbench201', count))).rejects.toMatchObject({ code: 'LABEL_TOO_FEW' });
  }
  const alike = new Float64Array(12).fill(0.9);
  await expect(further(files, alike)).rejects.toMatchObject({ code: 'LABEL_CONSTANT' });
  // Four networks, three times each, with other labels each time.
  const four = [...files.chunks(4)][0]!;
  const repeated = await further(listOf([...four, ...four, ...four]));
  expect((await repeated.predictor.order!(files)).every(Number.isFinite)).toBe(true);
  // Heads of another kind on the same encoder.
  const other = await kindNamed('cl-t').fit(
    { ...dataOf(files), from },
    { ...CHANGES, model: { width: 4 } },
    RUN,
  );
  expect((await other.predictor.embed!(files)).data).toEqual(embedded.data);
  const cells = await kindNamed('flops').fit(dataOf(files), {}, RUN);
  await expect(
    kindNamed('cl-t').fit({ ...dataOf(files), from: cells.predictor }, CHANGES, RUN),
  ).rejects.toMatchObject({ code: 'PREDICTOR_KIND' });
}, 60_000);
