// The output of `auspex proxy --explain`: what was found in a network.
import type { Explanation } from '../../proxies/index.js';
import { broken, table, wrap } from './format.js';

export function explanationLines(network: string, explanation: Explanation, width: number): string[] {
  const { inputs, samples, features, blocks, tensors } = explanation;
  const counted = tensors.filter(({ counts }) => counts).length;
  const last = features
    ? `'${features.name}' [${features.dims}]: ${features.channels} channels, ${features.positions} positions`
    : 'none found';
  const field = (text: string): string[] => wrap(text, 2, 14, width);
  return [
    ...broken(network, 0, 0, width),
    ...inputs.flatMap(({ name, type }) => field(`input       '${name}' ${type}, ${samples} samples`)),
    ...explanation.heads.flatMap((head) => field(headText(head))),
    ...changeLines(explanation, width),
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

function headText({ output, name, dims, loss, why }: Explanation['heads'][number]): string {
  const from = name === output ? '' : `, before the end at '${name}'`;
  return `output      '${output}' [${dims}]${from}: ${loss}, because ${why}`;
}

/** Changes of one kind that are many are counted. */
const MOST_CHANGES = 4;

/** What was done to the network before it was scored, and what could not be. */
function changeLines({ changes, problems }: Explanation, width: number): string[] {
  const kinds = [...new Set(changes.map(({ transform }) => transform))];
  const lines = kinds.flatMap((kind) => {
    const own = changes.filter(({ transform }) => transform === kind);
    const texts = [...new Set(own.map(({ what }) => what))];
    const shown = texts.slice(0, MOST_CHANGES);
    const more = texts.length - shown.length;
    return [...shown, ...(more > 0 ? [`and ${more} more changes`] : [])].flatMap((text) =>
      wrap(`${kind.padEnd(11)} ${text}`, 2, 14, width),
    );
  });
  const failed = problems.flatMap(({ step, code, message }) =>
    wrap(`${step.padEnd(11)} not changed: ${code}: ${message}`, 2, 14, width),
  );
  return [...lines, ...failed];
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
