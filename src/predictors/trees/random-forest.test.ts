import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { kendallTauB, r2 } from '../../metrics/index.js';
import { decodeModel } from '../../onnx/read.js';
import { encodeModel } from '../../onnx/write.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { FeatureRows } from '../views/feature-rows.js';
import { COLUMNS, golden, problem } from './golden.testing.js';
import { type ForestOptions, RandomForest } from './random-forest.js';

const train = problem(1000, 1);
const test = problem(1000, 2);

const OPTIONS: Readonly<Record<string, Partial<ForestOptions>>> = {
  default: {},
  'third of the features': { maxFeatures: 1 / 3 },
  'large leaves': { minSamplesLeaf: 5 },
};

function mean(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0) / numbers.length;
}

describe('RandomForest', () => {
  it('grows the tree that scikit-learn grows', () => {
    const { minSamplesLeaf, nodes, predictions, importances } = golden.tree;
    const fit = RandomForest.fit(train.rows, train.targets, { trees: 1, bootstrap: false, minSamplesLeaf });
    expect(fit.forest.trees[0]!.feature.length).toBe(nodes);
    const { means } = fit.forest.predict(test.rows);
    for (const [i, expected] of predictions.entries()) expect(means[i]).toBeCloseTo(expected, 10);
    for (const [f, expected] of importances.entries()) expect(fit.importances[f]).toBeCloseTo(expected, 10);
  });

  it.each(Object.keys(golden.forests))('is as good as scikit-learn: %s', (name) => {
    const expected = golden.forests[name]!;
    const seeds = [0, 1, 2, 3, 4];
    const runs = seeds.map((seed) => {
      const fit = RandomForest.fit(train.rows, train.targets, { ...OPTIONS[name], seed });
      const { means } = fit.forest.predict(test.rows);
      return {
        r2: r2(means, test.targets),
        tau: kendallTauB(means, test.targets),
        oobR2: r2(fit.outOfBag, train.targets),
        importances: fit.importances,
      };
    });
    // Four times the standard error of the difference of two means, over our 5 seeds and scikit-learn's 10.
    for (const metric of ['r2', 'tau', 'oobR2'] as const) {
      const [centre, deviation] = expected[metric];
      const off = mean(runs.map((run) => run[metric])) - centre;
      expect(Math.abs(off), metric).toBeLessThan(4 * deviation * Math.sqrt(1 / 5 + 1 / 10));
    }
    expected.importances.forEach((share, f) => {
      expect(Math.abs(mean(runs.map((run) => run.importances[f]!)) - share), `x${f}`).toBeLessThan(0.01);
    });
  });

  it('reproduces its targets without bootstrap, and each leaf has as many rows as told', () => {
    const { forest } = RandomForest.fit(train.rows, train.targets, { trees: 2, bootstrap: false });
    expect(forest.predict(train.rows).means).toEqual(train.targets);
    const { forest: coarse } = RandomForest.fit(train.rows, train.targets, {
      trees: 3,
      bootstrap: false,
      maxFeatures: 0.3,
      minSamplesLeaf: 7,
    });
    for (const tree of coarse.trees) {
      // A leaf is told by its value, targets being all different.
      const one = RandomForest.fromJSON({ ...coarse.toJSON(), trees: [single(tree)] });
      const sizes = new Map<number, number>();
      for (const value of one.predict(train.rows).means) sizes.set(value, (sizes.get(value) ?? 0) + 1);
      expect(Math.min(...sizes.values())).toBeGreaterThanOrEqual(7);
      expect(sizes.size).toBe(tree.feature.filter((f) => f < 0).length);
    }
  });

  it('finds the best first split, as trying all of them does', () => {
    const random = Random.seeded(3);
    for (let round = 0; round < 30; round++) {
      const levels = round % 2 === 0 ? 6 : 1000;
      const n = 40 + random.below(40);
      const data = Float32Array.from({ length: 3 * n }, () => random.below(levels));
      const targets = Float64Array.from({ length: n }, () => random.below(5) + 1e6);
      const rows = new FeatureRows(['a', 'b', 'c'], data);
      const { forest } = RandomForest.fit(rows, targets, { trees: 1, bootstrap: false, maxDepth: 1 });
      const error = (of: (i: number) => number): number =>
        targets.reduce((sum, target, i) => sum + (target - of(i)) ** 2, 0);
      const average = (keep: (i: number) => boolean): number => mean([...targets].filter((_, i) => keep(i)));
      let least = error(() => average(() => true));
      for (let f = 0; f < 3; f++) {
        for (const level of data) {
          const isLeft = (i: number): boolean => data[3 * i + f]! <= level;
          const sides = [average(isLeft), average((i) => !isLeft(i))];
          if (sides.every(Number.isFinite))
            least = Math.min(
              least,
              error((i) => sides[isLeft(i) ? 0 : 1]!),
            );
        }
      }
      const { means } = forest.predict(rows);
      expect(error((i) => means[i]!)).toBeCloseTo(least, 6);
    }
  });

  it('tells how far the trees are apart', () => {
    const { forest } = RandomForest.fit(train.rows, train.targets, { trees: 7 });
    const { means, spreads } = forest.predict(test.rows);
    const json = forest.toJSON();
    const alone = json.trees.map(
      (tree) => RandomForest.fromJSON({ ...json, trees: [tree] }).predict(test.rows).means,
    );
    for (let i = 0; i < 50; i++) {
      const values = alone.map((predictions) => predictions[i]!);
      expect(means[i]).toBeCloseTo(mean(values), 12);
      expect(spreads[i]).toBeCloseTo(Math.sqrt(mean(values.map((v) => (v - mean(values)) ** 2))), 12);
    }
  });

  it('gives the same numbers for the same seed, and others for another', () => {
    const predictions = (seed: number): Float64Array =>
      RandomForest.fit(train.rows, train.targets, { trees: 3, seed, maxFeatures: 0.5 }).forest.predict(
        test.rows,
      ).means;
    expect(predictions(1)).toEqual(predictions(1));
    expect(predictions(1)).not.toEqual(predictions(2));
  });

  it('survives JSON', () => {
    const { forest } = RandomForest.fit(train.rows, train.targets, { trees: 3 });
    const copy = RandomForest.fromJSON(JSON.parse(JSON.stringify(forest)));
    expect(copy.predict(test.rows)).toEqual(forest.predict(test.rows));
  });

  it('refuses trees that are none', () => {
    const { forest } = RandomForest.fit(train.rows, train.targets, { trees: 1 });
    const json = forest.toJSON();
    const broken = { ...json, trees: [{ ...json.trees[0]!, right: json.trees[0]!.right.map(() => 0) }] };
    expect(() => RandomForest.fromJSON(broken)).toThrow(expect.objectContaining({ code: 'FOREST_JSON' }));
    expect(() => RandomForest.fromJSON({ ...json, trees: [] })).toThrow(/no trees/);
  });

  it('runs on ONNX Runtime with the same numbers, written and read again', async () => {
    // Thresholds lie on values where neighbours in single precision have nothing between them.
    const close = [1, 1 + 2 ** -23, 1 + 2 ** -22, 3e38, -3e38, 1e-45];
    const tight = new FeatureRows(['x'], close);
    const cases = [
      { fit: train, of: test.rows, columns: COLUMNS, trees: 20 },
      { fit: { rows: tight, targets: Float64Array.of(1, 2, 3, 4, 5, 6) }, of: tight, columns: 1, trees: 5 },
    ];
    for (const { fit, of, columns, trees } of cases) {
      const { forest } = RandomForest.fit(fit.rows, fit.targets, { trees });
      const model = decodeModel(encodeModel(forest.toModel()));
      const session = await Session.create(model, { threads: 1 });
      const features = await hostTensor('float32', of.data, [of.count, columns]);
      const { prediction, spread } = await session.run({ features });
      await session.dispose();
      expect(prediction!.dims).toEqual([of.count, 1]);
      const { means, spreads } = forest.predict(of);
      for (const [i, expected] of means.entries()) expect(prediction!.data[i]).toBeCloseTo(expected, 4);
      for (const [i, expected] of spreads.entries()) expect(spread!.data[i]).toBeCloseTo(expected, 4);
    }
  });

  it('predicts the only target there is', () => {
    const rows = new FeatureRows(['x'], [1]);
    const { forest, outOfBag, importances } = RandomForest.fit(rows, [5], { trees: 3 });
    expect(forest.predict(rows)).toEqual({ means: Float64Array.of(5), spreads: Float64Array.of(0) });
    expect([outOfBag[0], importances[0]]).toEqual([Number.NaN, 0]);
  });

  it.each([
    ['trees', { trees: 0 }],
    ['maxFeatures', { maxFeatures: 0 }],
    ['maxFeatures', { maxFeatures: 2 }],
    ['minSamplesLeaf', { minSamplesLeaf: 0.5 }],
    ['maxDepth', { maxDepth: 0 }],
  ])('refuses a wrong option: %s', (name, options) => {
    expect(() => RandomForest.fit(train.rows, train.targets, options)).toThrow(name);
  });

  it('yields after every tree, however small, and tells how far it is', () => {
    const rows = new FeatureRows(['x'], [1, 2]);
    const parts = [...RandomForest.fitting(rows, [1, 2], { trees: 4 })];
    expect(parts.filter((part) => part > 0)).toEqual([0.25, 0.5, 0.75, 1]);
  });

  it('refuses to grow beyond what a file can hold', () => {
    const count = 20_000;
    const numbers = Float64Array.from({ length: count }, (_, i) => i);
    const rows = new FeatureRows(['x'], numbers);
    expect(() => RandomForest.fit(rows, numbers, { trees: 60, bootstrap: false })).toThrow(
      expect.objectContaining({ code: 'MODEL_OPTION', hint: expect.stringMatching(/^50 trees /) }),
    );
  }, 30_000);

  it('refuses numbers that are missing and rows of other features', () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    expect(() => new FeatureRows(['a', 'b'], [1, 2, 3])).toThrow(code('FEATURES_SHAPE'));
    expect(() => new FeatureRows(['a', 'b'], [1, 2, 3, Number.NaN])).toThrow(/row 1 has NaN as 'b'/);
    expect(() => new FeatureRows(['a'], [1e39])).toThrow(code('FEATURES_NOT_FINITE'));
    const rows = new FeatureRows(['a'], [1, 2]);
    expect(() => RandomForest.fit(rows, [1])).toThrow(code('TARGETS_COUNT'));
    expect(() => RandomForest.fit(rows, [1, Number.NaN])).toThrow(code('TARGETS_NOT_FINITE'));
    const { forest } = RandomForest.fit(rows, [1, 2]);
    expect(() => forest.predict(new FeatureRows(['b'], [1]))).toThrow(code('FEATURES_OTHER'));
  });
});

function single(tree: RandomForest['trees'][number]): ReturnType<RandomForest['toJSON']>['trees'][number] {
  const { feature, threshold, right, value } = tree;
  return { feature: [...feature], threshold: [...threshold], right: [...right], value: [...value] };
}
