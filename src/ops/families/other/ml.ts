// Classical machine learning (domain ai.onnx.ml): rows of features in, labels and scores out. The models are
// attributes here, not tensors.
import { type Dim, product } from '../../../graph/dim.js';
import type { DataType } from '../../../graph/dtype.js';
import {
  formatType,
  type Shape,
  sequenceType,
  TensorType,
  UNKNOWN,
  type ValueType,
} from '../../../graph/types.js';
import { mayEqual, shapeOfRank } from '../../arguments.js';
import { counted, FREE, perOutput, times } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { PARTIAL_READ } from '../arrays/data-movement.js';

/** The number of rows of input 0: (N, F), or (F) for a single one. */
function rows(call: Call): Dim {
  const shape = shapeOfRank(call, 0, 1, 2);
  return shape === undefined ? call.unknownSize(0, 0) : shape.length === 1 ? 1 : shape[0]!;
}

function count(call: Call, name: string): number {
  const attribute = call.node.attributes.get(name);
  return attribute && Array.isArray(attribute.value) ? attribute.value.length : 0;
}

/** Elements of input 0 keep their places and become another type, or stay what they are. */
function eachElement(cost: Operator['cost'], dtype?: (call: Call) => DataType | undefined): Operator {
  return {
    infer: (call) => [new TensorType(dtype ? dtype(call) : call.dtype(0), call.shape(0))],
    cost,
  };
}

const toFloat = (): DataType => 'float32';

/** Strings become integers and the other way round. */
function translated(call: Call): DataType | undefined {
  const dtype = call.dtype(0);
  return dtype === undefined ? undefined : dtype === 'string' ? 'int64' : 'string';
}

/** Since version 2 the values that labels become are written out, and tell the type. */
function labelType(call: Call): DataType | undefined {
  if (call.opset < 2) return translated(call);
  if (call.hasAttribute('values_strings')) return 'string';
  if (call.hasAttribute('values_int64s')) return 'int64';
  if (call.hasAttribute('values_floats')) return 'float32';
  return call.required(call.tensorAttribute('values_tensor'), 'values_tensor').dtype;
}

/** One row of scores for each row of features. */
function regressor(columns: (call: Call) => number, cost: Operator['cost']): Operator {
  return { infer: (call) => [new TensorType('float32', [rows(call), columns(call)])], cost };
}

/** The best label and the scores of each row. */
function classifier(
  labels: readonly [ints: string, strings: string],
  scores: (call: Call, classes: number) => number,
  cost: Operator['cost'],
): Operator {
  const [ints, strings] = labels;
  return {
    infer: (call) => {
      const classes = Math.max(count(call, ints), count(call, strings));
      if (classes === 0) call.fail(`attribute '${ints}' or '${strings}' is missing`, 'OP_ATTRIBUTE');
      return [
        new TensorType(count(call, strings) > 0 ? 'string' : 'int64', [rows(call)]),
        new TensorType('float32', [rows(call), scores(call, classes)]),
      ];
    },
    cost,
  };
}

/** As many scores as there are linear functions; one function that tells two classes apart gives two. */
function linearScores(call: Call, classes: number): number {
  const functions = count(call, 'intercepts') || classes;
  return functions === 1 ? classes : functions;
}

/** Support vectors give a score for each pair of classes, unless these are turned into probabilities. */
function svmScores(call: Call, classes: number): number {
  const votes = count(call, 'vectors_per_class') > 0 && count(call, 'prob_a') === 0 && classes > 2;
  return votes ? (classes * (classes - 1)) / 2 : classes;
}

const LINEAR = counted('2 per row and coefficient', (call) => ({
  otherFlops: times(rows(call), 2 * count(call, 'coefficients')),
}));

const SVM = counted('2 per row and number of the support vectors and coefficients', (call) => ({
  otherFlops: times(rows(call), 2 * (count(call, 'coefficients') + count(call, 'support_vectors'))),
}));

/** A tree of n decisions is taken to be balanced: a row passes ⌈log2(n + 1)⌉ of them. */
const TREES = counted('1 per row, tree and level', (call) => {
  const roots = count(call, 'tree_roots');
  const trees = roots > 0 ? roots : new Set(call.ints('nodes_treeids')).size;
  const modes = roots > 0 ? undefined : call.strings('nodes_modes');
  const decisions = modes ? modes.filter((m) => m !== 'LEAF').length : count(call, 'nodes_featureids');
  const levels = trees > 0 ? Math.ceil(Math.log2(decisions / trees + 1)) : 0;
  return { otherFlops: times(rows(call), trees * levels) };
});

function targets(call: Call, name: string): number {
  const value = call.int(name, 1);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return call.fail(`attribute '${name}' cannot be ${value}`, 'OP_ATTRIBUTE');
}

/** Selects along the last axis; a vector becomes a row. */
const ArrayFeatureExtractor: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    const indices = call.shape(1);
    if (shape === undefined) return [new TensorType(dtype, undefined)];
    if (shape.length === 0) call.fail('input 0 must have features, not be a scalar');
    const before: Shape = shape.length === 1 ? [1] : shape.slice(0, -1);
    return [
      new TensorType(dtype, [...before, indices ? product(indices) : call.unknownSize(0, before.length)]),
    ];
  },
  cost: PARTIAL_READ,
  roles: { setting: ['Y'] },
};

