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
      'without token embeddings (also if the output layer shares them) and position embeddings',
  },
  elsewhere: 'all trained constants are counted, whichever operator uses them',
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
  paper: 'called FLOPs by Ning et al., NeurIPS 2021, arXiv:2008.03064, and most tables',
  formula: 'multiply-accumulates of one sample',
  better: 'higher',
  scale: 'raw',
  needs: { ...NO_DATA, weights: false },
  variants: {},
  elsewhere: 'nodes that cannot be counted are left out',
  count: (network) => ({ value: network.macs, details: { macs: network.macs } }),
});

export const flops = defineProxy({
  name: 'flops',
  title: 'FLOPs',
  paper: 'counted as by `auspex inspect`',
  formula: '2·MACs + all other arithmetic of one sample',
  better: 'higher',
  scale: 'raw',
  needs: { ...NO_DATA, weights: false },
  variants: {
    all: 'the same; an alias from the time when `flops` meant multiply-accumulates (now `macs`)',
  },
  elsewhere: 'nodes that cannot be counted are left out',
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
      'Σ_layers √E‖w‖₂² over PyTorch’s initial weights, uniform within ±1/√fan_in: √(numel(w) / (3·fan_in)). It does not depend on the drawn weights',
  },
  elsewhere: 'only weights of convolutions and matrix products are scored',
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
