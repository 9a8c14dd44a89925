// What holds for every space. `describeSpace(space)` in a space's test runs all of it.
import { describe, expect, it } from 'vitest';
import { cost } from '../analysis/cost.js';
import { inferShapes } from '../analysis/infer.js';
import { isTensor } from '../graph/types.js';
import { hostTensor, Session } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { mutate } from './choices.js';
import { describeChoices } from './choices.testing.js';
import { describeArchitecture } from './describe.js';
import type { AnySpace, NetworkOptions } from './space.js';

export interface SpaceExpectations {
  /** Sizes small enough that a network runs in milliseconds. */
  readonly small: NetworkOptions;
  /** Texts that are refused, and a part of the message. */
  readonly refused: readonly (readonly [text: string, message: RegExp])[];
  /** How many networks run; more are run by `npm run spaces`. */
  readonly runs?: number;
}

export function describeSpace(space: AnySpace, { small, refused, runs = 3 }: SpaceExpectations): void {
  const samples = (count: number, seed = 1): unknown[] => {
    const random = Random.seeded(seed);
    return Array.from({ length: count }, () => space.sample(random));
  };
  const text = (arch: unknown): string => space.format(arch);

  describe(`${space.title} is a space`, () => {
    it('has a name for commands, an example and a size', () => {
      expect(space.name).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(text(space.parse(space.example))).toBe(space.example);
      if (space.size !== undefined) expect(space.size > 0n).toBe(true);
    });

    it('draws the same architectures for the same seed, and others for another', () => {
      expect(samples(20).map(text)).toEqual(samples(20).map(text));
      expect(samples(20).map(text)).not.toEqual(samples(20, 2).map(text));
    });

    it('reads back what it writes', () => {
      for (const arch of samples(200)) {
        const written = text(arch);
        expect(written).not.toMatch(/\n/);
        expect(space.parse(written)).toEqual(arch);
        expect(text(space.parse(written))).toBe(written);
      }
    });

    describeChoices(space, samples);

    it.each(refused)('refuses %j', (wrong, message) => {
      let thrown: unknown;
      try {
        space.parse(wrong);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(AuspexError);
      expect((thrown as AuspexError).code).toBe('ARCH_TEXT');
      expect((thrown as AuspexError).message).toMatch(message);
    });

    it('has networks whose size does not depend on the seed, and weights that do', () => {
      const [arch] = samples(1);
      const [a, b] = [0, 1].map((seed) => space.network(arch, { ...small, seed }));
      expect(cost(inferShapes(a!)).totals).toEqual(cost(inferShapes(b!)).totals);
      const [x, y] = [a!, b!].map((model) => [...model.graph.initializers.values()].map(bytesOf).join());
      expect(x).not.toBe(y);
      expect([...space.network(arch, small).graph.initializers.values()].map(bytesOf).join()).toBe(x);
    });

    it('has networks of the sizes of the paper that can be inferred and counted', () => {
      for (const arch of samples(2)) {
        const { graph } = inferShapes(space.network(arch));
        const output = graph.types.get(graph.outputNames[0]!);
        expect(isTensor(output!) && output.shape?.at(-1)).toBe(space.defaults.classes);
        const { totals, constants } = cost(inferShapes(space.network(arch)));
        expect(totals.parameters).toBeGreaterThan(0);
        expect(totals.macs).toBeGreaterThan(0);
        const { parameters, macs, flops } = totals;
        expect(describeArchitecture(space, arch)).toMatchObject({ parameters, macs, flops });
        expect(constants.filter((c) => c.kind === 'unused')).toEqual([]);
      }
    });

    it('has networks that run in ONNX Runtime', async () => {
      const options = { ...small, batch: 2, classes: 7 };
      for (const arch of samples(runs, 6)) await expectRuns(space, arch, options);
    });

    const { cell, vocabulary, largestCell } = space;

    it('knows its cells if it has them', () => {
      expect(vocabulary !== undefined).toBe(cell !== undefined);
      expect(largestCell !== undefined).toBe(cell !== undefined);
    });

    it.runIf(space.fromCell)('finds the architecture of a cell, and none of what is not one', () => {
      for (const arch of samples(50)) {
        const graph = cell!(arch);
        const found = space.fromCell!(graph);
        expect(space.hash?.(found) ?? text(found)).toBe(space.hash?.(arch) ?? text(arch));
        expect(space.fromCell!({ ...graph, ops: graph.ops.toReversed() })).toBeUndefined();
        expect(
          space.fromCell!({ ...graph, adjacency: graph.adjacency.map((row) => row.map(() => 0)) }),
        ).toBeUndefined();
      }
    });

    it('has texts that differ where hashes do, and hashes where texts do if it says so', () => {
      const { hash = text, hasCanonicalTexts = false } = space;
      const pool = samples(300);
      const hashes = new Set(pool.map(hash));
      const texts = new Set(pool.map(text));
      expect(hashes.size).toBeLessThanOrEqual(texts.size);
      if (hasCanonicalTexts) expect(hashes.size).toBe(texts.size);
    });

    it.runIf(space.key)('has keys that tell apart what hashes do', () => {
      const pool = samples(300);
      const pairs = new Set(pool.map((arch) => `${space.key!(arch)} ${space.hash!(arch)}`));
      expect(pairs.size).toBe(new Set(pool.map(space.hash!)).size);
      expect(pairs.size).toBe(new Set(pool.map(space.key!)).size);
    });

    it('has a size that is counted in whole parts, if it has one', () => {
      for (const arch of samples(20)) {
        const size = space.sizeOf?.(arch);
        if (size === undefined) continue;
        expect(size.unit).toMatch(/^[a-z ]+$/);
        expect(Number.isInteger(size.value)).toBe(true);
      }
    });

    if (cell && vocabulary && largestCell) {
      it('names operations of its own where it says what they do', () => {
        const { identities = [], cellOperations } = space;
        expect(vocabulary).toEqual(expect.arrayContaining([...identities, ...(cellOperations?.names ?? [])]));
      });

      it('has cells that are acyclic, the input first and the output last', () => {
        for (const arch of samples(100)) {
          const { ops, adjacency } = cell(arch);
          expect(ops[0]).toMatch(/^input(@\d+)?$/);
          expect(ops.at(-1)).toBe('output');
          expect(adjacency.length).toBe(ops.length);
          // Strictly upper triangular, zeros and ones.
          const isRight = (edge: number, i: number, j: number): boolean =>
            edge === 0 || (edge === 1 && j > i);
          adjacency.forEach((row, i) => {
            expect(row.length).toBe(ops.length);
            expect(row.every((edge, j) => isRight(edge, i, j))).toBe(true);
          });
        }
      });

      it('has cells of the operations it names, and of no others', () => {
        const used = new Set(samples(600).flatMap((arch) => cell(arch).ops));
        expect(new Set(vocabulary).size).toBe(vocabulary.length);
        expect([...used].sort()).toEqual([...vocabulary].sort());
      });

      it('has another cell when one choice is made differently', () => {
        const random = Random.seeded(7);
        for (const arch of samples(100)) expect(cell(mutate(space, arch, random))).not.toEqual(cell(arch));
      });

      it('has cells as large as it says, and no larger ones', () => {
        const random = Random.seeded(8);
        let [arch] = samples(1);
        const size = (a: unknown): number => cell(a).ops.length;
        for (let i = 0; i < 5_000 && size(arch) !== largestCell; i++) {
          const mutated = mutate(space, arch, random);
          if (size(mutated) >= size(arch)) arch = mutated;
        }
        expect(size(arch)).toBe(largestCell);
        for (const each of samples(300)) expect(size(each)).toBeLessThanOrEqual(largestCell);
      });
    }
  });
}

function bytesOf({ data }: { data: { kind: string; bytes?: { read(): Uint8Array } } }): string {
  return data.kind === 'raw' ? Buffer.from(data.bytes!.read()).toString('base64') : '';
}

/** Runs a network on a batch of 2; what comes out has the declared shape and no NaN. */
export async function expectRuns(space: AnySpace, arch: unknown, options: NetworkOptions): Promise<void> {
  const model = space.network(arch, options);
  const [input] = model.graph.inputs;
  const type = input!.type;
  if (!isTensor(type)) throw new Error('the input is no tensor');
  const dims = type.shape as readonly number[];
  const count = dims.reduce((n, d) => n * d, 1);
  const random = Random.seeded(9);
  const feed =
    type.dtype === 'int64'
      ? await hostTensor(
          'int64',
          BigInt64Array.from({ length: count }, () => BigInt(random.below(5))),
          dims,
        )
      : await hostTensor(
          'float32',
          Float32Array.from({ length: count }, () => random.normal()),
          dims,
        );
  const session = await Session.create(model, { threads: 1 });
  try {
    const outputs = await session.run({ [input!.name]: feed });
    const output = outputs[model.graph.outputs[0]!.name]!;
    const declared = model.graph.outputs[0]!.type;
    expect(isTensor(declared) && declared.shape).toEqual([...output.dims]);
    expect(output.dims[0]).toBe(options.batch);
    expect(output.dims.at(-1)).toBe(options.classes);
    expect((output.data as Float32Array).every(Number.isFinite), space.format(arch)).toBe(true);
  } finally {
    await session.dispose();
  }
}
