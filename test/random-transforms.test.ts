// A law of transformations: on random graphs of random operators, the network computes the same before and after.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../src/graph/graph.js';
import { isTensor, UNKNOWN } from '../src/graph/types.js';
import { drawInputs } from '../src/inputs/drawn.js';
import { hostTensor, Session } from '../src/runtime/session.js';
import { batchDifference } from '../src/transform/batch/proof.js';
import { type Rebatched, withBatch } from '../src/transform/batch.js';
import { simplified } from '../src/transform/simplify/simplify.js';
import { numbers, randomModel } from './random-graphs.testing.js';

/** The graph with only its last values as outputs, so that there is something to take away. */
function withFewOutputs(model: Model): Model {
  const outputs = model.graph.outputs.slice(-2).map(({ name }) => ({ name, type: UNKNOWN }));
  return { ...model, graph: { ...model.graph, outputs } };
}

async function outputsOf(model: Model): Promise<Record<string, number[]>> {
  const session = await Session.create(model, { optimization: 'disabled', threads: 1 });
  try {
    const { name, type } = model.graph.inputs[0]!;
    const dims = (isTensor(type) ? type.shape : []) as number[];
    const data = Float32Array.from(
      { length: dims.reduce((n, d) => n * d, 1) },
      (_, i) => Math.sin(3 * i) + 1.1,
    );
    const results = await session.run({ [name]: await hostTensor('float32', data, dims) });
    return Object.fromEntries(
      Object.entries(results).map(([key, { data: values }]) => [key, Array.from(values, Number)]),
    );
  } finally {
    await session.dispose();
  }
}

describe('random graphs', () => {
  it('compute the same to the bit when simplified, with no more nodes', async () => {
    let removed = 0;
    await fc.assert(
      fc.asyncProperty(numbers, async (choices) => {
        const model = withFewOutputs(randomModel(choices).model);
        const { model: simple } = await simplified(model, { foldsLayers: false });
        expect(simple.graph.nodes.length).toBeLessThanOrEqual(model.graph.nodes.length);
        removed += model.graph.nodes.length - simple.graph.nodes.length;
        expect(await outputsOf(simple)).toEqual(await outputsOf(model));
      }),
      { numRuns: 150 },
    );
    expect(removed).toBeGreaterThan(100);
  });

  it('give for every sample of a batch what they give alone, or say which node prevents it', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(numbers, fc.constantFrom(3, 'dynamic' as const), async (choices, batch) => {
        const model = withFewOutputs(randomModel(choices).model);
        let rebatched: Rebatched;
        try {
          rebatched = withBatch(model, batch);
        } catch (error) {
          expect(error).toMatchObject({ code: 'BATCH_FIXED', where: { node: expect.any(String) } });
          return;
        }
        const count = batch === 3 ? 3 / rebatched.was : 2;
        if (!Number.isInteger(count)) return;
        const single = Array.from({ length: count }, (_, index) => drawInputs(model, { seed: 1, index }));
        expect((await batchDifference(model, rebatched, single)).relative).toBeLessThan(1e-4);
        taken++;
      }),
      { numRuns: 150 },
    );
    expect(taken).toBeGreaterThan(30);
  });
});
