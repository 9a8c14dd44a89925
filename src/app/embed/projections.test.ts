import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../util/random.js';
import { completeLinkage } from './clusters.js';
import { divergence, jointProbabilities, tsne } from './tsne.js';

/** Made by verify/golden/projections.py with scikit-learn. */
const golden = JSON.parse(readFileSync(new URL('fixtures/projections.json', import.meta.url), 'utf8'));
const array = (numbers: readonly number[]): Float64Array => Float64Array.from(numbers);
const { width, perplexity } = golden;
const x = array(golden.x);

describe('t-SNE as in scikit-learn', () => {
  const joint = jointProbabilities(x, width, perplexity);

  it('has the same neighbourhoods', () => {
    golden.joint.forEach((p: number, i: number) => {
      expect(joint[i]).toBeCloseTo(p, 6);
    });
  });

  it('has the same divergence and gradient', () => {
    const { value, gradient } = divergence(joint, array(golden.y));
    expect(value).toBeCloseTo(golden.value, 5);
    golden.gradient.forEach((g: number, i: number) => {
      expect(gradient[i]).toBeCloseTo(g, 6);
    });
  });

  it('takes the same steps', () => {
    const places = tsne(x, width, array(golden.start), { perplexity, iterations: 10 });
    const size = Math.max(...golden.early.map(Math.abs));
    golden.early.forEach((at: number, i: number) => {
      expect(places[i]! / size).toBeCloseTo(at / size, 3);
    });
  });

  it('ends no farther from what the neighbourhoods should be', () => {
    const places = tsne(x, width, array(golden.start), { perplexity });
    expect(divergence(joint, places).value).toBeLessThan(1.1 * golden.divergence + 0.02);
  });
});

describe('complete linkage', () => {
  /** Numbers in the order of their first rows. */
  const renumbered = (labels: readonly number[]): number[] => {
    const order = [...new Set(labels)];
    return labels.map((label) => order.indexOf(label));
  };

  it.each(Object.entries(golden.clusters))(
    'has the clusters of scikit-learn below %s',
    (threshold, labels) => {
      expect([...completeLinkage(x, width, Number(threshold))]).toEqual(renumbered(labels as number[]));
    },
  );

  it('keeps clusters within the threshold, and rows that are none out of them', () => {
    const random = Random.seeded(4);
    const rows = Float64Array.from({ length: 120 }, () => random.normal());
    rows[7] = Number.NaN;
    const found = completeLinkage(rows, 2, 1.2);
    expect(found[3]).toBe(-1);
    for (let a = 0; a < 60; a++) {
      for (let b = 0; b < a; b++) {
        if (found[a] !== found[b] || a === 3) continue;
        const far = Math.hypot(rows[2 * a]! - rows[2 * b]!, rows[2 * a + 1]! - rows[2 * b + 1]!);
        expect(far).toBeLessThan(1.2);
      }
    }
  });
});
