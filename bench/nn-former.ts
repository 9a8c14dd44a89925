// NN-Former's accuracy model (CVPR 2025) as the benchmark's workload: 12 layers of masked attention and a
// feed-forward network with graph convolutions, on graphs of 7 nodes with a class and a depth token.
import { dropout } from '../src/nn/dropout.js';
import { truncatedNormal, zeros } from '../src/nn/initialise.js';
import { linear } from '../src/nn/linear.js';
import { layerNorm } from '../src/nn/normalise.js';
import type { Scope } from '../src/nn/scope.js';
import type { BatchShapes, Inputs, Objective } from '../src/nn/step.js';
import type { Value } from '../src/ops/build.js';

export interface NNFormerOptions {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly dropout: number;
}

export const PAPER: NNFormerOptions = { width: 160, layers: 12, heads: 4, dropout: 0 };
const weight = truncatedNormal(0.02);

/** (B, n, n) with a border of `value` for each of the two extra tokens: (B, n + 2, n + 2). */
function bordered(a: Value, value: number): Value {
  const { builder } = a;
  const [, n] = a.sizes as [number, number, number];
  return builder
    .op('Pad', [a, builder.ints([0, 1, 1, 0, 1, 1]), builder.constant(value, a.dtype)])
    .reshape([-1, n + 2, n + 2]);
}

/** 0 where attention may look, −∞ elsewhere: R, Rᵀ, RᵀR, RRᵀ, each with the diagonal. (B, 4, L, L) */
function attentionBias(a: Value): Value {
  const r = bordered(a, 1);
  const t = r.transposeLast();
  const { builder } = a;
  const length = r.sizes[1]!;
  const eye = Array.from({ length: length * length }, (_, i) => Number(i % (length + 1) === 0));
  const identity = builder.constant(eye, 'float32', [length, length]);
  const relations = [r, t, t.matmul(r), r.matmul(t)].map((m) => m.unsqueeze([1]));
  const allowed = builder.concat(relations, 1).add(identity).greater(0);
  return builder.where(allowed, builder.constant(0, 'float32'), Number.NEGATIVE_INFINITY);
}

/** The tokens `to` attend to the tokens x. */
function attention(
  s: Scope,
  to: Value,
  x: Value,
  bias: Value,
  { heads, dropout: rate }: NNFormerOptions,
): Value {
  const d = x.sizes.at(-1)!;
  const size = d / heads;
  const project = (name: string, from: Value): Value =>
    linear(s.at(name), from, d, { bias: false, weight })
      .reshape([-1, from.sizes[1]!, heads, size])
      .transpose([0, 2, 1, 3]);
  const [q, k, v] = [project('query', to), project('key', x), project('value', x)];
  const scores = q
    .matmul(k.transposeLast())
    .mul(1 / Math.sqrt(size))
    .add(bias);
  const mixed = dropout(s, scores.softmax(), rate).matmul(v);
  const y = mixed.transpose([0, 2, 1, 3]).reshapeTo(to);
  return dropout(s, linear(s.at('projection'), y, d, { bias: false, weight }), rate);
}

/**
 * ReLU(x·W₁ + [G·V₁ | Gᵀ·V₂])·W₂ with V = x·W_g. Each half is computed by itself, so that nothing is cut apart or
 * put together.
 */
function feedForward(s: Scope, x: Value, g: Value, { dropout: rate }: NNFormerOptions): Value {
  const d = x.sizes.at(-1)!;
  const half = (name: string, graph: Value): Value => {
    const project = (part: string) => linear(s.at(name, part), x, 2 * d, { bias: false, weight });
    const hidden = project('own')
      .add(graph.matmul(project('graph')))
      .relu();
    return linear(s.at(name, 'contract'), dropout(s, hidden, rate), d, { bias: false, weight });
  };
  return dropout(s, half('forward', g).add(half('backward', g.transposeLast())), rate);
}

export function nnFormer(s: Scope, batch: Inputs, options = PAPER): Value {
  const { width } = options;
  const [code, depth, adjacency] = [batch.code!, batch.depth!, batch.adjacency!];
  const size = code.sizes[0]!;
  const tokens = [
    s.parameter('class', [1, 1, width], weight).expand([size, 1, width]),
    linear(s.at('operation'), code, width, { bias: false, weight }),
    linear(s.at('depth'), depth, width, { bias: false, weight }),
  ];
  const bias = attentionBias(adjacency);
  const g = bordered(adjacency, 0);
  let x = layerNorm(s.at('norm'), s.builder.concat(tokens, 1));
  for (let i = 0; i < options.layers; i++) {
    const block = s.at('block', i);
    const normed = layerNorm(block.at('norm1'), x);
    // Of the last layer only the class token is read: nothing else of it is computed.
    const read = (v: Value, ...axes: number[]): Value =>
      i === options.layers - 1
        ? v.slice(
            axes.map(() => 0),
            axes.map(() => 1),
            axes,
          )
        : v;
    const attended = attention(block.at('attention'), read(normed, 1), normed, read(bias, 2), options);
    x = read(x, 1).add(attended);
    x = x.add(feedForward(block.at('feedForward'), layerNorm(block.at('norm2'), x), read(g, 1, 2), options));
  }
  const first = layerNorm(s.at('last'), x.reshape([size, width]));
  return linear(s.at('head'), first, 1, { weight, biasInit: zeros }).add(0.5);
}

export function objective(options: NNFormerOptions): Objective {
  return {
    predict: (s, batch) => nnFormer(s, batch, options),
    loss: (s, batch) => nnFormer(s, batch, options).sub(batch.target!).square().mean(),
  };
}

export function shapes(batch: number, nodes = 7): BatchShapes {
  return {
    code: { type: 'float32', dims: [batch, nodes, 32] },
    depth: { type: 'float32', dims: [batch, 1, 32] },
    adjacency: { type: 'float32', dims: [batch, nodes, nodes] },
    target: { type: 'float32', dims: [batch, 1] },
  };
}
