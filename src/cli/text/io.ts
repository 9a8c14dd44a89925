// The output of `auspex data io`.
import type { IoDocument } from '../../app/documents/io.js';
import { formatExact, percent, table, terminalWidth } from './format.js';
import { joined } from './sections.js';

export const IO_SETS: Readonly<Record<IoDocument['sets'][number]['name'], string>> = {
  train: 'train: training networks, seen images',
  'validation-networks': 'validation: other networks, seen images',
  'validation-images': 'validation: training networks, unseen images',
  'test-images': 'test: training networks, unseen images',
  'test-networks-and-images': 'test: other networks, unseen images',
};

const COLUMNS = [
  { title: 'set', flexible: 'start' },
  { title: 'networks', align: 'right' },
  { title: 'images', align: 'right' },
  { title: 'examples', align: 'right' },
] as const;

export function ioText({ output, networks, sets, accuracy }: IoDocument): string {
  const { wanted, done, trained } = networks;
  const width = terminalWidth(process.stdout);
  const rows = sets.map(({ name, networks: of, images, examples }) => [
    IO_SETS[name],
    ...[of, images, examples].map(formatExact),
  ]);
  const mean = accuracy.unseen === null ? '' : `; mean accuracy ${percent(accuracy.unseen)} on unseen images`;
  return joined(
    [
      [`${formatExact(done)} of ${formatExact(wanted)} networks in ${output}, ${trained} trained now${mean}`],
      table(COLUMNS, rows, 2, width),
      done < wanted ? ['--resume trains the others.'] : [],
    ],
    width,
  );
}
