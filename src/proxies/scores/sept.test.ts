import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { decodeModel } from '../../onnx/read.js';
import { spaceNamed } from '../../spaces/index.js';
import { findBlocks } from '../subject/blocks.js';
import { featuresOf } from '../subject/features.js';
import { Subject } from '../subject/subject.js';
import { explainBlocks, separationRank, sept, septOf } from './sept.js';

/** The logarithm of a whole number of any length. */
function logBig(x: bigint): number {
  const digits = x.toString();
  const kept = digits.slice(0, 17);
  return Math.log(Number(kept)) + (digits.length - kept.length) * Math.LN10;
}

function inWholeNumbers(widths: readonly number[], tokens: number): number {
  const series = widths.map((d) => {
    let sum = 0n;
    for (let t = 0, power = 1n; t <= tokens; t++, power *= BigInt(d)) sum += power;
    return sum;
  });
  return Math.log(widths.reduce((a, b) => a + b, 0)) + logBig(series.reduce((a, b) => a + b, 0n));
}

describe('separationRank', () => {
  it.each([
    [[2], 1],
    [[1], 7],
    [[1, 2, 3], 4],
    [[192, 216, 240], 197],
    [[768, 768, 64, 1024], 1024],
  ])('of widths %j and %i tokens is the sum of geometric series, in whole numbers', (widths, tokens) => {
    const exact = inWholeNumbers(widths, tokens);
    expect(Math.abs(separationRank(widths, tokens) - exact)).toBeLessThan(1e-12 * exact);
  });

  it('is 2·ln L + ln d + ln((d^(T+1) − 1)/(d − 1)) for equal widths', () => {
    const expected = 2 * Math.log(6) + Math.log(10) + Math.log(1_111_111);
    expect(separationRank([10, 10, 10, 10, 10, 10], 6)).toBeCloseTo(expected, 12);
  });
});

describe('SEPT of a network', () => {
  it.each([
    ['lts-gpt2', '128:3:e128:k4:i300,400,300:h2,4,8', {}],
    ['lts-gpt2', '128:2:e128:k1:i300,400:h2,4', { resolution: 16 }],
    ['hwgpt-s', '192:10:h4,8,12,8,4,4,12,8,8,4:m2,3,4,4,2,3,2,4,3,2:b1', { resolution: 32 }],
    [
      'autoformer-tiny',
      '216:12:r3.5,4,3.5,4,3.5,3.5,4,3.5,4,4,3.5,3.5:h3,3,4,3,3,4,4,3,3,3,4,3',
      { resolution: 64 },
    ],
  ])('of %s %s is that of its architecture', async (name, text, options) => {
    const space = spaceNamed(name);
    const arch = space.parse(text);
    const subject = Subject.of(space.network(arch, { classes: 10, ...options }));
    expect((await sept.score(subject)).value).toBeCloseTo(septOf(space, arch, options)!, 9);
    const { value } = await sept.score(subject, { variant: 'qkv' });
    expect(value).toBeCloseTo(septOf(space, arch, { ...options, variant: 'qkv' })!, 9);
  });

  it('tells the blocks of an exported transformer', () => {
    const file = readFileSync(new URL('../fixtures/vit.onnx', import.meta.url));
    const subject = Subject.of(decodeModel(new Uint8Array(file)));
    const { tokens, blocks } = explainBlocks(subject);
    expect(tokens).toBe(5);
    expect(
      blocks.map(({ stream, width, qkvWidth, weights }) => ({ stream, width, qkvWidth, weights })),
    ).toEqual([
      { stream: 'add_1', width: 12, qkvWidth: 12, weights: ['blocks.0.qkv.weight', 'blocks.0.proj.weight'] },
      { stream: 'add_3', width: 12, qkvWidth: 12, weights: ['blocks.1.qkv.weight', 'blocks.1.proj.weight'] },
    ]);
    expect(featuresOf(subject)).toMatchObject({ name: 'add_4', channelAxis: 2, channels: 12, positions: 5 });
  });

  it('does not take a layer that only sizes come from for one of attention', () => {
    const model = modelOf({
      inputs: ['x: 5,4'],
      nodes: [
        'before = MatMul(x, earlier)',
        'size = Shape(before)',
        'h = Relu(before)',
        'q = MatMul(h, query)',
        'shaped = Reshape(q, size)',
        'k = Transpose(shaped) perm=1,0',
        'scores = MatMul(shaped, k)',
        'weights = Softmax(scores)',
        'attended = MatMul(weights, shaped)',
        'out = MatMul(attended, project)',
        'y = Add(out, h)',
      ],
      outputs: ['y'],
      initializers: ['earlier', 'query', 'project'].map((name) => tensor(name, [4, 4])),
    });
    expect(findBlocks(Subject.of(model)).map(({ weights }) => weights)).toEqual([['query', 'project']]);
  });

  it('refuses one without attention, and a space of them has none', async () => {
    const model = modelOf({
      inputs: ['x: 2,3'],
      nodes: ['a = MatMul(x, w)', 'y = Softmax(a)'],
      outputs: ['y'],
      initializers: [tensor('w', [3, 4])],
    });
    expect(findBlocks(Subject.of(model))).toEqual([]);
    await expect(sept.score(Subject.of(model))).rejects.toThrowError(
      expect.objectContaining({ code: 'PROXY_NO_BLOCKS' }),
    );
    const space = spaceNamed('nasbench201');
    expect(septOf(space, space.parse(space.example))).toBeUndefined();
  });
});
