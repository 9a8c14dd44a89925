import { afterEach, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import { useRuntime } from './runtime.js';
import { hostTensor, Session, sessionFor } from './session.js';

const double = modelOf({ inputs: ['x: 2,3'], nodes: ['y = Add(x, x)'], outputs: ['y'] });
const x = (): ReturnType<typeof hostTensor> =>
  hostTensor('float32', Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);

afterEach(() => useRuntime(undefined));

describe.each(['node', 'web'] as const)('on onnxruntime-%s', (runtime) => {
  it('runs a model', async () => {
    useRuntime(runtime);
    const session = await Session.create(double, { threads: 1 });
    expect(session.inputs).toEqual(['x']);
    expect(session.outputs).toEqual(['y']);
    const { y } = await session.run({ x: await x() });
    expect(y!.dims).toEqual([2, 3]);
    expect([...(y!.data as Float32Array)]).toEqual([2, 4, 6, 8, 10, 12]);
    await session.dispose();
  });

  it('says what it could not take or run', async () => {
    useRuntime(runtime);
    const broken = modelOf({ inputs: ['x: 2,3'], nodes: ['y = NoSuchOperator(x)'], outputs: ['y'] });
    await expect(Session.create(broken)).rejects.toMatchObject({ code: 'RUNTIME_REFUSED', kind: 'failure' });
    const session = await Session.create(double, { threads: 1 });
    const wrong = await hostTensor('float32', new Float32Array(8), [2, 4]);
    await expect(session.run({ x: wrong })).rejects.toMatchObject({ code: 'RUNTIME_FAILED' });
  });
});

describe('Session', () => {
  it('takes nodes of the same name, which ONNX Runtime does not', async () => {
    const { graph } = modelOf({ inputs: ['x: 2,3'], nodes: ['a = Neg(x)', 'y = Add(a, a)'], outputs: ['y'] });
    const nodes = graph.nodes.map((node) => ({ ...node, name: 'same' }));
    const session = await Session.create({ ...double, graph: { ...graph, nodes } });
    const { y } = await session.run({ x: await x() });
    expect([...(y!.data as Float32Array)]).toEqual([-2, -4, -6, -8, -10, -12]);
    await session.dispose();
  });

  it('writes into tensors that it is given', async () => {
    const session = await Session.create(double);
    const target = await hostTensor('float32', new Float32Array(6), [2, 3]);
    const { y } = await session.run({ x: await x() }, { y: target });
    expect([...(target.data as Float32Array)]).toEqual([2, 4, 6, 8, 10, 12]);
    expect(y!.data).toEqual(target.data);
  });

  it('runs in a thread of its own, with the same results and errors', async () => {
    const session = await Session.create(double, { isApart: true, threads: 1 });
    expect([session.inputs, session.outputs]).toEqual([['x'], ['y']]);
    const target = await hostTensor('float32', new Float32Array(6), [2, 3]);
    const [plain, into] = await Promise.all([
      session.run({ x: await x() }),
      session.run({ x: await x() }, { y: target }),
    ]);
    expect([...(plain.y!.data as Float32Array)]).toEqual([2, 4, 6, 8, 10, 12]);
    expect(into.y).toBe(target);
    expect(target.data).toEqual(plain.y!.data);
    const wrong = await hostTensor('float32', new Float32Array(8), [2, 4]);
    await expect(session.run({ x: wrong })).rejects.toMatchObject({ code: 'RUNTIME_FAILED' });
    await session.dispose();
    await expect(session.run({ x: await x() })).rejects.toMatchObject({ code: 'RUNTIME_FAILED' });
    const broken = modelOf({ inputs: ['x: 2,3'], nodes: ['y = NoSuchOperator(x)'], outputs: ['y'] });
    await expect(Session.create(broken, { isApart: true })).rejects.toMatchObject({
      code: 'RUNTIME_REFUSED',
    });
  });

  it('draws the same numbers for one seed, and others for another', async () => {
    const noise = modelOf({
      inputs: ['x: 2,3'],
      nodes: ['u = RandomUniformLike(x)', 'n = RandomNormalLike(x)', 'y = Add(u, n)'],
      outputs: ['u', 'y'],
      initializers: [tensor('unused', [1])],
    });
    const draw = async (seed: number): Promise<number[][]> => {
      const session = await Session.create(noise, { seed });
      const runs = [await session.run({ x: await x() }), await session.run({ x: await x() })];
      return runs.map(({ u, y }) => [...(u!.data as Float32Array), ...(y!.data as Float32Array)]);
    };
    const first = await draw(1);
    expect(await draw(1)).toEqual(first);
    expect(await draw(2)).not.toEqual(first);
    expect(first[0]).not.toEqual(first[1]);
  });

  it('is made once for a model and its options', async () => {
    expect(await sessionFor(double)).toBe(await sessionFor(double));
    expect(await sessionFor(double, { threads: 1 })).not.toBe(await sessionFor(double));
    expect(await sessionFor({ ...double })).not.toBe(await sessionFor(double));
  });
});
