import * as ort from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { planKernels } from '../../analysis/kernels/plan.js';
import { drawInputs } from '../../inputs/drawn.js';
import { encodeModel } from '../../onnx/write.js';
import { Random } from '../../util/random.js';
import { operatorMix } from './operator-mix.js';

it('makes graphs that run, and whose kernels are known', async () => {
  const operators = new Set<string>();
  for (let seed = 0; seed < 4; seed++) {
    const network = operatorMix(Random.seeded(seed));
    const model = network.model();
    const session = await ort.InferenceSession.create(encodeModel(model), { logSeverityLevel: 4 });
    const drawn = Object.entries(drawInputs(model, { seed, types: network.inference().graph.types }));
    const feeds = drawn.map(([name, { data, dims }]) => [
      name,
      new ort.Tensor('float32', data as Float32Array, dims),
    ]);
    const results = await session.run(Object.fromEntries(feeds));
    expect(Object.keys(results)).toHaveLength(14);
    await session.release();
    const { kernels, unknown } = planKernels(network.inference(), { blockChannels: 16 });
    expect(unknown).toEqual([]);
    for (const { operator } of kernels) operators.add(operator);
  }
  expect(operators.size).toBeGreaterThan(20);
});
