// The operators of ONNX Runtime's own domain, com.microsoft: what its optimiser and its quantiser turn networks
// into, and what exporters of language models write. A family is one import and one line here.
import type { OperatorTable } from '../registry.js';
import { activationOperators } from './activation.js';
import { attentionOperators } from './attention.js';
import { convVariants } from './conv.js';
import { defaultDomainOperators } from './default-domain.js';
import { generationOperators } from './generation.js';
import { linearAttentionOperators } from './linear-attention.js';
import { matMulVariants } from './matmul.js';
import { mixtureOperators } from './mixture.js';
import { multiHeadOperators } from './multi-head.js';
import { nchwcOperators } from './nchwc.js';
import { normalizationOperators } from './normalization.js';
import { numericOperators } from './numeric.js';
import { otherOperators } from './other.js';
import { packedMatMulOperators } from './packed-matmul.js';
import { positionOperators } from './position.js';
import { quantizedOperators } from './quantized.js';
import { recurrentVariants } from './recurrent.js';

/** Families by the names their operators have in the domain. */
const FAMILIES: readonly OperatorTable[] = [
  activationOperators,
  attentionOperators,
  convVariants,
  generationOperators,
  linearAttentionOperators,
  matMulVariants,
  mixtureOperators,
  multiHeadOperators,
  normalizationOperators,
  numericOperators,
  otherOperators,
  packedMatMulOperators,
  positionOperators,
  quantizedOperators,
  recurrentVariants,
];

/** A table under the names that the registry knows its operators by. */
function inDomain(domain: string, table: OperatorTable): OperatorTable {
  return Object.fromEntries(Object.entries(table).map(([name, operator]) => [`${domain}.${name}`, operator]));
}

/** All families, to be registered one by one. */
export const microsoftFamilies: readonly OperatorTable[] = [
  ...FAMILIES.map((family) => inDomain('com.microsoft', family)),
  inDomain('com.microsoft.nchwc', nchwcOperators),
  defaultDomainOperators,
];
