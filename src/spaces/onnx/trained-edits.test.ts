// What a search over a file reports is a network like the file: ONNX Runtime runs it with the same inputs and outputs, it
// differentiates, and it trains.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import '../../ops/index.js';
import { ClassifierTraining } from '../../nn/classifier-training.js';
import { readModel } from '../../onnx/file.js';
import { encodeModel } from '../../onnx/write.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { withBatch } from '../../transform/batch.js';
import { Random } from '../../util/random.js';
import { mutate } from '../choices.js';
import { onnxSpace } from './neighbourhood.js';

const file = join(import.meta.dirname, '../../../examples/resnet8.onnx');
const model = readModel(file);
const space = onnxSpace('resnet8', model);
const random = Random.seeded(4);

/** Edits of edits: what six rounds lead to. */
function mutants(count: number): string[] {
  const found = new Set<string>();
  while (found.size < count) {
    let arch = space.origin!;
    for (let round = 0; round < 1 + (found.size % 3); round++) arch = mutate(space, arch, random);
    found.add(space.format(arch));
  }
  return [...found];
}

it.each(mutants(6))('%s runs as the file does, differentiates and trains', async (text) => {
  const edited = space.network(space.parse(text), {});
  expect(edited.graph.inputs.map(({ name }) => name)).toEqual(model.graph.inputs.map(({ name }) => name));
  expect(edited.graph.outputs.map(({ name }) => name)).toEqual(model.graph.outputs.map(({ name }) => name));
  const batch = 8;
  const { model: many } = withBatch(edited, batch);
  const [input, output] = [many.graph.inputs[0]!.name, many.graph.outputs[0]!.name];
  const images = Float32Array.from({ length: batch * 3 * 32 * 32 }, () => random.normal());
  const session = await Session.ofBytes(encodeModel(many), { threads: 1 });
  const found = await session.run({ [input]: await hostTensor('float32', images, [batch, 3, 32, 32]) });
  await session.dispose();
  expect(found[output]!.dims).toEqual([batch, 10]);
  expect([...(found[output]!.data as Float32Array)].every(Number.isFinite)).toBe(true);
  const training = await ClassifierTraining.of(many, { threads: 1 });
  const classes = Array.from({ length: batch }, (_, i) => i % 10);
  const losses: number[] = [];
  for (let step = 0; step < 6; step++) losses.push((await training.step(images, classes, 0.05)).loss);
  await training.dispose();
  expect(Math.min(...losses.slice(1))).toBeLessThan(losses[0]! - 0.1);
});
