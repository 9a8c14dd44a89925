// The output of `auspex proxy --explain`: what was found in a network.
import type { Explanation } from '../../proxies/index.js';
import { broken, table, wrap } from './format.js';

export function explanationLines(network: string, explanation: Explanation, width: number): string[] {
  const { inputs, samples, logits, features, blocks, tensors } = explanation;
  const counted = tensors.filter(({ counts }) => counts).length;
  const last = features
    ? `'${features.name}' [${features.dims}]: ${features.channels} channels, ${features.positions} positions`
    : 'none found';
  const field = (text: string): string[] => wrap(text, 2, 14, width);
  return [
    ...broken(network, 0, 0, width),
    ...inputs.flatMap(({ name, type }) => field(`input       '${name}' ${type}, ${samples} samples`)),
    ...field(`logits      '${logits.name}' [${logits.dims}], ${logits.classes} classes`),
    ...field(`last block  ${last}`),
    `  attention   ${blocks.length === 0 ? 'none' : `${blocks.length} blocks`}`,
    ...(blocks.length === 0 ? [] : blockTable(blocks, width)),
    `  weights     ${counted} of ${tensors.length} constants are scored`,
    ...table(
      [
        { title: 'constant', flexible: 'middle' },
        { title: 'shape' },
        { title: 'role' },
        { title: 'scored' },
        { title: 'part' },
      ],
      tensors.map(({ name, dims, role, counts, part }) => [
        name,
        dims.join('x'),
        role,
        counts ? 'yes' : '',
        part ?? '',
      ]),
      4,
      width,
    ),
  ];
}

function blockTable(blocks: Explanation['blocks'], width: number): string[] {
  return table(
    [
      { title: 'applied by', flexible: 'middle' },
      { title: 'width', align: 'right' },
      { title: 'QKV width', align: 'right' },
      { title: 'tokens', align: 'right' },
    ],
    blocks.map((block) => [block.node, ...[block.width, block.qkvWidth, block.tokens].map(String)]),
    4,
    width,
  );
}
