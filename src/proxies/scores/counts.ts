// Proxies that look at no data: how large a network is, and how large its weights are.
import { byLayer, defineProxy } from '../proxy.js';

const NO_DATA = { samples: 0, batches: 0, labels: false, gradients: false } as const;

/** Kinds of constants that are embeddings: tables that are looked up, or added as positions are. */
const EMBEDDINGS = new Set(['embedding', 'table']);

export const params = defineProxy({
  name: 'params',
  title: 'Parameters',
  paper: 'non-embedding: Javaheripi et al., NeurIPS 2022, arXiv:2203.02094',
  formula: 'Σ numel(w)',
  better: 'higher',
  scale: 'raw',
  needs: { ...NO_DATA, weights: false },
  variants: {
    'non-embedding':
      'without tables that tokens are looked up in (also where the output layer shares them) and tables of positions',
  },
  elsewhere: 'all trained constants count, whatever operator uses them',
  count: ({ parameters }, variant) =>
    variant === undefined ? { value: parameters, details: { total: parameters } } : undefined,
  score: async ({ counts, parameters, roles }) => {
    const total = counts.parameters;
    let embedding = 0;
    for (const [name, count] of parameters) if (EMBEDDINGS.has(roles.get(name)!.kind)) embedding += count;
    return { value: total - embedding, details: { total, embedding } };
  },
});

export const macs = defineProxy({
  name: 'macs',
  title: 'MACs',
  paper: 'what Ning et al., NeurIPS 2021, arXiv:2008.03064, and most tables call FLOPs',
  formula: 'multiply-accumulates of one sample',
  better: 'higher',
  scale: 'raw',
  needs: { ...NO_DATA, weights: false },
  variants: {},
  elsewhere: 'what cannot be counted is left out',
  count: (network) => ({ value: network.macs, details: { macs: network.macs } }),
});

export const flops = defineProxy({
  name: 'flops',
  title: 'FLOPs',
  paper: 'as `auspex inspect` counts them',
  formula: '2·MACs + all other arithmetic of one sample',
  better: 'higher',
  scale: 'raw',
  needs: { ...NO_DATA, weights: false },
  variants: {
    all: 'the same; the name it had while `flops` were multiply-accumulates, which are `macs` now',
  },
  elsewhere: 'what cannot be counted is left out',
  count: (network) => ({ value: network.flops, details: { macs: network.macs, flops: network.flops } }),
});

export const l2Norm = defineProxy({
  name: 'l2_norm',
  title: 'L2 norm',
  paper: 'Abdelfattah et al., ICLR 2021, arXiv:2101.08134 (code)',
  formula: 'Σ_layers ‖w‖₂',
  better: 'higher',
  scale: 'raw',
  needs: { ...NO_DATA, weights: true },
  variants: {
    expected:
      'Σ_layers √E‖w‖₂² over PyTorch’s first weights, uniform within ±1/√fan_in: √(numel(w) / (3·fan_in)). Networks that only a draw of weights tells apart have the same',
  },
  elsewhere: 'weights of convolutions and matrix products count, nothing else',
  score: async (subject, variant) =>
    byLayer(
      subject,
      subject.layers.map(({ weight, dims, fanIn }) => {
        if (variant === 'expected') return Math.sqrt(dims.reduce((n, d) => n * d, 1) / (3 * fanIn));
        let sum = 0;
        for (const x of subject.weight(weight)) sum += x * x;
        return Math.sqrt(sum);
      }),
    ),
});
