import { describe, expect, it } from 'vitest';
import type { Attribute } from '../../../graph/graph.js';
import {
  attributesOf,
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  type ShortAttribute,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const text = (...dims: number[]) => input('string', dims);
const STOPWORDS: Attribute = { type: 'strings', value: ['the'] };

const NGRAMS: Record<string, ShortAttribute> = {
  max_gram_length: 2,
  max_skip_count: 0,
  min_gram_length: 1,
  mode: 'TF',
  ngram_counts: [0, 2],
  ngram_indexes: [0, 5],
  pool_int64s: [1, 2, 3, 4],
};
const tokens = (...dims: number[]): TestCase => ({
  op: 'TfIdfVectorizer',
  inputs: [input('int64', dims)],
  attributes: attributesOf(NGRAMS),
});

const CASES: readonly TestCase[] = [
  { op: 'StringConcat', inputs: [text(3), text(2, 1)] },
  { op: 'StringNormalizer', inputs: [text(3)] },
  { op: 'StringNormalizer', inputs: [text(1, 3)] },
  { op: 'RegexFullMatch', inputs: [text(3, 2)], attributes: attributesOf({ pattern: 'a.*' }) },
  { op: 'StringSplit', inputs: [text(2, 0)], outputs: 2 },
  tokens(3),
  tokens(2, 3),
];

describe('text operators', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('cannot know how many parts or words there will be', () => {
    expect(inferTypes({ op: 'StringSplit', inputs: [text(2, 3)], outputs: 2 }).map(String)).toEqual([
      'string[2,3,y0[2]]',
      'int64[2,3]',
    ]);
    const test: TestCase = {
      op: 'StringNormalizer',
      inputs: [text(1, 3)],
      attributes: { stopwords: STOPWORDS },
    };
    expect(shapesOf(inferTypes(test))).toEqual(['[1,y0[1]]']);
  });

  it('keeps symbols', () => {
    expect(shapesOf(inferSymbolic(tokens(2, 3), { 0: ['batch', 'words'] }))).toEqual(['[batch,6]']);
  });

  it.each<[string, TestCase, RegExp]>([
    ['numbers', { op: 'StringConcat', inputs: [text(3), input('int64', [3])] }, /must hold strings/],
    ['rows of words', { op: 'StringNormalizer', inputs: [text(2, 3)] }, /\[1,C\]/],
    ['tokens of rank 3', tokens(1, 2, 3), /rank 1 or 2/],
    [
      'negative columns',
      { ...tokens(3), attributes: attributesOf({ ...NGRAMS, ngram_indexes: [0, -1] }) },
      /ngram_indexes contains -1/,
    ],
  ])('rejects %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrow(message);
  });
});
