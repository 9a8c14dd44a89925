// Linear regressions on logarithms of what a network costs: parameters, FLOPs, or both.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import { LinearRegression } from '../linear-regression.js';
import type { CostFeature } from '../views/features.js';
import { featureKind } from './feature-kind.js';

featureKind({
  name: 'linear',
  title: KIND_TITLES.linear,
  paper: 'Hoerl & Kennard 1970',
  summary: 'linear regression on log parameters and log FLOPs',
  features: ['parameters', 'flops'],
  options: z.strictObject({ ridge: z.number().min(0).max(1e9).default(0) }),
  *fit(rows, targets, { ridge }) {
    yield 0;
    const plane = LinearRegression.fit(rows, targets, { log: true, ridge });
    return (x) => plane.apply(x);
  },
});

featureKind({
  name: 'flops-memory',
  title: KIND_TITLES['flops-memory'],
  paper: 'a baseline of latencies',
  summary: 'linear regression on log FLOPs and log memory access',
  features: ['flops', 'memoryAccess'],
  options: z.strictObject({}),
  *fit(rows, targets) {
    yield 0;
    const plane = LinearRegression.fit(rows, targets, { log: true });
    return (x) => plane.apply(x);
  },
});

/**
 * A straight line through the logarithm of one number: what is predicted grows or falls with it everywhere and has no
 * ties, so ranks are those of the number itself. (Isotonic regression would follow curves, but its steps are ties.)
 */
function alone(name: string, title: string, summary: string, feature: CostFeature): void {
  featureKind({
    name,
    title,
    paper: 'a baseline',
    summary,
    features: [feature],
    options: z.strictObject({}),
    *fit(rows, targets) {
      yield 0;
      const line = LinearRegression.fit(rows, targets, { log: true });
      return (x) => line.apply(x);
    },
  });
}

alone('params', KIND_TITLES.params, 'linear regression on log parameters', 'parameters');
alone('flops', KIND_TITLES.flops, 'linear regression on log FLOPs', 'flops');
