// All operators auspex knows. A new family is one import and one line here.
import { attentionOperators } from './attention.js';
import { castOperators } from './cast.js';
import { concatSplitOperators } from './concat-split.js';
import { constantOperators } from './constant.js';
import { controlOperators } from './control.js';
import { convOperators } from './conv.js';
import { ownOperators } from './conv-weights.js';
import { cumulativeOperators } from './cumulative.js';
import { dropoutOperators } from './dropout.js';
import { einsumOperators } from './einsum.js';
import { elementwiseOperators } from './elementwise.js';
import { flexAttentionOperators } from './flex-attention.js';
import { gatherOperators } from './gather.js';
import { generateOperators } from './generate.js';
import { imageOperators } from './image.js';
import { loopOperators } from './loop.js';
import { lossOperators } from './loss.js';
import { matMulOperators } from './matmul.js';
import { microsoftFamilies } from './microsoft/index.js';
import { mlOperators } from './ml.js';
import { normalizationOperators } from './normalization.js';
import { optionalOperators } from './optional.js';
import { padOperators } from './pad.js';
import { poolOperators } from './pool.js';
import { quantizeOperators } from './quantize.js';
import { randomOperators } from './random.js';
import { rearrangeOperators } from './rearrange.js';
import { recurrentOperators } from './recurrent.js';
import { reduceOperators } from './reduce.js';
import { registerOperators } from './registry.js';
import { reshapeOperators } from './reshape.js';
import { resizeOperators } from './resize.js';
import { scatterOperators } from './scatter.js';
import { selectionOperators } from './selection.js';
import { sequenceOperators } from './sequence.js';
import { signalOperators } from './signal.js';
import { sliceOperators } from './slice.js';
import { softmaxOperators } from './softmax.js';
import { textOperators } from './text.js';
import { trainingOperators } from './training.js';
import { uniqueOperators } from './unique.js';

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

export { constantTensor, constantType } from './constant.js';
export { type FormalInputs, type InputRole, isStatistic, isTrained } from './inputs.js';
export { allOperators, inputsOf, operatorFor, traitsOf } from './registry.js';
export type { Traits } from './traits.js';
