// Which constants were trained. ONNX does not say: an initializer may be a weight, a running statistic, a
// target shape, an attention mask or the number 2. What tells, in this order: what the exporter wrote down,
// the input of the operator that uses it (`roles`), its type, whether it has a name of its own, and at last
// what is in it.
import { bitsOf, isInteger } from '../graph/dtype.js';
import { elementCount, type Tensor } from '../graph/tensor.js';
import { isStatistic, isTrained, traitsOf } from '../ops/index.js';
import {
  isFrequencies,
  isIntegral,
  isMask,
  isSinusoidTable,
  isUniform,
  relativePositionElements,
  repeatedElements,
} from './constant-content.js';
import type { Destination, FoundConstant } from './constants.js';
import type { TorchSignature } from './torch.js';

export type ConstantKind =
  /** Trained. */
  | 'parameter'
  /** Measured in training: running mean and variance. */
  | 'statistic'
  /** A number, a shape, a mask, a table: not learned. */
  | 'setting'
  /** A second copy of a parameter in another layout. */
  | 'tied'
  /** Nothing uses it. */
  | 'unused';

/** The key of a tensor's metadata under which this project writes what kind of constant it is. */
export const KIND_KEY = 'auspex.kind';

const TOLD_KINDS: ReadonlySet<string> = new Set<ConstantKind>(['parameter', 'statistic', 'setting']);

/** The kind that the file itself states. */
export function toldKind(tensor: Tensor): ConstantKind | undefined {
  const told = tensor.metadata?.get(KIND_KEY);
  return told !== undefined && TOLD_KINDS.has(told) ? (told as ConstantKind) : undefined;
}

/** Names that exporters make up for values that have none in the program they export. */
const MADE_UP_NAME =
  /^\/|^(onnx::|val_\d|_?const|scalar|[\d.]+$)|Constant|constant|lifted_tensor|\/(x|y|Const(_\d+)?)(:\d+)?$/;

export function isMadeUpName(name: string): boolean {
  return MADE_UP_NAME.test(name);
}

/** What modules call values that are stored with the weights but not trained. */
const BUFFER_NAME =
  /(^|[._/])(running_mean|running_var|inv_freq|original_inv_freq|position_ids|relative_position_index|relative_coords_table|(attn_|causal_)?mask|masked_bias|mean|std|pixel_mean|pixel_std|(sin|cos)(_cached)?|pe|anchors|anchor_grid|mel_filters)$/;

/** The kind of a constant that `couldBeWeight`. */
export function kindOfConstant(found: FoundConstant, signature: TorchSignature | undefined): ConstantKind {
  const { tensor, destinations } = found;
  if (!found.isUsed) return 'unused';
  const roles = destinations.map((d) => d.role);
  const [isWeight, isData] = [roles.some(isTrained), roles.includes('data')];
  // Quantised weights have at most eight bits, their biases 32; other integers are indices and shapes.
  if (isInteger(tensor.dtype)) {
    return isWeight || (bitsOf(tensor.dtype) <= 8 && isData) ? 'parameter' : 'setting';
  }
  if (roles.some(isStatistic) && !isWeight) return 'statistic';
  if (signature) return signature.kindOf(found.name) ?? 'setting';
  if (!isWeight && !isData) return 'setting';
  return isSetting(found, isWeight) ? 'setting' : 'parameter';
}

/** A float constant that enters arithmetic but was never trained. */
function isSetting(found: FoundConstant, isWeight: boolean): boolean {
  const { name, tensor, isNode, destinations } = found;
  const isAnonymous = isMadeUpName(name);
  const isOneNumber = elementCount(tensor) <= 1;
  if (BUFFER_NAME.test(name) || found.isQuantisationScale) return true;
  if (destinations.some(isMatrixFactor)) {
    // Linear layers have matrices. A vector holds the positions or frequencies of an embedding, unless it is
    // the weight of a layer with one output, which is a matrix of one column.
    const isVector = tensor.dims.filter((d) => d !== 1).length <= 1;
    return isAnonymous && isVector && (isNode || tensor.dims.length > 2 || isOneNumber);
  }
  if (isWeight) {
    // Normalisation without learned scale and shift is written with ones and zeros.
    const isNormalisation = destinations.some((d) => traitsOf(d.node).normalisation !== undefined);
    return (isNode || (isAnonymous && isNormalisation)) && (isOneNumber || isUniform(tensor));
  }
  if (isOneNumber) return isNode || isAnonymous;
  if (isNode && isAnonymous) return true;
  // The mean and deviation that an image is normalised with, per channel.
  if (found.isPreprocessing && elementCount(tensor) <= 4) return true;
  // Anchors and strides that boxes are decoded with: a number for every place, where a bias has one for every channel.
  if (found.isPostprocessing && (tensor.dims.filter((d) => d !== 1).length > 1 || isIntegral(tensor)))
    return true;
  return isMask(tensor) || isSinusoidTable(tensor) || (isAnonymous && isFrequencies(tensor));
}

function isMatrixFactor({ node }: Destination): boolean {
  return traitsOf(node).product !== undefined;
}

/** How many weights a parameter holds: its elements, unless it is packed or was blown up from a table. */
export function parametersIn(found: FoundConstant, signature: TorchSignature | undefined): number {
  const { name, tensor, destinations } = found;
  const owner = destinations.find((d) => isTrained(d.role)) ?? destinations[0];
  const isFolded = signature ? !signature.parameters.has(name) : isMadeUpName(name);
  if (isFolded && !destinations.some((d) => isTrained(d.role) || isMatrixFactor(d))) {
    const elements = repeatedElements(tensor) ?? relativePositionElements(tensor);
    if (elements !== undefined) return elements;
  }
  return weightsPerTensor(tensor, owner);
}

/** One weight per element, unless the operator that computes with them unpacks several from each. */
function weightsPerTensor(tensor: Tensor, owner: Destination | undefined): number {
  const { operator, call } = owner?.by ?? {};
  return (call && operator?.weightsIn?.(call, owner!.slot)) ?? elementCount(tensor);
}
