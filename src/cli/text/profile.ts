// Profiles for people: operators, blocks and nodes by time; which nodes run as one kernel.
import type { ProfileDocument } from '../../app/documents/profile.js';
import { bar, formatBytes, formatCount, percent, table, wrap } from './format.js';
import { ms } from './measure.js';

/** Nodes, blocks and fusions beyond this many are counted, not listed. */
const LISTED = 15;
const BAR = 10;

type ProfiledNode = ProfileDocument['nodes'][number];

export function profileLines(profile: ProfileDocument, width: number): string[][] {
  return [
    summary(profile, width),
    operators(profile, width),
    blocks(profile, width),
    nodes(profile, width),
    unmapped(profile, width),
  ];
}

function summary(profile: ProfileDocument, width: number): string[] {
  const { kernelMs, runMs, mapped, inserted, roofs, runs } = profile;
  const text = [
    `Profile of ${runs} runs: kernels take ${ms(kernelMs)} of ${ms(runMs)}.`,
    `${percent(mapped)} of their time is mapped to nodes of the file, ${percent(inserted)} of it in kernels that the runtime inserted.`,
    `Roofs: ${formatCount(roofs.flopsPerSecond)}FLOP/s, ${formatBytes(roofs.bytesPerSecond)}/s.`,
  ].join(' ');
  return wrap(text, 0, 0, width);
}

function operators({ nodes: all, kernelMs }: ProfileDocument, width: number): string[] {
  const rows = summed(all, ({ operator }) => operator).map(([operator, group]) => [
    operator,
    String(group.length),
    ...timeCells(total(group), kernelMs),
    rate(group),
  ]);
  return table(
    [
      { title: 'Operator', flexible: 'middle' },
      { title: 'Nodes', align: 'right' },
      { title: 'Time', align: 'right' },
      { title: 'Share', align: 'right' },
      { title: '', isOptional: true },
      { title: 'FLOP/s', align: 'right' },
    ],
    rows,
    2,
    width,
  );
}

/** Blocks of the first level that has several. */
function blocks({ nodes: all, kernelMs }: ProfileDocument, width: number): string[] {
  const depth = [1, 2, 3].find((d) => new Set(all.map((node) => pathTo(node, d))).size > 2);
  if (depth === undefined) return [];
  const groups = summed(all, (node) => pathTo(node, depth));
  const rows = groups
    .slice(0, LISTED)
    .map(([block, group]) => [block || '(none)', String(group.length), ...timeCells(total(group), kernelMs)]);
  return [
    ...table(
      [
        { title: 'Block', flexible: 'middle' },
        { title: 'Nodes', align: 'right' },
        { title: 'Time', align: 'right' },
        { title: 'Share', align: 'right' },
        { title: '', isOptional: true },
      ],
      rows,
      2,
      width,
    ),
    ...more(groups.length),
  ];
}

const pathTo = ({ block }: ProfiledNode, depth: number): string => block.slice(0, depth).join('/');

function nodes({ nodes: all, kernelMs }: ProfileDocument, width: number): string[] {
  const sorted = all.toSorted((a, b) => b.timeMs - a.timeMs);
  const rows = sorted
    .slice(0, LISTED)
    .map((node) => [
      node.name,
      [node.operator, ...node.fused.map(({ operator }) => operator)].join('+'),
      ...timeCells(node.timeMs, kernelMs).slice(0, 2),
      node.flopsPerSecond === null ? '' : formatCount(Math.round(node.flopsPerSecond)),
      `${formatBytes(Math.round(node.bytesPerSecond))}/s`,
      `${node.roof} ${percent(node.reached)}`,
    ]);
  return [
    ...table(
      [
        { title: 'Node', flexible: 'middle' },
        { title: 'Operators', most: 24 },
        { title: 'Time', align: 'right' },
        { title: 'Share', align: 'right' },
        { title: 'FLOP/s', align: 'right', isOptional: true },
        { title: 'Bytes', align: 'right', isOptional: true },
        { title: 'Roof reached', isOptional: true },
      ],
      rows,
      2,
      width,
    ),
    ...more(all.length),
  ];
}

function unmapped({ kernels, kernelMs }: ProfileDocument, width: number): string[] {
  const rows = kernels
    .filter(({ kind }) => kind === 'unmapped')
    .map(({ operator, timeMs }) => [operator, ...timeCells(timeMs, kernelMs).slice(0, 2)]);
  if (rows.length === 0) return [];
  const columns = [{ title: 'Kernel' }, { title: 'Time' }, { title: 'Share' }];
  return ['Kernels that belong to no node of the file', ...table(columns, rows, 2, width)];
}

/** What runs as one kernel, what was inserted, what runs no more. */
export function fusionLines({ kernels, removed, kernelMs }: ProfileDocument, width: number): string[][] {
  const shape = (kernel: (typeof kernels)[number]): string =>
    `${kernel.operator} <- ${kernel.from.map(({ operator }) => operator).join(' + ')}`;
  const fused = summed(
    kernels.filter(({ kind, from }) => kind === 'direct' && from.length > 1),
    shape,
  );
  const inserted = summed(
    kernels.filter(({ kind }) => kind !== 'direct'),
    ({ operator }) => operator,
  );
  const gone = summed(
    removed.map((node) => ({ ...node, timeMs: 0 })),
    ({ operator }) => operator,
  );
  const rows = (groups: readonly [string, readonly { timeMs: number }[]][]): string[][] =>
    groups.map(([name, group]) => [
      name,
      String(group.length),
      ...timeCells(total(group), kernelMs).slice(0, 2),
    ]);
  const columns = (title: string) => [
    { title, flexible: 'middle' as const },
    { title: 'Kernels', align: 'right' as const },
    { title: 'Time', align: 'right' as const },
    { title: 'Share', align: 'right' as const },
  ];
  return [
    fused.length === 0 ? ['No nodes were fused.'] : table(columns('Fused'), rows(fused), 2, width),
    inserted.length === 0 ? [] : table(columns('Inserted by the runtime'), rows(inserted), 2, width),
    gone.length === 0
      ? []
      : wrap(
          `Not run, because constant or without effect: ${gone.map(([name, { length }]) => `${length} ${name}`).join(', ')}`,
          0,
          2,
          width,
        ),
  ];
}

/** Groups, the slowest first. */
function summed<T extends { readonly timeMs: number }>(
  items: readonly T[],
  key: (item: T) => string,
): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups].sort(([, a], [, b]) => total(b) - total(a) || b.length - a.length);
}

const total = (items: readonly { readonly timeMs: number }[]): number =>
  items.reduce((sum, { timeMs }) => sum + timeMs, 0);

function timeCells(timeMs: number, all: number): [string, string, string] {
  return [ms(timeMs), percent(timeMs / all), bar(timeMs / all, BAR)];
}

function rate(group: readonly ProfiledNode[]): string {
  if (group.some(({ flops }) => flops === null)) return '';
  const flops = group.reduce((sum, node) => sum + node.flops!, 0);
  return formatCount(Math.round(flops / (total(group) / 1000)));
}

const more = (count: number): string[] => (count > LISTED ? [`  … ${count - LISTED} more`] : []);
