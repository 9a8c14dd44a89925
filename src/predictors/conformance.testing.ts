// What every kind of predictor keeps to, whatever it sees and learns. Run over all registered kinds in conformance.test.ts.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Network } from '../networks/network.js';
import { lazily, listOf, type Networks, rowsOf } from '../networks/networks.js';
import type { AuspexError } from '../util/errors.js';
import type { PredictorKind, RecipeChanges, TrainingData } from './kind.js';
import type { Labels } from './labels.js';
import { decodePredictor } from './load.js';
import type { PredictOptions, Predictor } from './predictor.js';

export interface KindExpectations {
  /** Small sizes and few steps, so that a fit takes a fraction of a second. */
  readonly changes: RecipeChanges;
  /** Networks that it covers: 60 of them. */
  readonly networks: readonly Network[];
  /** A network that it does not cover, if there is one. */
  readonly foreign?: Network;
  /** What it learns from besides networks and labels. */
  readonly io?: TrainingData['io'];
  /** What it begins with, of kinds that cannot begin with nothing. */
  readonly from?: () => Promise<Predictor>;
  /** An option that is out of its range, if it has options. */
  readonly badOption?: Readonly<Record<string, unknown>>;
}

const TRAINED = 36;
const RUN = { seed: 3, threads: 1 };

/** Two latencies and an accuracy that depend on what networks cost; some rows lack some. */
function labelsOf(networks: Networks, isPartial = false): Labels {
  const values = Array.from({ length: networks.count }, (_, row) => {
    const { parameters, flops } = networks.at(row).settled().counts();
    const numbers = [flops / 1e7 + 1, parameters / 1e5 + 2, 50 + Math.log(parameters + 1)];
    return numbers.map((y, i) => (isPartial && (row + i) % 4 === 0 ? Number.NaN : y));
  });
  return {
    names: ['ms', 'mj', 'accuracy'],
    units: ['ms', 'mJ', '%'],
    values: Float64Array.from(values.flat()),
  };
}

/** Whatever a predictor says of networks, as numbers. */
export async function outputOf(
  predictor: Predictor,
  networks: Networks,
  options?: PredictOptions,
): Promise<Float64Array> {
  if (predictor.predict) return (await predictor.predict(networks, options)).values;
  if (predictor.order) return predictor.order(networks, options);
  return (await predictor.embed!(networks, options)).data;
}

/** Batches of another size differ in the last bits of single precision. */
function near(found: Float64Array, wanted: Float64Array, tolerance = 1e-6): void {
  expect(found.length).toBe(wanted.length);
  found.forEach((x, i) => {
    expect(Math.abs(x - wanted[i]!)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(wanted[i]!)));
  });
}

