// SqueezeNet (Iandola et al. 2016), versions 1.0 and 1.1: eight fire modules between poolings, and a convolution whose
// channels are the classes.
import { conv2d, globalAveragePool } from '../../nn/convolution.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { type Base, familySpace, gene, type Layers, WIDTHS } from './family.js';
import { maxPoolCeil } from './pooling.js';

const FIRES = [
  { at: 'fire2', squeeze: 16, expand: 64 },
  { at: 'fire3', squeeze: 16, expand: 64 },
  { at: 'fire4', squeeze: 32, expand: 128 },
  { at: 'fire5', squeeze: 32, expand: 128 },
  { at: 'fire6', squeeze: 48, expand: 192 },
  { at: 'fire7', squeeze: 48, expand: 192 },
  { at: 'fire8', squeeze: 64, expand: 256 },
  { at: 'fire9', squeeze: 64, expand: 256 },
];
const KERNELS = [1, 3, 5, 7];

interface Version {
  readonly name: string;
  readonly stem: { readonly out: number; readonly kernel: number };
  /** Fires that come after a pooling. */
  readonly pooled: readonly string[];
}

const VERSIONS: readonly Version[] = [
  { name: 'squeezenet1_0', stem: { out: 96, kernel: 7 }, pooled: ['fire2', 'fire5', 'fire9'] },
  { name: 'squeezenet1_1', stem: { out: 64, kernel: 3 }, pooled: ['fire2', 'fire4', 'fire6'] },
];

function squeezenet({ name, stem, pooled }: Version): Base {
  return {
    name,
    genes: [
      ...FIRES.map(({ at }) => gene('w', at, 1, WIDTHS)),
      ...FIRES.map(({ at }) => gene('k', at, 3, KERNELS)),
    ],
    write: (s, x, layers) => {
      let y = conv2d(s.at('stem'), x, layers.channels(stem.out), { kernel: stem.kernel, stride: 2 }).relu();
      for (const module of FIRES) {
        if (pooled.includes(module.at)) y = maxPoolCeil(y, 3, 2);
        y = fire(s.at(module.at), y, module, layers);
      }
      return globalAveragePool(conv2d(s.at('classifier'), y, layers.classes, { kernel: 1 }).relu());
    },
  };
}

/** 1×1 to few channels, then 1×1 and k×k side by side: (B, C, H, W) → (B, 2·expand, H, W). */
function fire(s: Scope, x: Value, { at, squeeze, expand }: (typeof FIRES)[number], layers: Layers): Value {
  const kernel = layers.of('k', at);
  const width = layers.channels(expand, at);
  const y = conv2d(s.at('squeeze'), x, layers.channels(squeeze, at), { kernel: 1 }).relu();
  const branches = [
    conv2d(s.at('point'), y, width, { kernel: 1 }),
    conv2d(s.at('wide'), y, width, { kernel, padding: (kernel - 1) / 2 }),
  ];
  return s.builder.concat(
    branches.map((branch) => branch.relu()),
    1,
  );
}

/**
 * As in nn-Meter, a fire module has one factor for its squeezing and its expanding layers and one kernel, and the stem
 * stays. nn-Meter's is version 1.0 with a dense layer at the end.
 */
export const nnlqpSqueezeNet = familySpace({
  name: 'nnlqp-squeezenet',
  title: 'NNLQP SqueezeNet',
  paper: 'Liu et al., ICPP 2022; Iandola et al. 2016, arXiv:1602.07360',
  bases: VERSIONS.map(squeezenet),
});
