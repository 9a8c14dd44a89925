// An inspection for people.
import type { Block } from '../../analysis/blocks.js';
import type { Counts } from '../../analysis/cost.js';
import {
  type Inspection,
  magnitude,
  type OperatorCounts,
  type SortKey,
  sortByCount,
} from '../../analysis/inspect.js';
import type { Inspected, InspectedNetwork } from '../../app/inspect.js';
import type { Model } from '../../graph/graph.js';
import { formatType } from '../../graph/types.js';
import { printable } from '../../util/printable.js';
import {
  bar,
  type Column,
  DEPENDS,
  fit,
  formatBytes,
  formatCount,
  formatExact,
  isLong,
  MAX_SHORT,
  percent,
  table,
  terminalWidth,
  wrap,
} from './format.js';
import { sizeFlags } from './size-flags.js';

interface TextOptions {
  readonly file: string;
  readonly sort?: SortKey | undefined;
  readonly nodes: boolean;
  readonly tree: boolean;
}

const BAR_WIDTH = 10;

/** Inputs or outputs beyond this many are counted, not listed. */
const LISTED_VALUES = 8;

export function inspectionText(inspected: Inspected, { file, sort, nodes, tree }: TextOptions): string {
  const { model, inspection } = inspected;
  // Expressions that are too long to read are shown as numbers, at sizes that make sense.
  const settled = isLong(inspection.cost.totals) ? inspected.settled : undefined;
  const shown = settled?.inspection ?? inspection;
  const sections = [
    header(model, inspection, file),
    settled
      ? wrap(`Counts at ${settled.chosen.flags}, chosen for sizes that the file leaves open:`, 2)
      : undefined,
    totals(shown),
    nodes ? nodeTable(shown, sort) : undefined,
    tree ? treeTable(shown, sort) : undefined,
    nodes || tree ? undefined : operatorTable(shown, sort ?? 'macs'),
    notes(inspection, shown.cost),
  ];
  return sections
    .filter((s) => s !== undefined && s.length > 0)
    .map((s) => s!.map(printable).join('\n'))
    .join('\n\n');
}

function header(model: Model, { inference, coverage, hash }: Inspection, file: string): string[] {
  const { graph } = inference;
  const producer = [model.producerName, model.producerVersion].filter(Boolean).join(' ');
  const opsets = [...model.opsetImports].map(([domain, version]) => `${domain || 'opset'} ${version}`);
  const facts = [producer, `IR ${model.irVersion}`, ...opsets, `${coverage.nodes} nodes`].filter(Boolean);
  const values = (
    label: string,
    names: readonly string[],
    typeOf: (name: string, i: number) => string,
  ): string[] => [
    ...names.slice(0, LISTED_VALUES).flatMap((name, i) => {
      const type = typeOf(name, i);
      const start = `  ${label.padEnd(8)}${fit(name, terminalWidth() - 10, 'middle')}`;
      const isShort = start.length + 2 + type.length <= Math.min(terminalWidth(), 120);
      return isShort ? [`${start}  ${type}`] : [start, `          ${fit(type, terminalWidth() - 10)}`];
    }),
    ...(names.length > LISTED_VALUES ? [`  ${label.padEnd(8)}… ${names.length - LISTED_VALUES} more`] : []),
  ];
  return [
    fit(file, terminalWidth(), 'middle'),
    ...wrap(`model   ${facts.join(', ')}`, 2, 10),
    ...values('input', graph.inputNames, (name) => formatType(graph.types.get(name))),
    ...values('output', graph.outputNames, (_, i) => formatType(graph.outputTypes[i])),
    `  hash    ${hash}`,
  ];
}

function totals({ cost }: Inspection): string[] {
  const t = cost.totals;
  const rows: [label: string, short: string, note: string][] = [
    [
      'Parameters',
      formatCount(t.parameters),
      typeof t.parameters === 'number' ? formatExact(t.parameters) : '',
    ],
    ['Weights', formatBytes(t.weightBytes), 'all constants as stored'],
    ['MACs', formatCount(t.macs), 'multiply-accumulates'],
    ['FLOPs', formatCount(t.flops), '2 x MACs + all other arithmetic'],
    ['Activations', formatBytes(t.activationBytes), 'sum over all nodes'],
    ['  at peak', formatBytes(t.peakActivationBytes), 'largest sum alive at once'],
    ['Memory access', formatBytes(t.memoryAccessBytes), 'inputs read, outputs written once'],
  ];
  if (t.arithmeticIntensity !== undefined) {
    rows.push(['Intensity', t.arithmeticIntensity.toFixed(1), 'FLOPs per byte of memory access']);
  }
  const isShort = (text: string): boolean => text.length <= MAX_SHORT;
  const width = Math.max(...rows.map(([, short]) => (isShort(short) ? short.length : 0)));
  return rows.flatMap(([label, short, note]) =>
    isShort(short)
      ? [`  ${label.padEnd(14)}${short.padStart(width)}   ${note}`.trimEnd()]
      : // A long expression gets the lines for itself.
        [`  ${label}`, ...cutAfter(wrap(short, 6), LONGEST_FORMULA)],
  );
}