export function testKind(kind: PredictorKind, expectations: KindExpectations): void {
  const { changes, networks: all, foreign, badOption, io } = expectations;
  let also: Pick<TrainingData, 'io' | 'from'> = io ? { io } : {};
  const [known, others] = [listOf(all.slice(0, TRAINED)), listOf(all.slice(TRAINED))];
  const data: TrainingData = { networks: known, labels: labelsOf(known) };
  const fit = async (of: TrainingData = data, more = {}): Promise<Predictor> =>
    (await kind.fit({ ...of, ...also }, changes, { ...RUN, ...more })).predictor;

  describe(kind.name, () => {
    let predictor: Predictor;
    let found: Float64Array;
    beforeAll(async () => {
      if (expectations.from) also = { ...also, from: await expectations.from() };
      predictor = await fit();
      found = await outputOf(predictor, others);
    }, 30_000);

    it('says what it is', () => {
      expect(kind.title.length * kind.paper.length * kind.summary.length).toBeGreaterThan(0);
      expect(predictor.info).toMatchObject({ version: 2, kind: kind.name, seen: { rows: TRAINED, seed: 3 } });
      expect(kind.views).toContain(predictor.info.entries[0]!.view);
      const { predict, order, embed } = predictor;
      expect([predict, order, embed].some((can) => can !== undefined)).toBe(true);
      expect(predict === undefined).toBe(predictor.info.labels.length === 0);
    });

    it('is the same for the same seed', async () => {
      const again = await fit();
      expect(Buffer.compare(Buffer.from(again.toOnnx()), Buffer.from(predictor.toOnnx()))).toBe(0);
      await again.dispose();
    });

    it('is a file that says the same', async () => {
      const again = await decodePredictor(predictor.toOnnx(), { threads: 1 });
      expect(again.info).toEqual(predictor.info);
      near(await outputOf(again, others), found);
      await again.dispose();
    });

    it('says something finite, the same of a network twice, alone, and of none at all', async () => {
      expect(found.every(Number.isFinite)).toBe(true);
      const width = found.length / others.count;
      const twice = await outputOf(predictor, rowsOf(others, [1, 1, 0]));
      expect(twice.slice(0, width)).toEqual(twice.slice(width, 2 * width));
      // What is ordered depends on the pool.
      if (predictor.order === undefined)
        near(await outputOf(predictor, rowsOf(others, [1])), found.slice(width, 2 * width), 1e-5);
      expect((await outputOf(predictor, listOf([]))).length).toBe(0);
    });

    it('tells how far networks are from those of its training', async () => {
      if (predictor.predict === undefined) return;
      const { distance } = await predictor.predict(known);
      expect(distance?.length).toBe(TRAINED);
      expect(Math.max(...distance!)).toBeCloseTo(1, 9);
      for (const each of distance!) expect(each).toBeGreaterThanOrEqual(0);
      const again = await decodePredictor(predictor.toOnnx(), { threads: 1 });
      const [first, repeated] = (await again.predict!(rowsOf(known, [3, 3]))).distance!;
      expect([first, repeated]).toEqual([distance![3], distance![3]]);
      await again.dispose();
    });

    it('looks at every network once', async () => {
      const looks = new Map<string, number>();
      const counted = (name: string, of: Networks): Networks =>
        lazily(of.count, (row) => {
          looks.set(`${name}${row}`, (looks.get(`${name}${row}`) ?? 0) + 1);
          return of.at(row);
        });
      const validation = { networks: counted('held ', others), labels: labelsOf(others) };
      const one = await fit({ ...data, networks: counted('', known), validation });
      expect(looks.size).toBeGreaterThanOrEqual(TRAINED);
      expect([...looks].filter(([, count]) => count !== 1)).toEqual([]);
      for (const { interval } of one.info.labels) expect(interval?.coverage).toBe(0.9);
      await one.dispose();
    });

    it('stops when it is told to', async () => {
      const stop = new AbortController();
      stop.abort();
      await expect(fit(data, { signal: stop.signal })).rejects.toMatchObject({ code: 'TRAINING_STOPPED' });
    });

    it('leaves out networks that cannot be used, and names them', async () => {
      expect(predictor.covers(all[0]!)).toBeUndefined();
      if (foreign === undefined) return;
      const error = predictor.covers(foreign)!;
      expect(error.message).toContain(foreign.ref);
      expect(error.message.startsWith(kind.title)).toBe(true);
      expect(error.hint).toBeDefined();
      const mixed = listOf([all[0]!, foreign, all[1]!]);
      await expect(outputOf(predictor, mixed)).rejects.toMatchObject({
        code: error.code,
        where: { path: expect.stringContaining('row 1') },
      });
      const bad: [number, AuspexError][] = [];
      const numbers = await outputOf(predictor, mixed, { onBad: (row, wrong) => bad.push([row, wrong]) });
      expect(bad.map(([row, { code }]) => [row, code])).toEqual([[1, error.code]]);
      const width = numbers.length / 3;
      expect([...numbers.keys()].filter((i) => Number.isNaN(numbers[i]))).toEqual(
        Array.from({ length: width }, (_, i) => width + i),
      );
      const rows: number[] = [];
      const networks = listOf([...all.slice(0, TRAINED), foreign]);
      const labels = labelsOf(networks);
      await expect(fit({ networks, labels })).rejects.toMatchObject({
        code: error.code,
      });
      const trained = await fit({ networks, labels }, { onBad: (row: number) => rows.push(row) });
      expect([rows, trained.info.seen.rows]).toEqual([[TRAINED], TRAINED]);
      await trained.dispose();
    });

    it('refuses options that it does not have, or that are out of range', async () => {
      const checked = (model: Readonly<Record<string, unknown>>) =>
        expect(kind.fit({ ...data, ...also }, { ...changes, model }, RUN)).rejects.toMatchObject({
          code: 'MODEL_OPTION',
        });
      await checked({ noSuchOption: 1 });
      if (badOption) await checked(badOption);
    });

    if (kind.learns !== 'networks') {
      it('learns labels of which rows lack some, and refuses those that teach nothing', async () => {
        const partial = await fit({ networks: known, labels: labelsOf(known, true) });
        expect((await outputOf(partial, others)).every(Number.isFinite)).toBe(true);
        await partial.dispose();
        const same = new Float64Array(TRAINED).fill(2);
        const constant = { networks: known, labels: { names: ['y'], values: same } };
        await expect(fit(constant)).rejects.toMatchObject({ code: 'LABEL_CONSTANT' });
        const one = { networks: rowsOf(known, [0]), labels: { names: ['y'], values: Float64Array.of(1) } };
        await expect(fit(one)).rejects.toMatchObject({ code: 'LABEL_TOO_FEW' });
      });
    }

    if (kind.recipe) {
      it('goes on where it was stopped, to the same weights', async () => {
        const saved = new Map<string, Uint8Array>();
        const checkpoint = (name: string) => ({
          load: async () => saved.get(name),
          save: async (bytes: Uint8Array) => void saved.set(name, bytes.slice()),
        });
        const stop = new AbortController();
        const onProgress = ({ part }: { part: number }): void => {
          if (part > 0.4) stop.abort();
        };
        const stopped = fit(data, { checkpoint, onProgress, signal: stop.signal });
        await expect(stopped).rejects.toMatchObject({ code: 'TRAINING_STOPPED' });
        const resumed = await fit(data, { checkpoint });
        expect(saved.size).toBeGreaterThan(0);
        expect(Buffer.compare(Buffer.from(resumed.toOnnx()), Buffer.from(predictor.toOnnx()))).toBe(0);
        await resumed.dispose();
      });
    }

    if (kind.recipe && kind.learns === 'labels') {
      it('is trained further, for another label', async () => {
        const { isFromScratch: _, ...further } = changes;
        const { names, values } = labelsOf(known);
        const watts = values.filter((_, i) => i % names.length === 0).map((ms) => 3 * ms ** 0.8);
        const labels = { names: ['watts'], values: watts };
        const next = (await kind.fit({ networks: known, labels, from: predictor }, further, RUN)).predictor;
        expect(next.info.labels.map(({ name }) => name)).toEqual(['watts']);
        expect((await outputOf(next, others)).every(Number.isFinite)).toBe(true);
        await next.dispose();
      });
    }

    it('can be used again after it was disposed of', async () => {
      await predictor.dispose();
      await predictor.dispose();
      near(await outputOf(predictor, others), found);
      await predictor.dispose();
    });
  });
}
