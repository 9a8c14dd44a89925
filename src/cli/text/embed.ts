// The output of `auspex embed`.
import type { EmbedDocument } from '../../app/documents/embed.js';
import { problemText } from '../../app/problem.js';
import { formatExact, table, terminalWidth, wrap } from './format.js';
import { joined } from './sections.js';

/** Networks that are listed with their numbers. */
const LISTED = 20;
/** Numbers of an embedding that are shown. */
const SHOWN = 6;

const NEAREST = [
  { title: 'nearest', flexible: 'middle' },
  { title: 'distance', align: 'right' },
] as const;

export function embedText(document: EmbedDocument): string {
  const width = terminalWidth(process.stdout);
  const { predictor, by, networks, output, map, known, clusters, width: size } = document;
  const embedded = networks.filter(({ error }) => error === undefined);
  const how = { embedding: '', 'hidden-layer': ', its last hidden layer', nodes: ', latents of nodes' }[by];
  const head = `${formatExact(embedded.length)} networks as ${size} numbers each, by ${predictor}${how}`;
  const written = [output, map].flatMap((file) => (file === undefined ? [] : [file]));
  return joined(
    [
      [
        ...wrap(head, 0, 2, width),
        ...(clusters
          ? wrap(`${formatExact(clusters.count)} clusters no wider than ${clusters.threshold}`, 0, 2, width)
          : []),
        ...(written.length === 0 ? [] : wrap(`written: ${written.join(', ')}`, 0, 2, width)),
      ],
      ...networks.slice(0, LISTED).map((network) => linesOf(network, known?.label, width)),
      networks.length > LISTED
        ? [`and ${formatExact(networks.length - LISTED)} more; --json lists them all`]
        : [],
    ],
    width,
  );
}

function linesOf(
  { ref: given, embedding, nearest, cluster, error }: EmbedDocument['networks'][number],
  label: string | undefined,
  width: number,
): string[] {
  const ref = cluster === undefined ? given : `${given}  cluster ${cluster}`;
  if (error) return [ref, ...wrap(problemText(error), 2, 4, width)];
  if (nearest) {
    const columns = [...NEAREST, ...(label === undefined ? [] : [{ title: label, align: 'right' } as const])];
    const rows = nearest.map(({ ref: other, distance, value }) => [
      other,
      distance.toPrecision(3),
      ...(label === undefined ? [] : [value === undefined ? '' : String(Number(value.toPrecision(5)))]),
    ]);
    return [ref, ...table(columns, rows, 2, width)];
  }
  if (embedding === undefined) return [];
  const first = embedding.slice(0, SHOWN).map((x) => x.toPrecision(3));
  return [ref, `  ${first.join('  ')}${embedding.length > SHOWN ? '  …' : ''}`];
}
