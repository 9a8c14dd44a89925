// All operators auspex knows. A new family is one import and one line here.

import { cumulativeOperators } from './families/arithmetic/cumulative.js';
import { einsumOperators } from './families/arithmetic/einsum.js';
import { elementwiseOperators } from './families/arithmetic/elementwise.js';
import { matMulOperators } from './families/arithmetic/matmul.js';
import { reduceOperators } from './families/arithmetic/reduce.js';
import { castOperators } from './families/arrays/cast.js';
import { concatSplitOperators } from './families/arrays/concat-split.js';
import { constantOperators } from './families/arrays/constant.js';
import { gatherOperators } from './families/arrays/gather.js';
import { generateOperators } from './families/arrays/generate.js';
import { imageOperators } from './families/arrays/image.js';
import { padOperators } from './families/arrays/pad.js';
import { rearrangeOperators } from './families/arrays/rearrange.js';
import { reshapeOperators } from './families/arrays/reshape.js';
import { resizeOperators } from './families/arrays/resize.js';
import { scatterOperators } from './families/arrays/scatter.js';
import { selectionOperators } from './families/arrays/selection.js';
import { sliceOperators } from './families/arrays/slice.js';
import { uniqueOperators } from './families/arrays/unique.js';
import { controlOperators } from './families/control/control.js';
import { loopOperators } from './families/control/loop.js';
import { optionalOperators } from './families/control/optional.js';
import { sequenceOperators } from './families/control/sequence.js';
import { attentionOperators } from './families/layers/attention.js';
import { convOperators } from './families/layers/conv.js';
import { ownOperators } from './families/layers/conv-weights.js';
import { dropoutOperators } from './families/layers/dropout.js';
import { flexAttentionOperators } from './families/layers/flex-attention.js';
import { lossOperators } from './families/layers/loss.js';
import { normalizationOperators } from './families/layers/normalization.js';
import { poolOperators } from './families/layers/pool.js';
import { recurrentOperators } from './families/layers/recurrent.js';
import { softmaxOperators } from './families/layers/softmax.js';
import { mlOperators } from './families/other/ml.js';
import { quantizeOperators } from './families/other/quantize.js';
import { randomOperators } from './families/other/random.js';
import { signalOperators } from './families/other/signal.js';
import { textOperators } from './families/other/text.js';
import { trainingOperators } from './families/other/training.js';
import { microsoftFamilies } from './microsoft/index.js';
import { registerOperators } from './registry.js';

for (const family of [
  attentionOperators,
  castOperators,
  concatSplitOperators,
  constantOperators,
  controlOperators,
  convOperators,
  cumulativeOperators,
  dropoutOperators,
  einsumOperators,
  elementwiseOperators,
  flexAttentionOperators,
  gatherOperators,
  generateOperators,
  imageOperators,
  loopOperators,
  lossOperators,
  matMulOperators,
  ...microsoftFamilies,
  mlOperators,
  normalizationOperators,
  optionalOperators,
  ownOperators,
  padOperators,
  poolOperators,
  quantizeOperators,
  randomOperators,
  rearrangeOperators,
  recurrentOperators,
  reduceOperators,
  reshapeOperators,
  resizeOperators,
  scatterOperators,
  selectionOperators,
  sequenceOperators,
  signalOperators,
  sliceOperators,
  softmaxOperators,
  textOperators,
  trainingOperators,
  uniqueOperators,
]) {
  registerOperators(family);
}

export { constantTensor, constantType } from './families/arrays/constant.js';
export { type FormalInputs, type InputRole, isStatistic, isTrained } from './inputs.js';
export { allOperators, inputsOf, operatorFor, traitsOf } from './registry.js';
export type { Traits } from './traits.js';
