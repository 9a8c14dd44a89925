// Attention and embeddings with quantised weights: the operators of the same domain with floats.
import type { FloatRule } from '../float.js';

const DOMAIN = 'com.microsoft';

const ATTRIBUTES = [
  'do_rotary',
  'mask_filter_value',
  'num_heads',
  'past_present_share_buffer',
  'scale',
  'unidirectional',
];

export const qAttentionFloat: FloatRule = (node) => {
  const input = node.real(node.required('input'), {
    scale: node.required('input_scale'),
    zeroPoint: node.named('input_zero_point'),
  });
  const weights = node.real(node.required('weight'), {
    scale: node.required('weight_scale'),
    zeroPoint: node.named('weight_zero_point'),
    axis: 1,
  });
  const given = Object.fromEntries(ATTRIBUTES.map((name) => [name, node.call.node.attributes.get(name)]));
  const rest = ['bias', 'mask_index', 'past'].map((name) => node.named(name));
  return node.builder.apply('Attention', [input, weights, ...rest], given, {
    domain: DOMAIN,
    outputs: node.call.outputCount,
  });
};

/** The tables and the parameters of the normalisation have scales and zero points of their own. */
const TABLES = [
  ['word_embedding_quant', 'word_embedding'],
  ['position_embedding_quant', 'position_embedding'],
  ['segment_embedding', 'segment_embedding'],
  ['gamma_quant', 'gamma'],
  ['beta_quant', 'beta'],
] as const;

export const qEmbedLayerNormalizationFloat: FloatRule = (node) => {
  const tables = TABLES.map(([tensor, name]) => {
    const q = node.named(tensor);
    const scale = node.named(`${name}_scale`);
    return q && scale && node.real(q, { scale, zeroPoint: node.named(`${name}_zero_point`) });
  });
  const inputs = [node.required('input_ids'), node.named('segment_ids'), ...tables, node.named('mask')];
  const epsilon = node.call.float('epsilon');
  return node.builder.apply(
    'EmbedLayerNormalization',
    inputs,
    { epsilon },
    {
      domain: DOMAIN,
      outputs: node.call.outputCount,
    },
  );
};
