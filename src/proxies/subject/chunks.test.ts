// A batch in parts has the scores of the whole batch, where samples do not see each other.
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { gradients } from '../../autodiff/gradients.js';
import type { Model } from '../../graph/graph.js';
import { requestNamed } from '../index.js';
import { scoreAll } from '../proxy.js';
import { lossModel } from './loss.js';
import { predictedBytes } from './memory.js';
import { Subject } from './subject.js';

const waves = (name: string, dims: readonly number[]) =>
  tensor(
    name,
    dims,
    Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, i) => Math.sin(i * 1.7) / 4),
  );

function network(normalisation: string): Model {
  return modelOf({
    inputs: ['x: 16,3,32,32'],
    nodes: [
      'a = Conv(x, w) pads=1,1,1,1',
      normalisation,
      'c = Relu(b)',
      'd = Conv(c, v) pads=1,1,1,1',
      'e = Relu(d)',
      'p = GlobalAveragePool(e)',
      'f = Flatten(p)',
      'y = MatMul(f, u)',
    ],
    outputs: ['y'],
    initializers: [
      waves('w', [8, 3, 3, 3]),
      waves('v', [8, 8, 3, 3]),
      waves('u', [8, 5]),
      ...['s', 'm', 't', 'o'].map((name) => tensor(name, [8], new Array(8).fill(1))),
    ],
  });
}

const NAMES = ['snip', 'plain', 'grad_norm', 'zico', 'jacov', 'naswot', 'fisher', 'ntkt', 'synflow'];

async function scoresOf(model: Model, memory: number) {
  const subject = Subject.of(model, { memory, session: { threads: 1 } });
  const outcomes = await scoreAll(subject, NAMES.map(requestNamed));
  const values = outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : outcome.error.code));
  return { values: Object.fromEntries(NAMES.map((name, i) => [name, values[i]])), subject };
}

/** Enough for a few samples at once, not for all. */
const TIGHT = 103e6;

describe('a batch that does not fit into memory', () => {
  it('is scored in parts, with the scores of the whole', async () => {
    const model = network('b = Identity(a)');
    const { model: withLoss, loss } = lossModel(Subject.of(model));
    expect(predictedBytes(gradients(withLoss, loss, ['w', 'v', 'u']).model)).toBeGreaterThan(TIGHT);
    const whole = await scoresOf(model, Number.POSITIVE_INFINITY);
    const parts = await scoresOf(model, TIGHT);
    for (const name of NAMES.filter((other) => other !== 'fisher')) {
      const [a, b] = [whole.values[name] as number, parts.values[name] as number];
      expect(Math.abs(a - b), `${name}: ${a}, ${b}`).toBeLessThanOrEqual(2e-3 * Math.abs(a));
    }
  });

  it('is smaller where batch normalisation ties samples together, which is said', async () => {
    const { values, subject } = await scoresOf(network('b = BatchNormalization(a, s, o, m, t)'), TIGHT);
    expect(values.snip).toEqual(expect.any(Number));
    expect(subject.changes).toContainEqual({
      transform: 'memory',
      what: expect.stringContaining('instead of 16 samples'),
    });
  });

  it('is refused with both numbers where one sample does not fit', async () => {
    const { values } = await scoresOf(network('b = Identity(a)'), 100.1e6);
    expect(values).toMatchObject({ snip: 'PROXY_MEMORY', jacov: 'PROXY_MEMORY', naswot: 'PROXY_MEMORY' });
  });
});