/** Lines of a total; the JSON document has it whole. */
const LONGEST_FORMULA = 4;

function cutAfter(lines: readonly string[], most: number): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), '      …'];
}

function shareOf(key: SortKey, item: Counts): number {
  return magnitude(key === 'memory' ? item.memoryAccessBytes : item[key]);
}

function shares<T extends Counts>(items: readonly T[], key: SortKey): (item: T) => string[] {
  const total = items.reduce((sum, item) => sum + shareOf(key, item), 0);
  return (item) => {
    const share = shareOf(key, item) / total;
    return [bar(share, BAR_WIDTH), share > 0 ? percent(share) : ''];
  };
}

const BAR_TITLES: Record<SortKey, string> = {
  macs: 'of MACs',
  parameters: 'of parameters',
  memory: 'of memory',
};

function operatorTable({ operators }: Inspection, key: SortKey): string[] {
  const sorted = sortByCount(operators, key);
  const share = shares(sorted, key);
  // Expressions need room: with symbolic sizes FLOPs give way, which follow MACs closely.
  const isSymbolic = sorted.some((kind) => typeof kind.flops !== 'number');
  const columns: [Column, (kind: OperatorCounts) => string][] = [
    [{ title: 'Operator', flexible: 'middle' }, (kind) => kind.operator],
    [{ title: 'Nodes', align: 'right' }, (kind) => String(kind.nodes)],
    [{ title: 'Params', align: 'right' }, (kind) => blankZero(formatCount(kind.parameters))],
    [{ title: 'MACs', align: 'right', most: 12 }, (kind) => blankZero(formatCount(kind.macs))],
    [{ title: 'FLOPs', align: 'right', most: 12 }, (kind) => blankZero(formatCount(kind.flops))],
    [
      { title: 'Memory', align: 'right', most: 12, isOptional: true },
      (kind) => blankZero(formatBytes(kind.memoryAccessBytes)),
    ],
    [{ title: BAR_TITLES[key], isOptional: true }, (kind) => share(kind)[0]!],
    [{ title: '', align: 'right' }, (kind) => share(kind)[1]!],
  ];
  const shown = columns.filter(([{ title }]) => !isSymbolic || title !== 'FLOPs');
  return table(
    shown.map(([column]) => column),
    sorted.map((kind) => shown.map(([, text]) => text(kind))),
  );
}

/** In tables, longer formulas only say that they are one. */
const LONGEST_CELL = 60;

/** Counts that are zero say more by being absent. */
function blankZero(text: string): string {
  if (text.length > LONGEST_CELL) return DEPENDS;
  return text === '0' || text === '0 B' ? '' : text;
}

function nodeTable({ cost }: Inspection, key: SortKey | undefined): string[] {
  const counted = cost.nodes.filter((n) => n.counted);
  const nodes = key ? sortByCount(counted, key) : counted;
  return table(
    [
      { title: 'Node', flexible: 'middle' },
      { title: 'Operator', most: 14 },
      { title: 'Output', most: 18, isOptional: true },
      { title: 'Params', align: 'right' },
      { title: 'MACs', align: 'right', most: 12 },
      { title: key === 'memory' ? 'Memory' : 'FLOPs', align: 'right', most: 12, isOptional: true },
    ],
    nodes.map((n) => [
      n.name,
      n.operator,
      n.outputs[0] ? formatType(n.outputs[0]).replace(/^float32/, '') : '',
      blankZero(formatCount(n.parameters)),
      blankZero(formatCount(n.macs)),
      blankZero(key === 'memory' ? formatBytes(n.memoryAccessBytes) : formatCount(n.flops)),
    ]),
  );
}

