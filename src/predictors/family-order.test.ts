import { describe, expect, it } from 'vitest';
import { spearman } from '../metrics/correlation.js';
import { Random } from '../util/random.js';
import { fitFamilyOrder, ORDER_TERMS, rowsByFamily, scoresOf } from './family-order.js';
import { FeatureRows } from './views/feature-rows.js';
import { FLOW_FEATURES } from './views/flow/flow-features.js';

const random = Random.seeded(5);
const WIDTH = FLOW_FEATURES.length;

/** Rows of two families that lie far apart; within each, the label follows one feature and against another. */
function drawn(count: number): { rows: FeatureRows; families: string[]; label: Float64Array } {
  const families = Array.from({ length: count }, (_, i) => (i % 2 ? 'a' : 'b'));
  const data = Float32Array.from({ length: count * WIDTH }, () => random.normal());
  const at = (name: string): number => FLOW_FEATURES.indexOf(name);
  const label = new Float64Array(count);
  families.forEach((family, row) => {
    const own = data.subarray(row * WIDTH, (row + 1) * WIDTH);
    label[row] = own[at('sumFanIn')]! - own[at('poolShare')]! + (family === 'a' ? 10 : 0);
    // The better family has less of what is better within both.
    own[at('sumFanIn')]! -= family === 'a' ? 50 : 0;
    own[at('side')] = 0;
  });
  return { rows: new FeatureRows(FLOW_FEATURES, data), families, label };
}

describe('an order learned within families', () => {
  const { rows, families, label } = drawn(400);
  const groups = rowsByFamily(families, label.keys());
  const order = fitFamilyOrder(rows, label, groups);

  it('has terms that are features', () => {
    for (const { feature } of ORDER_TERMS) expect(FLOW_FEATURES).toContain(feature);
  });

  it('follows what is better within families, and not between them', () => {
    const scores = scoresOf(rows, order);
    for (const some of groups.values()) {
      const rho = spearman(
        some.map((row) => scores[row]!),
        some.map((row) => label[row]!),
      );
      expect(rho).toBeGreaterThan(0.95);
    }
    expect(order.weights[FLOW_FEATURES.indexOf('sumFanIn')]).toBeGreaterThan(0.3);
    expect(order.weights[FLOW_FEATURES.indexOf('poolShare')]).toBeLessThan(-0.3);
  });

  it('never turns a term round', () => {
    const turned = fitFamilyOrder(
      rows,
      label.map((y) => -y),
      groups,
    );
    expect(turned.weights[FLOW_FEATURES.indexOf('sumFanIn')]).toBe(0);
    expect(turned.weights[FLOW_FEATURES.indexOf('poolShare')]).toBe(0);
  });

  it('weighs terms by their covariance with ranks, by their variance', () => {
    const [feature] = [FLOW_FEATURES.indexOf('sumFanIn')];
    const x = (row: number): number => rows.data[row * WIDTH + feature]!;
    let [variance, covariance] = [0, 0];
    for (const some of groups.values()) {
      const mean = some.reduce((sum, row) => sum + x(row), 0) / some.length;
      const sorted = [...some].sort((a, b) => label[a]! - label[b]!);
      const spread = Math.sqrt((some.length ** 2 - 1) / 12);
      sorted.forEach((row, rank) => {
        covariance += ((x(row) - mean) * (rank - (some.length - 1) / 2)) / spread / some.length / 2;
        variance += (x(row) - mean) ** 2 / some.length / 2;
      });
    }
    const ratio = order.weights[feature]! / order.weights[FLOW_FEATURES.indexOf('poolShare')]!;
    expect(order.weights[feature]! / (covariance / variance)).toBeGreaterThan(0);
    expect(ratio).toBeLessThan(-0.8);
    expect(ratio).toBeGreaterThan(-1.25);
  });
});
