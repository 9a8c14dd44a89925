// Vocabularies: what the nodes of a computation graph are called, and the number of each name. The graph itself (which
// operators are nodes, which edges there are) is the same under all of them. A vocabulary never changes: predictors
// keep its name in their files, and another list of labels gets another name.
import { traitsOf } from '../../../ops/index.js';
import type { OperatorKey } from '../../../ops/registry.js';
import { GATES, LABELS, type Label } from './primitive-ops.js';

/** What a label depends on beside the operator. */
export interface Circumstances {
  /** Of a convolution. */
  readonly groups?: number;
  /** Whether an operand is a constant. */
  readonly hasConstant?: boolean;
}

export interface Vocabulary {
  readonly name: VocabularyName;
  /** A label's place is its number; the first is for operators that have no label. */
  readonly labels: readonly string[];
  /** A label's number, 0 of any other text. */
  placeOf(label: string): number;
  /** What an operator is called; its own name where there is no label for it. */
  labelOf(operator: OperatorKey, paper: Label, circumstances?: Circumstances): string;
  /** What x·f(x) is called, by the label of f and what the paper calls it. */
  gateOf(label: string, paper: Label): string;
}

export const VOCABULARY_NAMES = ['gennape', 'auspex-1'] as const;
export type VocabularyName = (typeof VOCABULARY_NAMES)[number];

function placesOf(labels: readonly string[]): (label: string) => number {
  const places = new Map(labels.map((label, place) => [label, place]));
  return (label) => places.get(label) ?? 0;
}

/** The 32 labels of the paper. */
const GENNAPE: Vocabulary = {
  name: 'gennape',
  labels: LABELS,
  placeOf: placesOf(LABELS),
  labelOf: ({ opType }, paper) => (paper === 'OOV' ? opType : paper),
  gateOf: (_, paper) => GATES[paper]!,
};

/** The paper's labels, those that it reserves aside, then what it has none for. */
const AUSPEX_1_LABELS = [
  ...LABELS.slice(0, LABELS.indexOf('Reserved1')),
  // Layers with weights.
  'GroupConv',
  'ConvTranspose',
  'DeformConv',
  'LSTM',
  'GRU',
  'RNN',
  'Embedding',
  // Attention: in one operator, or its parts.
  'Attention',
  'Product',
  'Softmax',
  // Normalisations other than BatchNorm.
  'LayerNorm',
  'RMSNorm',
  'GroupNorm',
  'InstanceNorm',
  'LocalNorm',
  'AxesNorm',
  // Activations.
  'LeakyReLU',
  'ELU',
  'Mish',
  'HardSwish',
  'HardSigmoid',
  'Softplus',
  'Softsign',
  'Erf',
  'Clip',
  'Exp',
  // Sizes of images, and places in them.
  'Resize',
  'Sampling',
  // What is left of axes.
  'ReduceSum',
  'ReduceMax',
  'Reduce',
  // Choices.
  'Extremum',
  'Select',
  'Ranking',
  'Scatter',
  // The rest.
  'Elementwise',
  'Body',
] as const;
type FineLabel = (typeof AUSPEX_1_LABELS)[number];

/** Operators that no trait tells from others of their sort. */
const BY_NAME: Readonly<Record<string, FineLabel>> = {
  LSTM: 'LSTM',
  DynamicQuantizeLSTM: 'LSTM',
  GRU: 'GRU',
  RMSNormalization: 'RMSNorm',
  SimplifiedLayerNormalization: 'RMSNorm',
  SkipSimplifiedLayerNormalization: 'RMSNorm',
  GatedRMSNorm: 'RMSNorm',
  LeakyRelu: 'LeakyReLU',
  PRelu: 'LeakyReLU',
  QLinearLeakyRelu: 'LeakyReLU',
  ThresholdedRelu: 'LeakyReLU',
  Elu: 'ELU',
  Selu: 'ELU',
  Celu: 'ELU',
  Mish: 'Mish',
  HardSwish: 'HardSwish',
  HardSigmoid: 'HardSigmoid',
  Exp: 'Exp',
  Log: 'Exp',
  Resize: 'Resize',
  Upsample: 'Resize',
  GridSample: 'Sampling',
  RoiAlign: 'Sampling',
  MaxRoiPool: 'Sampling',
  CropAndResize: 'Sampling',
  Scatter: 'Scatter',
  ScatterElements: 'Scatter',
  ScatterND: 'Scatter',
  TensorScatter: 'Scatter',
  GatherBlockQuantized: 'Embedding',
  BiasSoftmax: 'Softmax',
};

const NORMALISATIONS: Readonly<Record<string, FineLabel>> = {
  batch: 'BatchNorm',
  instance: 'InstanceNorm',
  group: 'GroupNorm',
  layer: 'LayerNorm',
  local: 'LocalNorm',
  axes: 'AxesNorm',
};

/** By what operators are (their traits), and by their names where that says too little. */
function fineLabel(
  operator: OperatorKey,
  paper: Label,
  { groups = 1, hasConstant = false }: Circumstances,
): FineLabel | undefined {
  const { opType } = operator;
  if (Object.hasOwn(BY_NAME, opType)) return BY_NAME[opType];
  const traits = traitsOf(operator);
  const { convolution, product, activation, normalisation, reduction, arithmetic, moves } = traits;
  if (convolution === 'transposed') return 'ConvTranspose';
  if (convolution === 'deformable') return 'DeformConv';
  if (paper === 'Conv') return groups > 1 ? 'GroupConv' : 'Conv';
  if (product !== undefined && product !== 'gemm' && !hasConstant) return 'Product';
  if (product !== undefined) return 'MatMul';
  if (normalisation !== undefined) return NORMALISATIONS[normalisation];
  if (paper !== 'OOV') return paper as FineLabel;
  if (traits.pooling) return traits.pooling.keeps === 'maximum' ? 'Maxpool' : 'Avgpool';
  if (traits.attention) return 'Attention';
  if (traits.softmax) return 'Softmax';
  if (traits.recurrent) return 'RNN';
  if (moves === 'rows' || moves === 'lookup') return 'Embedding';
  if (activation === 'softplus') return 'Softplus';
  if (activation === 'softsign') return 'Softsign';
  if (activation === 'erf') return 'Erf';
  if (activation === 'clip') return 'Clip';
  if (reduction !== undefined)
    return reduction === 'sum' ? 'ReduceSum' : reduction === 'maximum' ? 'ReduceMax' : 'Reduce';
  if (arithmetic === 'minimum' || arithmetic === 'maximum') return 'Extremum';
  if (arithmetic === 'select') return 'Select';
  if (traits.selects) return 'Ranking';
  if (traits.controlFlow) return 'Body';
  return traits.isElementwise ? 'Elementwise' : undefined;
}

const AUSPEX_1: Vocabulary = {
  name: 'auspex-1',
  labels: AUSPEX_1_LABELS,
  placeOf: placesOf(AUSPEX_1_LABELS),
  labelOf: (operator, paper, circumstances = {}) =>
    fineLabel(operator, paper, circumstances) ?? operator.opType,
  // x·ReLU6(x + 3)/6 is the hard form, as is what is written with the operator for its second factor.
  gateOf: (label, paper) => (label === 'HardSigmoid' || paper === 'ReLU6' ? 'HardSwish' : GATES[paper]!),
};

export const VOCABULARIES: Readonly<Record<VocabularyName, Vocabulary>> = {
  gennape: GENNAPE,
  'auspex-1': AUSPEX_1,
};
