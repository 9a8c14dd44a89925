// GPT-2 small (Radford et al. 2019): 12 layers of width 768, 12 heads, 50,257 tokens, the embedding used again at the end.

import { normal } from '../../src/nn/initialise.js';
import { crossEntropy } from '../../src/nn/losses.js';
import { layerNorm } from '../../src/nn/normalise.js';
import type { Scope } from '../../src/nn/scope.js';
import type { BatchShapes, Inputs, Objective } from '../../src/nn/step.js';
import type { Value } from '../../src/ops/build.js';
import { layer } from './vit.js';

const [WIDTH, LAYERS, HEADS, TOKENS] = [768, 12, 12, 50_257];

function logits(s: Scope, { tokens }: Inputs): Value {
  const [batch, length] = tokens!.sizes as number[];
  const table = s.parameter('embedding', [TOKENS, WIDTH], normal(0, 0.02));
  const places = s.parameter('places', [1, length!, WIDTH], normal(0, 0.01));
  let x = table.gather(tokens!, 0).add(places);
  const before = Uint8Array.from({ length: length! ** 2 }, (_, i) =>
    Number(i % length! <= Math.floor(i / length!)),
  );
  const mask = s.builder.constant(before, 'bool', [length!, length!]);
  for (let i = 0; i < LAYERS; i++) x = layer(s.at('layer', i), x, HEADS, mask);
  return layerNorm(s.at('norm'), x)
    .reshape([batch! * length!, WIDTH])
    .matmul(table.transpose([1, 0]));
}

const objective: Objective = {
  predict: logits,
  loss: (s, batch) => crossEntropy(logits(s, batch), batch.next!),
};

export const gpt2 = {
  objective,
  shapes: (batch: number, length: number): BatchShapes => ({
    tokens: { type: 'int64', dims: [batch, length] },
    next: { type: 'int64', dims: [batch * length] },
  }),
};