function treeTable({ tree }: Inspection, key: SortKey | undefined): string[] {
  const barKey = key ?? 'macs';
  const total = shareOf(barKey, tree);
  const rows: string[][] = [];
  const visit = (block: Block, depth: number): void => {
    const share = shareOf(barKey, block) / total;
    rows.push([
      `${'  '.repeat(depth)}${block.name}`,
      String(block.nodes),
      blankZero(formatCount(block.parameters)),
      blankZero(formatCount(block.macs)),
      blankZero(formatBytes(block.memoryAccessBytes)),
      bar(share, BAR_WIDTH),
      share > 0 ? percent(share) : '',
    ]);
    const children = key ? sortByCount(block.children, key) : block.children;
    for (const child of children) visit(child, depth + 1);
  };
  visit(tree, 0);
  return table(
    [
      { title: 'Block', flexible: 'middle' },
      { title: 'Nodes', align: 'right' },
      { title: 'Params', align: 'right' },
      { title: 'MACs', align: 'right', most: 12 },
      { title: 'Memory', align: 'right', most: 12, isOptional: true },
      { title: BAR_TITLES[barKey], isOptional: true },
      { title: '', align: 'right' },
    ],
    rows,
  );
}

/** Several networks, a line each: what they cost. */
export function sideBySide(networks: readonly InspectedNetwork[], sort?: SortKey): string {
  const known = networks.flatMap(({ name, result }) =>
    'code' in result ? [] : [{ name, ...result.inspection }],
  );
  const sorted = sort
    ? [...known].sort((a, b) => shareOf(sort, b.cost.totals) - shareOf(sort, a.cost.totals))
    : known;
  return table(
    [
      { title: 'Network', flexible: 'middle' },
      { title: 'Nodes', align: 'right' },
      { title: 'Params', align: 'right' },
      { title: 'MACs', align: 'right', most: 12 },
      { title: 'FLOPs', align: 'right', most: 12, isOptional: true },
      { title: 'Weights', align: 'right' },
      { title: 'Peak', align: 'right', most: 12, isOptional: true },
    ],
    sorted.map(({ name, coverage, cost: { totals } }) => [
      name,
      String(coverage.nodes),
      formatCount(totals.parameters),
      formatCount(totals.macs),
      formatCount(totals.flops),
      formatBytes(totals.weightBytes),
      formatBytes(totals.peakActivationBytes),
    ]),
    0,
  ).join('\n');
}

/** Sizes beyond this many are counted, not listed. */
const LISTED_SIZES = 4;

function dataSizesNote(sizes: Inspection['coverage']['dataSizes']): string {
  const named = sizes.slice(0, LISTED_SIZES).map(({ symbol, value, operator }) => {
    const where = symbol.startsWith(`${value}[`) ? operator : `'${value}', ${operator}`;
    return `${symbol} (${where})`;
  });
  const more = sizes.length > LISTED_SIZES ? ` and ${sizes.length - LISTED_SIZES} more` : '';
  const [declared] = sizes.filter(({ isDeclared }) => isDeclared);
  const hint = declared ? `. Assume a value, for example with --dim ${declared.symbol}=100` : '';
  return `sizes that depend on the data: ${named.join(', ')}${more}${hint}`;
}

/** What was not understood, and what to do about it. */
function notes({ coverage, inference }: Inspection, cost: Inspection['cost']): string[] {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(...wrap(`! ${text}`, 2, 4));
  for (const { operator, count, nodes } of coverage.unknownOperators) {
    note(
      `unknown operator ${operator} (${count} ${count === 1 ? 'node' : 'nodes'}: ${nodes.join(', ')}${count > nodes.length ? ', …' : ''}): not counted`,
    );
  }
  const missing = coverage.incomplete.filter((n) => n.reason !== 'unknown operator');
  if (missing.length > 0) {
    const named = missing.slice(0, 3).map((n) => `'${n.node}' (${n.operator})`);
    note(
      `${missing.length} nodes have unknown shapes and are not fully counted: ${named.join(', ')}${missing.length > 3 ? ', …' : ''}`,
    );
  }
  const [loop, ...others] = coverage.perIteration;
  if (loop !== undefined) {
    const more =
      others.length === 0 ? '' : ` and ${others.length} more ${others.length === 1 ? 'loop' : 'loops'}`;
    note(`the number of iterations of '${loop}'${more} is unknown: counted for one iteration`);
  }
  if (coverage.symbols.length > 0) {
    const names = coverage.symbols.map((s) => `${s.symbol} (input '${s.inputs[0]}')`);
    note(`sizes that are not fixed: ${names.join(', ')}. Fix them, for example with ${sizeFlags(inference)}`);
  }
  if (coverage.dataSizes.length > 0) note(dataSizesNote(coverage.dataSizes));
  if (cost.totals.peakActivationBytes === undefined)
    note('the peak of activations depends on sizes that are not fixed');
  return lines;
}
