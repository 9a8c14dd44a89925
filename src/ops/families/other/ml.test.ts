import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import type { Attribute } from '../../../graph/graph.js';
import type { Tensor } from '../../../graph/tensor.js';
import { formatType, TensorType, type ValueType } from '../../../graph/types.js';
import { ByteRange } from '../../../util/bytes.js';
import {
  attributesOf,
  costOf,
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  modelOf,
  type ShortAttribute,
  shapesOf,
  type TestCase,
  type TestInput,
} from '../../ort.testing.js';

const float = (...dims: number[]) => input('float32', dims);
const int64 = (...dims: number[]) => input('int64', dims, new Array(dims.reduce((n, d) => n * d, 1)).fill(0));
const text = (...dims: number[]) => input('string', dims);

const floats = (...value: number[]): Attribute => ({ type: 'floats', value });
const ones = (count: number): Attribute => floats(...new Array<number>(count).fill(1));
const strings = (...value: string[]): Attribute => ({ type: 'strings', value });

function tensor(dtype: Tensor['dtype'], bytes: ArrayBufferView<ArrayBuffer>, length: number): Attribute {
  const data = { kind: 'raw', bytes: ByteRange.of(new Uint8Array(bytes.buffer)) } as const;
  return { type: 'tensor', value: { name: '', dtype, dims: [length], data } };
}

function ml(
  op: string,
  inputs: readonly TestInput[],
  attributes: Record<string, ShortAttribute> = {},
  opset = 1,
): TestCase {
  const outputs = /Classifier$/.test(op) ? 2 : 1;
  return { op, domain: 'ai.onnx.ml', opset, inputs, attributes: attributesOf(attributes), outputs };
}

const SVM = { kernel_type: 'RBF', kernel_params: floats(0.1, 0, 3) };
const svm = (classes: number, more: Record<string, ShortAttribute> = {}) =>
  ml('SVMClassifier', [float(2, 3)], {
    ...SVM,
    coefficients: ones(classes * (classes - 1)),
    support_vectors: ones(3 * classes),
    rho: ones((classes * (classes - 1)) / 2),
    vectors_per_class: new Array<number>(classes).fill(1),
    classlabels_ints: Array.from({ length: classes }, (_, i) => i),
    ...more,
  });

/** One tree with one decision. */
const TREE = {
  nodes_featureids: [0, 0, 0],
  nodes_treeids: [0, 0, 0],
  nodes_nodeids: [0, 1, 2],
  nodes_modes: strings('BRANCH_LEQ', 'LEAF', 'LEAF'),
  nodes_values: floats(0.5, 0, 0),
  nodes_truenodeids: [1, 0, 0],
  nodes_falsenodeids: [2, 0, 0],
};
const VOTES = { class_ids: [0, 1], class_nodeids: [1, 2], class_treeids: [0, 0], class_weights: ones(2) };
const TARGETS = {
  n_targets: 2,
  target_ids: [0, 1],
  target_nodeids: [1, 2],
  target_treeids: [0, 0],
  target_weights: ones(2),
};

const ENSEMBLE = ml(
  'TreeEnsemble',
  [float(2, 3)],
  {
    n_targets: 2,
    tree_roots: [0],
    nodes_featureids: [0],
    nodes_splits: tensor('float32', new Float32Array([0.5]), 1),
    nodes_modes: tensor('uint8', new Uint8Array([0]), 1),
    nodes_truenodeids: [0],
    nodes_trueleafs: [1],
    nodes_falsenodeids: [1],
    nodes_falseleafs: [1],
    leaf_targetids: [0, 1],
    leaf_weights: tensor('float32', new Float32Array([1, 2]), 2),
  },
  5,
);

