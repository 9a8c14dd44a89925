import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OpenedModel } from '../../../src/networks/index.js';
import { readModel } from '../../../src/onnx/file.js';
import { NestedLayout } from '../layout/nested.js';
import { describe as described, resized } from './describe.js';
import { knobsOf, networkAt } from './knobs.js';
import { statisticsOf } from './node-details.js';
import { importanceOf } from './reports.js';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');
const network = (name: string) => new OpenedModel(name, name, () => readModel(join(EXAMPLES, name))).at({});

describe('a network as the page shows it', () => {
  const opened = network('resnet34.onnx');
  const found = described(1, 'resnet34.onnx', opened);
  const { tree, totals } = found;

  it('has the counts of the network', () => {
    expect([totals.parameters, totals.macs]).toEqual([
      opened.cost().totals.parameters,
      opened.cost().totals.macs,
    ]);
  });

  it('has every operator once, in groups of the exporter', () => {
    const operators = tree.kinds.filter((kind) => kind === 'operator').length;
    expect(operators).toBe(found.nodes.names.length);
    expect(tree.sizes[0]).toBe(operators);
    expect(tree.titles).toContain('body');
  });

  it('folds equal blocks', () => {
    const repeats = tree.titles.filter((_, id) => tree.kinds[id] === 'repeat');
    // ResNet-34 has stages of 3, 4, 6 and 3 blocks; the first block of the last three is another one.
    expect(repeats).toEqual(['3 × body.4', '3 × body.8', '5 × body.12']);
  });

  it('draws parents before children, and children inside', () => {
    const { items, boxes, isOpen } = new NestedLayout(tree).draw(new Set(tree.parents.keys()));
    expect(items).toHaveLength(tree.parents.length - 1);
    const place = new Map([...items].map((id, i) => [id, i]));
    for (const [id, i] of place) {
      const around = place.get(tree.parents[id]!);
      if (around === undefined) continue;
      expect(around).toBeLessThan(i);
      expect(isOpen[around]).toBe(1);
      expect(boxes[4 * i]!).toBeGreaterThanOrEqual(boxes[4 * around]!);
      expect(boxes[4 * i]! + boxes[4 * i + 2]!).toBeLessThanOrEqual(
        boxes[4 * around]! + boxes[4 * around + 2]!,
      );
    }
  });

  it('counts at other sizes', () => {
    const knobs = knobsOf(opened);
    expect(knobs.map(({ name, value }) => [name, value])).toEqual([
      ['batch', 1],
      ['resolution', 224],
    ]);
    expect(resized(networkAt(opened, knobs, { batch: 8 }), opened).totals.macs).toBe(8 * totals.macs);
    const both = resized(networkAt(opened, knobs, { batch: 2, resolution: 320 }), opened);
    const one = resized(networkAt(opened, knobs, { resolution: 320 }), opened);
    expect(both.totals.macs).toBe(2 * one.totals.macs);
    expect(both.counts.macs).toEqual(one.counts.macs.map((macs) => 2 * macs));
  });
});

describe('numbers', () => {
  it('has the statistics that NumPy has', () => {
    // numpy: a = [1, 2, 3, 4, nan, 0]; a[:4] with 0: mean 2.0, std 1.4142135623730951
    const found = statisticsOf([1, 2, 3, 4, Number.NaN, 0]);
    expect(found).toMatchObject({ mean: 2, minimum: 0, maximum: 4, zeros: 1, notFinite: 1 });
    expect(found.deviation).toBeCloseTo(Math.SQRT2, 12);
    expect(found.bins.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });

  it('tells how much of a variance a setting explains', () => {
    // Sums of squares by hand: between groups 16, in all 20.
    const settings = [
      { name: 'a', values: ['x', 'x', 'y', 'y'] },
      { name: 'b', values: ['x', 'y', 'x', 'y'] },
    ];
    const [first, second] = importanceOf(settings, Float64Array.of(1, 3, 5, 7));
    expect([first, second]).toEqual([
      { name: 'a', share: 0.8 },
      { name: 'b', share: 0.2 },
    ]);
  });
});
