// What the machine's cores can do at most: the speed of one large product of matrices.
import { makeGraph, makeModel, makeNode } from '../src/graph/graph.js';
import { TensorType } from '../src/graph/types.js';
import { hostTensor, Session } from '../src/runtime/session.js';

/** Multiplies two square matrices; every call gives the GFLOP/s of the best of three. */
export async function matMulPeak(size: number, threads: number): Promise<() => Promise<number>> {
  const type = new TensorType('float32', [size, size]);
  const [a, b, y] = ['a', 'b', 'y'].map((name) => ({ name, type }));
  const graph = makeGraph({
    nodes: [makeNode('MatMul', ['a', 'b'], ['y'])],
    inputs: [a!, b!],
    outputs: [y!],
  });
  const session = await Session.create(makeModel(graph), { threads });
  const data = Float32Array.from({ length: size * size }, (_, i) => (i % 13) / 13);
  const matrix = await hostTensor('float32', data, [size, size]);
  return async () => {
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      const start = performance.now();
      await session.run({ a: matrix, b: matrix });
      times.push(performance.now() - start);
    }
    return (2 * size ** 3) / Math.min(...times) / 1e6;
  };
}
