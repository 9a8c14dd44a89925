// docs/reference/proxies.md, from what proxies say of themselves.
import { COMBINATIONS, PROXIES } from './index.js';
import type { ProxyNeeds, ZeroCostProxy } from './proxy.js';

const HEAD = `# Zero-cost proxies

Scores of networks before they are trained: \`auspex proxy\`, \`auspex proxy correlate\`, \`auspex search --proxy\`, and in the
library \`scoreAll\`. They are defined on graphs of ONNX operators, so that they score any network: a file (with its own
weights, or with fresh ones by kind of layer, \`--init seeded\`), or an architecture of a space.

This file is made by \`npm run docs\` from the proxies themselves.

## What all of them share

- **Weights** are those of convolutions and matrix products, found from the graph; biases, normalisations and embeddings do
  not count, unless a proxy says so. \`--explain\` shows which, \`--weights\` names others.
- **Data** are drawn from the seed: inputs from N(0, 1), tokens evenly from the vocabulary, classes evenly. Samples of your
  own: \`--inputs x.npy --targets y.npy\`, arrays that \`np.save\` wrote, cut into batches of \`--batch\`. Images of a
  folder: \`--images FOLDER\`, see [images.md](../guides/images.md).
- **float16** networks are scored in float32, and their inputs given so; quantised ones have no weights that count.
- **The loss** is cross-entropy of the first output of floats (\`--logits\` names another).
- **Batch normalisation** takes the statistics of the batch where gradients are taken (\`--statistics frozen\`: its own).
- **z**, the output of the last block, is the last sum of the residual stream of a transformer, and otherwise what goes
  into the last layer before pooling (\`--features\` names another value).
- **Who wrote the file** does not matter: the same network scores the same as TorchScript or torch.export write it, in old
  and new opsets, folded or not, or with operators that ONNX Runtime has fused; the tests compare five files each of four
  networks, and with PyTorch. Normalisations, GELU, SiLU and Mish are found in parts, too. Two things a file does not tell:
  batch normalisation that was merged into convolutions (export in training mode, or without optimisation, to keep it),
  and constants of equal values that exporters write once, such as layers of \`nn.TransformerEncoder\` before training,
  which begin as copies (\`--init seeded\` draws them once, too; export with weights that differ).
- A proxy that does not apply to a network, or whose score is no finite number, is an error of its own with a code; the other
  proxies and networks are scored all the same.
- Where released code differs from its paper, the paper's meaning is the default and the code's a variant, written behind a
  colon: \`fisher:released\`.

## Proxies

`;

/** Everything but a file. */
export function proxyDocs(): string {
  const rows = PROXIES.map(
    ({ name, title, needs, better }) =>
      `| [\`${name}\`](#${name}) | ${title} | ${better} | ${needsText(needs)} |`,
  );
  const combined = Object.entries(COMBINATIONS).map(
    ([name, members]) =>
      `- \`${name}\` is \`${members}\`${name === 'ntsr' ? ', of ETAS: ½·(R(NTKT) + R(SEPT))' : ''}.`,
  );
  return `${HEAD}| name | | better | looks at |
|---|---|---|---|
${rows.join('\n')}

## Combinations

Names joined by \`+\` are the mean of the ranks within the pool that is scored, from 1 for the worst; equal scores share the
mean of their ranks, each proxy counts in its own direction, and a network that lacks one of the scores ranks last by it. The
number depends on the pool; for a single network it means nothing.

${combined.join('\n')}

${PROXIES.map(section).join('\n')}`;
}

function section({ name, title, paper, formula, scale, variants, elsewhere }: ZeroCostProxy): string {
  const others = Object.entries(variants).map(([variant, what]) => `  - \`${name}:${variant}\`: ${what}`);
  return [
    `## ${name}`,
    '',
    `${title}: ${paper}.`,
    '',
    `- Formula: ${formula.replaceAll('|', '\\|').replaceAll('*', '\\*')}`,
    ...(scale === 'logarithm' ? ['- The score is the natural logarithm of that.'] : []),
    `- Elsewhere: ${elsewhere}.`,
    ...(others.length === 0 ? [] : ['- Variants:', ...others]),
    '',
  ].join('\n');
}

function needsText({ weights, samples, batches, labels, gradients }: ProxyNeeds): string {
  const parts = [
    ...(weights ? ['weights'] : []),
    ...(gradients ? ['gradients'] : []),
    ...(samples > 0
      ? [`${batches > 1 ? `${batches} batches` : 'a batch'}${samples > 1 ? ` of ${samples} or more` : ''}`]
      : []),
    ...(labels ? ['classes'] : []),
  ];
  return parts.length === 0 ? 'the graph alone' : parts.join(', ');
}
