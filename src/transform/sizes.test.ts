import { describe, expect, it } from 'vitest';
import { inferShapes } from '../analysis/infer.js';
import { modelOf, tensor } from '../analysis/models.testing.js';
import type { DataType } from '../graph/dtype.js';
import type { Model } from '../graph/graph.js';
import { type Shape, TensorType } from '../graph/types.js';
import { chosenSizes, chosenSizesOf, runningSizes, settledInference } from './sizes.js';

const ints = (name: string, ...values: number[]) => tensor(name, [values.length], values, 'int64');

/** A network that hands its inputs on. */
function inputs(given: Readonly<Record<string, readonly [DataType, string]>>): Model {
  const names = Object.keys(given);
  const model = modelOf({
    inputs: names.map((name) => `${name}: ${given[name]![1]}`),
    nodes: names.map((name, i) => `y${i} = Identity(${name})`),
    outputs: names.map((_, i) => `y${i}`),
  });
  const typed = model.graph.inputs.map((info) => ({
    ...info,
    type: new TensorType(given[info.name]![0], (info.type as TensorType).shape as Shape),
  }));
  return { ...model, graph: { ...model.graph, inputs: typed } };
}

const sizesOf = (model: Model) => chosenSizes(model)?.sizes;

describe('chosenSizes', () => {
  it.each<[string, Parameters<typeof inputs>[0], Record<string, number>, string]>([
    [
      'images by name',
      { x: ['float32', 'batch,3,height,width'] },
      { batch: 1, height: 224, width: 224 },
      '--shape x=1x3x224x224',
    ],
    [
      'images by place',
      { x: ['float32', '?,3,?,?'] },
      { 'x[0]': 1, 'x[2]': 224, 'x[3]': 224 },
      '--shape x=1x3x224x224',
    ],
    [
      'channels last',
      { x: ['float32', '?,?,?,3'] },
      { 'x[0]': 1, 'x[1]': 224, 'x[2]': 224 },
      '--shape x=1x224x224x3',
    ],
    ['a side that is fixed', { x: ['float32', '?,3,48,w'] }, { 'x[0]': 1, w: 224 }, '--shape x=1x3x48x224'],
    [
      'texts, with sizes that inputs share',
      { input_ids: ['int64', 'batch,sequence'], attention_mask: ['int64', 'batch,sequence'] },
      { batch: 1, sequence: 64 },
      '--dim batch=1 --dim sequence=64',
    ],
    [
      'audio',
      { audio: ['float32', 'batch,samples'] },
      { batch: 1, samples: 16_000 },
      '--shape audio=1x16000',
    ],
    [
      'audio piece by piece, with a state',
      { input: ['float32', 'batch,sequence'], state: ['float32', '2,batch,128'], sr: ['int64', ''] },
      { batch: 1, sequence: 512 },
      '--dim batch=1 --dim sequence=512',
    ],
    [
      'tokens before',
      { ids: ['int64', 'b,seq'], 'past_key_values.0.key': ['float32', 'b,8,past_length,64'] },
      { b: 1, seq: 64, past_length: 16 },
      '--dim b=1 --dim seq=64 --dim past_length=16',
    ],
    [
      'a size inside of an expression',
      { x: ['float32', 'batch,floor(frames/2),8'] },
      { batch: 1, frames: 64 },
      '--dim batch=1 --dim frames=64',
    ],
  ])('finds %s', (_, given, sizes, flags) => {
    const chosen = chosenSizes(inputs(given))!;
    expect(chosen.sizes).toEqual(sizes);
    expect(chosen.flags).toBe(flags);
    expect(chosen.isChecked).toBe(true);
  });

  it('takes time by the number of inputs, not by its square', () => {
    const many = Array.from({ length: 4000 }, (_, i) => [`x${i}`, ['float32', `size_${i},4`]] as const);
    const model = inputs(Object.fromEntries(many) as never);
    const start = process.cpuUsage().user;
    expect(chosenSizes(model)!.flags.startsWith('--shape x0=')).toBe(true);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(1500);
  });

  it('finds nothing to choose where all is fixed', () => {
    expect(chosenSizes(inputs({ x: ['float32', '1,3,8,8'] }))).toBeUndefined();
  });

  const behindFlatten = (rows: number): Model =>
    modelOf({
      inputs: ['x: n,3,h,w'],
      nodes: ['a = MaxPool(x) kernel_shape=8,8 strides=8,8', 'b = Flatten(a)', 'y = MatMul(b, m)'],
      outputs: ['y'],
      initializers: [tensor('m', [rows, 2])],
    });

  it('asks the matrix behind a Flatten for the side of an image', () => {
    // 3·(h/8)² rows.
    expect(sizesOf(behindFlatten(3 * 12 ** 2))).toEqual({ n: 1, h: 96, w: 96 });
    expect(sizesOf(behindFlatten(3 * 5 ** 2))).toEqual({ n: 1, h: 40, w: 40 });
    expect(chosenSizes(behindFlatten(3 * 5 ** 2))!.reasons[1]).toEqual({
      name: 'h',
      size: 40,
      why: 'the side of an image, as weights behind it ask for',
    });
  });

  it('asks embeddings of positions for the number of patches', () => {
    const model = modelOf({
      inputs: ['x: n,3,h,w'],
      nodes: ['a = Conv(x, k) strides=16,16', 'b = Reshape(a, to)', 'y = Add(b, p)'],
      outputs: ['y'],
      initializers: [tensor('k', [8, 3, 16, 16]), ints('to', 0, 8, -1), tensor('p', [1, 8, 400])],
    });
    expect(sizesOf(model)).toEqual({ n: 1, h: 320, w: 320 });
  });

  it('asks layers for features and channels', () => {
    const rows = modelOf({
      inputs: ['x: n,f'],
      nodes: ['y = MatMul(x, m)'],
      outputs: ['y'],
      initializers: [tensor('m', [37, 2])],
    });
    expect(sizesOf(rows)).toEqual({ n: 1, f: 37 });
    const image = modelOf({
      inputs: ['x: ?,?,8,8'],
      nodes: ['y = Conv(x, k)'],
      outputs: ['y'],
      initializers: [tensor('k', [4, 5, 3, 3])],
    });
    expect(sizesOf(image)).toEqual({ 'x[0]': 1, 'x[1]': 5 });
  });

  const reshapedTo = (...to: number[]): Model =>
    modelOf({
      inputs: ['x: n,1,h,w'],
      nodes: ['a = MaxPool(x) kernel_shape=16,16 strides=16,16', 'y = Reshape(a, to)'],
      outputs: ['y'],
      initializers: [ints('to', ...to)],
    });

  it('tries until a network can be inferred', () => {
    expect(chosenSizes(reshapedTo(1, 400))).toMatchObject({
      sizes: { n: 1, h: 320, w: 320 },
      isChecked: true,
    });
  });

  it('says so where nothing fits', () => {
    expect(chosenSizes(reshapedTo(1, 7))).toMatchObject({
      sizes: { n: 1, h: 224, w: 224 },
      isChecked: false,
    });
  });

  it('keeps sizes that are given, in every input', () => {
    const model = inputs({ x: ['float32', 'batch,3,h,w'], state: ['float32', '2,batch,8'] });
    expect(chosenSizes(model, { dims: { batch: 4 } })?.sizes).toEqual({ h: 224, w: 224 });
    const inference = inferShapes(model, { dims: { batch: 4, h: 32 } });
    expect(chosenSizesOf(inference)?.sizes).toEqual({ w: 224 });
    const { types } = settledInference(inference).graph;
    expect(['x', 'state'].map((name) => String(types.get(name)))).toEqual([
      'float32[4,3,32,224]',
      'float32[2,4,8]',
    ]);
  });

  it('goes on until a network runs, if asked to', async () => {
    const tried: number[] = [];
    const chosen = await runningSizes(inputs({ x: ['float32', 'n,3,h,w'] }), {}, async ({ sizes }) => {
      tried.push(sizes.h!);
      return sizes.h === 640;
    });
    expect(tried).toEqual([224, 320, 640]);
    expect(chosen?.flags).toBe('--shape x=1x3x640x640');
  });
});
