// Random sequences of edits of real networks: every candidate is a network that ONNX Runtime runs with the inputs and
// outputs of the file, and whose gradients are numbers.
import { describe, expect, it } from 'vitest';
import { findConstants } from '../../analysis/constants.js';
import { inferShapes } from '../../analysis/infer.js';
import { gradients } from '../../autodiff/gradients.js';
import type { Model } from '../../graph/graph.js';
import { isTensor, sameType } from '../../graph/types.js';
import { readModel } from '../../onnx/file.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { mutate } from '../choices.js';
import { spaceNamed } from '../index.js';
import type { NetworkOptions } from '../space.js';
import { onnxSpace } from './neighbourhood.js';

function drawn(space: string, options: NetworkOptions): Model {
  const from = spaceNamed(space);
  return from.network(from.parse(from.example), options);
}

const NETWORKS: readonly (readonly [name: string, open: () => Model])[] = [
  ['resnet8', () => readModel('examples/resnet8.onnx')],
  ['nasbench101', () => drawn('nasbench101', { resolution: 8, width: 0.0625 })],
  ['nasbench201', () => drawn('nasbench201', { resolution: 8, width: 0.25 })],
  ['ofa-resnet', () => drawn('ofa-resnet', { resolution: 32, width: 0.125 })],
  ['ofa-mobilenetv3', () => drawn('ofa-mobilenetv3', { resolution: 32, width: 0.25 })],
  ['autoformer-tiny', () => drawn('autoformer-tiny', { resolution: 32 })],
];

/** Runs a network and the gradients of its weights on drawn images. */
async function expectWorks(base: Model, model: Model, what: string): Promise<void> {
  const [before, after] = [inferShapes(base).graph, inferShapes(model).graph];
  expect(after.inputNames, what).toEqual(before.inputNames);
  expect(after.outputNames, what).toEqual(before.outputNames);
  for (const name of [...before.inputNames, ...before.outputNames]) {
    expect(sameType(after.types.get(name)!, before.types.get(name)!), `${what}: ${name}`).toBe(true);
  }
  const weights = findConstants(inferShapes(model))
    .filter(({ kind, name }) => kind === 'parameter' && model.graph.initializers.has(name))
    .map(({ name }) => name);
  const { model: backward, gradients: found } = gradients(model, after.outputNames[0]!, weights);
  const [input] = backward.graph.inputs.filter(({ name }) => !backward.graph.initializers.has(name));
  const type = input!.type;
  if (!isTensor(type)) throw new Error('the input is no tensor');
  const dims = type.shape as readonly number[];
  const random = Random.seeded(5);
  const data = Float32Array.from({ length: dims.reduce((n, d) => n * d, 1) }, () => random.normal());
  const session = await Session.create(backward, { threads: 1 });
  try {
    const outputs = await session.run({ [input!.name]: await hostTensor('float32', data, dims) });
    for (const name of [after.outputNames[0]!, ...found.values()]) {
      const values = outputs[name]!.data as Float32Array;
      expect(values.every(Number.isFinite), `${what}: ${name}`).toBe(true);
    }
  } finally {
    await session.dispose();
  }
}

describe.each(NETWORKS)('edits of %s', (name, open) => {
  it('lead to networks that run and have gradients', { timeout: 120_000 }, async () => {
    const model = open();
    const space = onnxSpace(name, model);
    const base = space.network([], { batch: 1 });
    const random = Random.seeded(1);
    for (let walk = 0; walk < 3; walk++) {
      let arch = space.origin!;
      for (let step = 0; step < 4; step++) arch = mutate(space, arch, random);
      expect(space.parse(space.format(arch))).toEqual(arch);
      await expectWorks(base, space.network(arch, { batch: 1 }), space.format(arch));
    }
  });

  it('keep the weights of all that they do not change', () => {
    const model = open();
    const space = onnxSpace(name, model);
    const arch = mutate(space, space.origin!, Random.seeded(2));
    const edited = space.network(arch, { batch: 1 });
    const kept = [...edited.graph.initializers].filter(([weight]) => model.graph.initializers.has(weight));
    expect(kept.length).toBeGreaterThan(0);
    for (const [weight, tensor] of kept) expect(tensor).toBe(model.graph.initializers.get(weight));
  });
});
