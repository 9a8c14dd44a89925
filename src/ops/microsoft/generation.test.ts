import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { symbol } from '../../graph/dim.js';
import { type Graph, makeGraph, makeNode } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import { ByteRange } from '../../util/bytes.js';
import { expectSameAsOrt, inferTypes, input, known, modelOf, shapesOf } from '../ort.testing.js';
import { costOf, float, ms } from './cases.testing.js';

/** A decoder that multiplies one token (batch, 1, 8) by an (8, 16) matrix. */
const decoder: Graph = makeGraph({
  nodes: [makeNode('MatMul', ['token', 'weights'], ['logits'])],
  inputs: [{ name: 'token', type: new TensorType('float32', [symbol('batch'), 1, 8]) }],
  outputs: [{ name: 'logits', type: { kind: 'unknown' } }],
  initializers: new Map([
    [
      'weights',
      {
        name: 'weights',
        dtype: 'float32' as const,
        dims: [8, 16],
        data: { kind: 'raw' as const, bytes: ByteRange.of(new Uint8Array(512)) },
      },
    ],
  ]),
});
const ids = { eos_token_id: 1, pad_token_id: 0, decoder: { type: 'graph', value: decoder } } as const;
const prompt = input('int32', [2, 5]);
const size = (value: number) => known([value], 'int32');

describe('text generation', () => {
  it.each([
    ms('NGramRepeatBlock', [input('int64', [2, 4]), float(2, 9)], { ngram_size: 2 }),
    ms(
      'BifurcationDetector',
      [input('int64', [4], [1, 2, 3, 4]), input('int64', [2], [1, 2]), input('int64', [], [0])],
      {},
      2,
    ),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('takes the sizes of what is generated from the inputs', () => {
    const beams = ms('BeamSearch', [prompt, size(20), null, size(4), size(3)], { ...ids, vocab_size: 16 }, 3);
    expect(shapesOf(inferTypes(beams))).toEqual(['[2,3,20]', '[2,3]', '[15,2,4,16]']);
    const greedy = ms('GreedySearch', [prompt, size(20)], ids);
    expect(inferTypes(greedy).map(String)).toEqual(['int32[2,20]']);
    const sampled = ms('Sampling', [prompt, input('int32', [1])], ids, 2);
    expect(shapesOf(inferTypes(sampled))).toEqual(['[2,y0[1]]', '[2,y1[1]]']);
    const audio = ms('WhisperBeamSearch', [float(2, 80, 300), size(20), null, size(4), size(3)], ids, 5);
    expect(shapesOf(inferTypes(audio))).toEqual(['[2,3,20]', '[2,3]', '[y2[0],2,4,y2[3]]', '[?]', '[2]']);
  });

  it('counts the decoder per token, and its weights', () => {
    const greedy = ms('GreedySearch', [prompt, size(20)], ids);
    const inference = inferShapes(modelOf(greedy));
    expect(inference.graph.nodes[0]!.call.bodies.map(({ name, times }) => ({ name, times }))).toEqual([
      { name: 'decoder', times: undefined },
    ]);
    const { totals } = cost(inference);
    expect(totals.parameters).toBe(128);
    expect(String(totals.macs)).toBe('128*batch');
  });

  it('leaves a prediction that is not known open', () => {
    const tokens = (n: number) => input('int64', [n]);
    const test = ms('BifurcationDetector', [tokens(4), tokens(2), input('int64', []), tokens(5)], {}, 2);
    expect(shapesOf(inferTypes(test))).toEqual(['[y0[0]]', '[]']);
    expect(costOf(test)).toEqual({ otherFlops: 4 });
  });

  it('refuses lengths that cannot be', () => {
    const test = ms('GreedySearch', [prompt, size(-20)], ids);
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code: 'OP_INPUT' }));
  });
});
