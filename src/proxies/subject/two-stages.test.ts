// The oracle is the graph as one, with its weights inside, as ONNX Runtime computes it.
import { afterEach, expect, it, vi } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { type Feeds, hostTensor, Session, type SessionOptions } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { Compiled } from './compiled-graphs.js';
import { Staged, stagesOf } from './two-stages.js';

const WIDTH = 160;
const random = Random.seeded(1);
const numbers = (count: number): number[] => Array.from({ length: count }, () => random.normal() / 10);

/** x goes forward to h, v comes back: what is computed of both, and of each alone. */
const model = modelOf({
  inputs: [`x: 3,${WIDTH}`, `v: 3,${WIDTH}`],
  nodes: [
    'a = MatMul(x, w)',
    'h = Relu(a)',
    'b = Mul(v, h)',
    'y = MatMul(b, w)',
    'z = Add(y, h)',
    's = Tanh(a)',
  ],
  outputs: ['z', 's'],
  initializers: [tensor('w', [WIDTH, WIDTH], numbers(WIDTH * WIDTH))],
});
const OPTIONS: SessionOptions = { optimization: 'disabled', prepacking: false, threads: 1 };

const input = async () => hostTensor('float32', Float32Array.from(numbers(3 * WIDTH)), [3, WIDTH]);

async function whole(feeds: Feeds): Promise<unknown[]> {
  const session = await Session.create(model, OPTIONS);
  const found = await session.run(feeds);
  await session.dispose();
  return [found.z!.data, found.s!.data];
}

afterEach(() => vi.restoreAllMocks());

it('has in its first stage what does not depend on the input', () => {
  const { first, second } = stagesOf(model, 'v');
  expect(first.graph.nodes.map(({ outputs }) => outputs[0])).toEqual(['a', 'h', 's']);
  expect(second.graph.nodes.map(({ outputs }) => outputs[0])).toEqual(['b', 'y', 'z']);
  expect(first.graph.inputs.map(({ name }) => name)).toEqual(['x']);
  expect(second.graph.inputs.map(({ name }) => name)).toEqual(['v', 'h', 's']);
});

it('gives what the whole graph gives, and computes the first stage once', async () => {
  const staged = await Staged.create(model, 'v', OPTIONS);
  const run = vi.spyOn(Session.prototype, 'run');
  for (const _ of [0, 1]) {
    const given = { x: await input() };
    for (const v of [await input(), await input()]) {
      const found = await staged.run(given, { v });
      expect([found.z!.data, found.s!.data]).toEqual(await whole({ ...given, v }));
    }
  }
  // Four whole runs, two first stages and four second ones.
  expect(run).toHaveBeenCalledTimes(10);
  await staged.dispose();
});

it('gives large weights as inputs only where the graph is not rewritten', async () => {
  const feeds = { x: await input(), v: await input(), other: await input() };
  const create = vi.spyOn(Session, 'create');
  for (const optimization of ['disabled', 'all'] as const) {
    const compiled = await Compiled.create(model, { ...OPTIONS, optimization });
    expect(compiled.inputs).toEqual(['x', 'v']);
    const found = await compiled.run(feeds);
    const [z, s] = (await whole({ x: feeds.x, v: feeds.v })) as [Float32Array, Float32Array];
    for (const [got, expected] of [
      [found.z!, z],
      [found.s!, s],
    ] as const) {
      const far = (got.data as Float32Array).filter((value, i) => !(Math.abs(value - expected[i]!) < 5e-6));
      expect(far).toHaveLength(0);
    }
    await compiled.dispose();
  }
  const initializers = create.mock.calls.map(([given]) => given.graph.initializers.size);
  expect(initializers).toEqual([0, 1, 1, 1]);
});