/** Puts features side by side: (N, C1), (N, C2) … → (N, C1 + C2 …), of the sizes that the attribute tells. */
const FeatureVectorizer: Operator = {
  infer: (call) => {
    const sizes = call.required(call.ints('inputdimensions'), 'inputdimensions');
    if (sizes.some((d) => !Number.isSafeInteger(d) || d < 0)) {
      call.fail(`inputdimensions cannot be [${sizes}]`, 'OP_ATTRIBUTE');
    }
    const shape = call.shape(0);
    const first = shape === undefined ? call.unknownSize(0, 0) : shape.length < 2 ? 1 : shape[0]!;
    return [new TensorType('float32', [first, sizes.reduce((a, b) => a + b, 0)])];
  },
  cost: FREE,
};

/** A new last dimension with a place for each category. */
const OneHotEncoder: Operator = {
  infer: (call) => {
    const shape = call.shape(0);
    const categories = Math.max(count(call, 'cats_int64s'), count(call, 'cats_strings'));
    return [new TensorType('float32', shape && [...shape, categories])];
  },
  cost: FREE,
};

const TreeEnsemble: Operator = {
  infer: (call) => {
    shapeOfRank(call, 0, 2);
    return [new TensorType(call.dtype(0), [rows(call), targets(call, 'n_targets')])];
  },
  cost: TREES,
};

/** An input that must be a map: the type of its values, if known. */
function mapValue(call: Call): ValueType {
  const type = call.input(0);
  if (type?.kind === 'map') return type.value;
  if (type?.kind === 'unknown') return UNKNOWN;
  return call.fail(`input 0 must be a map, not ${formatType(type)}`, 'OP_INPUT');
}

const CASTS: Readonly<Record<string, DataType>> = {
  TO_FLOAT: 'float32',
  TO_INT64: 'int64',
  TO_STRING: 'string',
};

/** The values of a map by ascending key; in the sparse form each at the place its key tells. */
const CastMap: Operator = {
  infer: (call) => {
    mapValue(call);
    const to = call.string('cast_to', 'TO_FLOAT');
    const dtype = Object.hasOwn(CASTS, to)
      ? CASTS[to]
      : call.fail(`cast_to '${to}' is unknown`, 'OP_ATTRIBUTE');
    const isSparse = call.string('map_form', 'DENSE') === 'SPARSE';
    return [new TensorType(dtype, [1, isSparse ? targets(call, 'max_map') : call.unknownSize(0, 1)])];
  },
  cost: FREE,
};

/** The values of a map in the order of a vocabulary. */
const DictVectorizer: Operator = {
  infer: (call) => {
    const value = mapValue(call);
    const size = Math.max(count(call, 'int64_vocabulary'), count(call, 'string_vocabulary'));
    return [new TensorType(value.kind === 'tensor' ? value.dtype : undefined, [1, size])];
  },
  cost: FREE,
};

/** A map from label to score for each row. */
const ZipMap: Operator = {
  infer: (call) => {
    const labels = Math.max(count(call, 'classlabels_int64s'), count(call, 'classlabels_strings'));
    const shape = shapeOfRank(call, 0, 1, 2);
    if (!mayEqual(shape?.at(-1), labels)) call.fail(`${labels} labels do not fit scores of shape [${shape}]`);
    const key = count(call, 'classlabels_strings') > 0 ? 'string' : 'int64';
    return [sequenceType({ kind: 'map', key, value: new TensorType('float32', []) }, rows(call))];
  },
  cost: FREE,
};

const MODELS: OperatorTable = {
  ArrayFeatureExtractor,
  Binarizer: eachElement(perOutput(1)),
  CastMap,
  CategoryMapper: eachElement(FREE, translated),
  DictVectorizer,
  FeatureVectorizer,
  Imputer: eachElement(perOutput(1)),
  LabelEncoder: eachElement(FREE, labelType),
  LinearClassifier: classifier(['classlabels_ints', 'classlabels_strings'], linearScores, LINEAR),
  LinearRegressor: regressor((call) => targets(call, 'targets'), LINEAR),
  Normalizer: eachElement(perOutput(3), toFloat),
  OneHotEncoder,
  SVMClassifier: classifier(['classlabels_ints', 'classlabels_strings'], svmScores, SVM),
  SVMRegressor: regressor(() => 1, SVM),
  Scaler: eachElement(perOutput(2), toFloat),
  TreeEnsemble,
  TreeEnsembleClassifier: classifier(
    ['classlabels_int64s', 'classlabels_strings'],
    (_, classes) => classes,
    TREES,
  ),
  TreeEnsembleRegressor: regressor((call) => targets(call, 'n_targets'), TREES),
  ZipMap,
};

export const mlOperators: OperatorTable = Object.fromEntries(
  Object.entries(MODELS).map(([name, operator]) => [
    `ai.onnx.ml.${name}`,
    { ...operator, traits: { ...operator.traits, float32: true } },
  ]),
);
