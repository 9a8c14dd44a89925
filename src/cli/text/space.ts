// Search spaces and descriptions of architectures, for people.
import type { Description } from '../../spaces/describe.js';
import type { AnySpace } from '../../spaces/space.js';
import { thousands } from '../../util/thousands.js';
import { broken, formatCount, formatExact, table, wrap } from './format.js';

export function listText(spaces: readonly AnySpace[]): string {
  const rows = spaces.map(({ name, title, size, defaults }) => [
    name,
    title,
    sizeText(size),
    defaults.input === 'image' ? `${defaults.resolution}²` : `${defaults.resolution} tokens`,
  ]);
  const columns = [
    { title: 'space' },
    { title: 'title', flexible: 'start' as const },
    { title: 'architectures', align: 'right' as const },
    { title: 'input', align: 'right' as const },
  ];
  return table(columns, rows, 0).join('\n');
}

/** Exact up to a million, then as a power of ten. */
function sizeText(size: bigint | undefined): string {
  if (size === undefined) return 'unlimited';
  if (size < 1_000_000n) return formatExact(Number(size));
  const digits = String(size);
  return `${digits[0]}.${digits[1]}e${digits.length - 1}`;
}

/** Where the second column begins. */
const FIELD = 17;

export function spaceText(space: AnySpace): string {
  const { title, paper, notation, example, size, defaults } = space;
  const input =
    defaults.input === 'image'
      ? `${defaults.resolution}x${defaults.resolution} images, ${defaults.classes} classes`
      : `${defaults.resolution} tokens, vocabulary of ${formatExact(defaults.classes)}`;
  const field = (label: string, text: string, lines = wrap): string[] =>
    lines(text, FIELD).map((line, i) => (i === 0 ? `  ${label}`.padEnd(FIELD) + line.slice(FIELD) : line));
  return [
    title,
    ...field('paper', paper),
    ...field('architectures', size === undefined || size >= 10n ** 18n ? sizeText(size) : thousands(size)),
    ...field('input', input),
    ...field('notation', notation),
    ...field('example', example, broken),
  ].join('\n');
}

export function descriptionText({ arch, hash, parameters, macs, flops, depth, nodes }: Description): string {
  const numbers = [
    `parameters ${formatExact(parameters)}`,
    `MACs ${formatCount(macs)}`,
    `FLOPs ${formatCount(flops)}`,
    `depth ${depth}`,
  ];
  return [...broken(arch), `  ${numbers.join('   ')}`, `  hash ${hash}   nodes ${nodes}`].join('\n');
}
