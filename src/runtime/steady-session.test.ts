import { expect, it } from 'vitest';
import { makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { TensorType } from '../graph/types.js';
import { Random } from '../util/random.js';
import { hostTensor } from './session.js';
import { SteadySession } from './steady-session.js';

const type = new TensorType('float32', [256, 256]);
const product = makeModel(
  makeGraph({
    nodes: [makeNode('MatMul', ['a', 'a'], ['square']), makeNode('MatMul', ['square', 'a'], ['y'])],
    inputs: [{ name: 'a', type }],
    outputs: [{ name: 'y', type }],
  }),
  { opsetImports: new Map([['', 21]]) },
);

it('gives the same bits whatever it chooses', async () => {
  const random = Random.seeded(1);
  const a = await hostTensor(
    'float32',
    Float32Array.from({ length: 256 ** 2 }, () => random.normal()),
    [256, 256],
  );
  let [counted, perCall] = [0, 0];
  const session = await SteadySession.create(product, { threads: 2 }, () => {
    counted += perCall;
    return counted;
  });
  try {
    const run = async () => Float32Array.from((await session.run({ a })).y!.data as Float32Array);
    const first = await run();
    perCall = 1000;
    const end = performance.now() + 4000;
    while (performance.now() < end) expect(await run()).toEqual(first);
  } finally {
    await session.dispose();
  }
});

it('does not count where it is told what to do', async () => {
  let counts = 0;
  const count = () => counts++;
  for (const options of [{ threads: 1 }, { threads: 2, spinning: false }]) {
    const session = await SteadySession.create(product, options, count);
    const a = await hostTensor('float32', new Float32Array(256 ** 2), [256, 256]);
    await session.run({ a });
    await session.dispose();
  }
  expect(counts).toBe(0);
});
