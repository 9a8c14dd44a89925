// Closed forms: linear networks, whose gradients one can write down.
import { describe, expect, it, vi } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { Subject, type SubjectOptions } from '../subject/subject.js';
import { ntkt } from './ntkt.js';

const [N, T, A, B, C] = [3, 4, 5, 6, 2];
const random = Random.seeded(1);
const draw = (count: number): number[] => Array.from({ length: count }, () => Math.fround(random.normal()));
const x = draw(N * T * A);
const w1 = draw(A * B);
const w2 = draw(B * C);

const SESSION = { session: { threads: 1 } } as const;
const BATCH = {
  batches: [{ x: { type: 'float32', dims: [N, T, A], data: Float32Array.from(x) } }],
} as const;

const oneLayer = modelOf({
  inputs: [`x: n,${T},${A}`],
  nodes: ['y = MatMul(x, w1)'],
  outputs: ['y'],
  initializers: [tensor('w1', [A, B], w1)],
});
const twoLayers = modelOf({
  inputs: [`x: n,${T},${A}`],
  nodes: ['h = MatMul(x, w1)', 'y = MatMul(h, w2)'],
  outputs: ['y'],
  initializers: [tensor('w1', [A, B], w1), tensor('w2', [B, C], w2)],
});

type Vector = readonly number[];
const square = (v: Vector): number => v.reduce((sum, e) => sum + e * e, 0);
const sum = (v: Vector): number => v.reduce((a, b) => a + b, 0);
/** x_αt. */
const token = (n: number, t: number): Vector => x.slice((n * T + t) * A, (n * T + t + 1) * A);
const mean = (n: number): Vector =>
  Array.from({ length: A }, (_, i) => sum(Array.from({ length: T }, (_, t) => token(n, t)[i]!)) / T);
const times = (v: Vector, w: Vector, columns: number): Vector =>
  Array.from({ length: columns }, (_, j) => sum(v.map((e, i) => e * w[i * columns + j]!)));
const samples = [...Array(N).keys()];
const tokens = samples.flatMap((n) => [...Array(T).keys()].map((t) => token(n, t)));

async function score(model: typeof oneLayer, variant: string | undefined, options: SubjectOptions = {}) {
  const subject = Subject.of(model, { ...SESSION, ...BATCH, ...options });
  return (await ntkt.score(subject, variant ? { variant } : {})).value;
}

describe('the exact trace', () => {
  it('of one linear layer is (1/T²)·Σ b·‖x‖², and Σ b·‖mean x‖² for Eq. 12', async () => {
    const eq13 = (B * sum(tokens.map(square))) / T ** 2;
    expect(await score(oneLayer, 'exact')).toBeCloseTo(eq13, 4);
    expect(await score(oneLayer, 'eq12-exact')).toBeCloseTo(B * sum(samples.map((n) => square(mean(n)))), 4);
  });

  it('of two linear layers is (1/T²)·Σ (c·‖xW₁‖² + ‖x‖²·‖W₂‖²), and with mean x for Eq. 12', async () => {
    const term = (v: Vector): number => C * square(times(v, w1, B)) + square(v) * square(w2);
    const options = { features: 'y' };
    expect(await score(twoLayers, 'exact', options)).toBeCloseTo(sum(tokens.map(term)) / T ** 2, 3);
    const means = samples.map((n) => term(mean(n)));
    expect(await score(twoLayers, 'eq12-exact', options)).toBeCloseTo(sum(means), 3);
  });

  it('is of what goes into the last layer unless told otherwise', async () => {
    expect(await score(twoLayers, 'exact')).toBeCloseTo(await score(oneLayer, 'exact'), 4);
  });

  it('is refused where it would take too long', async () => {
    const wide = modelOf({
      inputs: ['x: 16,64,8'],
      nodes: ['y = MatMul(x, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [8, 64])],
    });
    await expect(ntkt.score(Subject.of(wide, SESSION), { variant: 'exact' })).rejects.toThrowError(
      expect.objectContaining({ code: 'PROXY_TOO_LARGE' }),
    );
  });
});

it('compiles what depends on a probe and what does not, however many samples and probes', async () => {
  const create = vi.spyOn(Session, 'create');
  await score(twoLayers, undefined);
  expect(create).toHaveBeenCalledTimes(2);
  create.mockRestore();
});

it('is the same whether samples go in one by one or stay together', async () => {
  const fixed = modelOf({
    inputs: [`x: ${N},${T},${A}`],
    nodes: ['a = Reshape(x, shape)', 'y = MatMul(a, w1)'],
    outputs: ['y'],
    initializers: [tensor('shape', [3], [N, T, A], 'int64'), tensor('w1', [A, B], w1)],
  });
  expect(await score(fixed, 'exact')).toBeCloseTo(await score(oneLayer, 'exact'), 4);
  expect(await score(fixed, undefined)).toBeCloseTo(await score(oneLayer, undefined), 4);
});