const CASES: readonly TestCase[] = [
  ml('ArrayFeatureExtractor', [float(5), int64(3)]),
  ml('ArrayFeatureExtractor', [float(2, 4, 5), int64(2, 3)]),
  ml('Binarizer', [float(2, 3)]),
  ml('CategoryMapper', [int64(2, 3)], { cats_int64s: [0], cats_strings: strings('a') }),
  ml('CategoryMapper', [text(2)], { cats_int64s: [0], cats_strings: strings('a') }),
  ml('FeatureVectorizer', [float(2, 3), float(2, 4)], { inputdimensions: [3, 4] }),
  ml('FeatureVectorizer', [float(3), float(4)], { inputdimensions: [3, 4] }),
  ml('Imputer', [float(2, 3)], { imputed_value_floats: floats(1) }),
  ml('LabelEncoder', [text(2, 3)], { classes_strings: strings('a', 'b') }),
  ml('LabelEncoder', [int64(2)], { keys_int64s: [0], values_strings: strings('a') }, 2),
  ml('LabelEncoder', [int64(2)], { keys_int64s: [0], values_floats: floats(1) }, 2),
  ml('LinearClassifier', [float(3)], {
    coefficients: ones(3),
    intercepts: ones(1),
    classlabels_ints: [0, 1],
  }),
  ml('LinearClassifier', [float(2, 3)], {
    coefficients: ones(9),
    intercepts: ones(3),
    classlabels_strings: strings('a', 'b', 'c'),
  }),
  ml('LinearRegressor', [float(4, 3)], { coefficients: ones(6), intercepts: ones(2), targets: 2 }),
  ml('Normalizer', [input('int64', [2, 3])], { norm: 'L2' }),
  ml('OneHotEncoder', [int64(2, 3)], { cats_int64s: [0, 1, 2, 3] }),
  ml('Scaler', [input('float64', [2, 3])], { scale: ones(1), offset: ones(1) }),
  svm(2),
  svm(4),
  svm(4, { prob_a: ones(6), prob_b: ones(6) }),
  ml('SVMClassifier', [float(2, 3)], {
    kernel_type: 'LINEAR',
    kernel_params: floats(0, 0, 0),
    coefficients: ones(12),
    rho: ones(1),
    classlabels_ints: [0, 1, 2, 3],
  }),
  ml('SVMRegressor', [float(2, 3)], {
    ...SVM,
    coefficients: ones(2),
    support_vectors: ones(6),
    rho: ones(1),
    n_supports: 2,
  }),
  ml('TreeEnsembleClassifier', [float(2, 3)], { ...TREE, ...VOTES, classlabels_int64s: [0, 1, 2] }),
  ml('TreeEnsembleClassifier', [float(3)], { ...TREE, ...VOTES, classlabels_strings: strings('a', 'b') }),
  ml('TreeEnsembleRegressor', [input('float64', [2, 3])], { ...TREE, ...TARGETS }),
  ENSEMBLE,
];

describe('classical machine learning', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('takes the type of labels from a tensor', () => {
    const attributes = {
      keys_tensor: tensor('int64', new BigInt64Array([0n]), 1),
      values_tensor: tensor('float64', new Float64Array([0]), 1),
    };
    expect(inferTypes(ml('LabelEncoder', [int64(2)], attributes, 4)).map(String)).toEqual(['float64[2]']);
  });

  it('turns maps into tensors and rows into maps', () => {
    const map: ValueType = { kind: 'map', key: 'int64', value: new TensorType('float32', []) };
    const infer = (test: TestCase, x0: ValueType) =>
      inferShapes(modelOf(test), { types: { x0 } }).graph.outputTypes.map(formatType);
    expect(infer(ml('CastMap', [float(1)]), map)).toEqual(['float32[1,y0[1]]']);
    expect(
      infer(ml('CastMap', [float(1)], { map_form: 'SPARSE', max_map: 7, cast_to: 'TO_INT64' }), map),
    ).toEqual(['int64[1,7]']);
    expect(infer(ml('DictVectorizer', [float(1)], { int64_vocabulary: [4, 5, 6] }), map)).toEqual([
      'float32[1,3]',
    ]);
    expect(inferTypes(ml('ZipMap', [float(5, 2)], { classlabels_int64s: [0, 1] })).map(formatType)).toEqual([
      'seq(map(int64, float32[]))',
    ]);
  });

  it('keeps symbols', () => {
    const test = ml('LinearRegressor', [float(1, 3)], { coefficients: ones(6), targets: 2 });
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', '3'] }))).toEqual(['[batch,2]']);
  });

  it.each<[string, TestCase, RegExp]>([
    ['rows of matrices', ml('LinearRegressor', [float(2, 3, 4)], { coefficients: ones(3) }), /rank 1 or 2/],
    [
      'no labels',
      ml('SVMClassifier', [float(2, 3)]),
      /'classlabels_ints' or 'classlabels_strings' is missing/,
    ],
    [
      'labels that do not fit',
      ml('ZipMap', [float(5, 3)], { classlabels_int64s: [0, 1] }),
      /2 labels do not fit/,
    ],
    ['no targets', ml('TreeEnsembleRegressor', [float(2, 3)], { n_targets: 0 }), /cannot be 0/],
    ['negative sizes', ml('FeatureVectorizer', [float(2)], { inputdimensions: [-1] }), /cannot be \[-1\]/],
    ['a tensor for a map', ml('CastMap', [float(2)]), /must be a map/],
  ])('rejects %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrow(message);
  });

  it('counts products and decisions', () => {
    expect(costOf(ml('LinearRegressor', [float(4, 3)], { coefficients: ones(6), targets: 2 }))).toEqual({
      otherFlops: 4 * 2 * 6,
    });
    expect(costOf(svm(2))).toEqual({ otherFlops: 2 * 2 * (2 + 6) });
    expect(costOf(ENSEMBLE)).toEqual({ otherFlops: 2 });
    expect(costOf(ml('TreeEnsembleRegressor', [float(2, 3)], { ...TREE, ...TARGETS }))).toEqual({
      otherFlops: 2,
    });
  });
});
