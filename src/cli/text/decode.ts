// The output of `auspex decode`.
import type { DecodeDocument } from '../../app/documents/decode.js';
import { problemText } from '../../app/problem.js';
import { formatExact, table, terminalWidth, wrap } from './format.js';
import { joined } from './sections.js';

export function decodeText({ predictor, space, decoded, quality }: DecodeDocument): string {
  const width = terminalWidth(process.stdout);
  return joined(
    [
      wrap(`cells of ${space}, by ${predictor}`, 0, 2, width),
      ...decoded.map((group) => groupLines(group, width)),
      quality ? qualityLines(quality, width) : [],
    ],
    width,
  );
}

function groupLines({ of, networks, error }: DecodeDocument['decoded'][number], width: number): string[] {
  if (error) return [...of, ...wrap(problemText(error), 2, 4, width)];
  if (networks.length === 0) return [...of, '  no other network was found near it; try a greater --radius'];
  const [hasParts, hasDistances] = [networks[0]!.part !== undefined, networks[0]!.distance !== undefined];
  const columns = [
    ...(hasParts ? [{ title: 'part', align: 'right' } as const] : []),
    { title: 'network', flexible: 'middle' } as const,
    ...(hasDistances ? [{ title: 'distance', align: 'right' } as const] : []),
  ];
  const rows = networks.map(({ ref, part, distance }) => [
    ...(hasParts ? [part!.toFixed(2)] : []),
    ref ?? '(not an architecture)',
    ...(hasDistances ? [distance!.toPrecision(3)] : []),
  ]);
  return [...of, ...table(columns, rows, 2, width)];
}

function qualityLines(quality: NonNullable<DecodeDocument['quality']>, width: number): string[] {
  const { drawn, constrained, reconstruction } = quality;
  const share = (x: number): string => `${(100 * x).toFixed(2)}%`;
  const columns = [
    { title: `${formatExact(drawn)} random latents` },
    { title: 'valid', align: 'right' },
    { title: 'unique cells', align: 'right' },
    { title: 'networks', align: 'right' },
  ] as const;
  const row = (title: string, { validity, uniqueness, uniqueNetworks }: typeof constrained): string[] => [
    title,
    ...[validity, uniqueness, uniqueNetworks].map(share),
  ];
  const lines = table(
    columns,
    [row('plain decoder', quality), row('constrained decoder', constrained)],
    0,
    width,
  );
  if (reconstruction === undefined) return lines;
  const { networks, operators, operatorsOfAllRows, adjacency, cells } = reconstruction;
  const back = [
    ['operations', share(operators)],
    ['operations, padding counted as the papers do', share(operatorsOfAllRows)],
    ['edges', share(adjacency)],
    ['whole cells', share(cells)],
  ];
  const title = { title: `${formatExact(networks)} networks, reconstructed` };
  return [...lines, '', ...table([title, { title: 'right', align: 'right' }], back, 0, width)];
}
