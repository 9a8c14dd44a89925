// Comparisons of networks for people.
import type { Counts } from '../../analysis/cost.js';
import type { InferredNode } from '../../analysis/infer.js';
import type { ComparedPair, SettledCosts } from '../../app/compare.js';
import { nodeLabel, operatorName } from '../../graph/graph.js';
import { formatType } from '../../graph/types.js';
import type { Comparison, Verdict } from '../../networks/comparison/compare.js';
import { AuspexError } from '../../util/errors.js';
import { printable } from '../../util/printable.js';
import { formatBytes, formatCount, isLong, table, terminalWidth, wrap } from './format.js';

/** Nodes and weights beyond this many are counted, not listed. */
const LISTED = 12;

export function comparisonText(
  { a, b, result, settled }: ComparedPair,
  { tolerance }: { tolerance: number },
): string {
  const comparison = result as Comparison;
  const sections = [
    [`a  ${a}`, `b  ${b}`],
    wrap(sentence(comparison, tolerance), 0),
    costs(comparison, settled),
    nodes(comparison),
    weights(comparison),
    outputs(comparison),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(printable).join('\n'))
    .join('\n\n');
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  identical: 'The same network: equal nodes, edges and weights.',
  'same up to folding': 'The same network up to folding: equal after simplification',
  'same function': 'Different networks that compute the same function',
  'same structure': 'The same structure with different weights.',
  different: 'Different networks.',
};

function sentence({ verdict, outputs: run }: Comparison, tolerance: number): string {
  const text = VERDICTS[verdict];
  if (text.endsWith('.') || run?.status !== 'run') return text;
  return `${text}; outputs agree to ${small(tolerance)} on ${run.samples} random inputs.`;
}

function costs({ costs: given, nodes: counted }: Comparison, settled: SettledCosts | undefined): string[] {
  const at = isLong(given.a) || isLong(given.b) ? settled : undefined;
  const { a, b } = at ?? given;
  const rows: [string, string, string, string][] = [
    ['Nodes', String(counted.a), String(counted.b), change(counted.a, counted.b)],
    ...(['parameters', 'macs', 'flops'] as const).map((key): [string, string, string, string] => [
      TITLES[key],
      formatCount(a[key]),
      formatCount(b[key]),
      change(a[key], b[key]),
    ]),
    ...(['weightBytes', 'activationBytes'] as const).map((key): [string, string, string, string] => [
      TITLES[key],
      formatBytes(a[key]),
      formatBytes(b[key]),
      change(a[key], b[key]),
    ]),
  ];
  const columns = [
    { title: '' },
    { title: 'a', align: 'right' },
    { title: 'b', align: 'right' },
    { title: 'b - a', align: 'right' },
  ] as const;
  const chosen = at ? wrap(`Counts at ${at.flags}, chosen for sizes that the files leave open:`, 0) : [];
  return [...chosen, ...table(columns, rows, 0, terminalWidth())];
}

const TITLES = {
  parameters: 'Parameters',
  macs: 'MACs',
  flops: 'FLOPs',
  weightBytes: 'Weights',
  activationBytes: 'Activations',
} as const;

function change(a: Counts['macs'], b: Counts['macs'], format = formatCount): string {
  if (typeof a !== 'number' || typeof b !== 'number') return String(a) === String(b) ? '=' : '';
  if (a === b) return '=';
  const share = a === 0 ? '' : ` (${b > a ? '+' : ''}${(((b - a) / a) * 100).toFixed(1)}%)`;
  return `${b > a ? '+' : '-'}${format(Math.abs(b - a))}${share}`;
}

function nodes({ match: { added, removed, pairs } }: Comparison): string[] {
  const changed = pairs.filter(({ differences }) => differences.length > 0);
  const lines = [
    ...listedNodes('-', removed),
    ...listedNodes('+', added),
    ...listed(changed, (pair) => [
      `~ ${named(pair.a)}`,
      ...pair.differences.flatMap((text) => wrap(text, 6)),
    ]),
  ];
  const equal = pairs.length - changed.length;
  const title = `${equal} equal nodes, ${removed.length} removed, ${added.length} added, ${changed.length} changed`;
  return lines.length === 0 ? [] : [title, ...lines];
}

/** Nodes one by one, or how many of each operator where there are many. */
function listedNodes(sign: string, nodes: readonly InferredNode[]): string[] {
  if (nodes.length <= LISTED) return listed(nodes, (node) => [`${sign} ${named(node)}`]);
  const counts = new Map<string, number>();
  for (const { node } of nodes) counts.set(operatorName(node), (counts.get(operatorName(node)) ?? 0) + 1);
  const sorted = [...counts].sort(([, x], [, y]) => y - x);
  return listed(sorted, ([operator, count]) => [`${sign} ${count} x ${operator}`]);
}

function listed<T>(items: readonly T[], lines: (item: T) => string[]): string[] {
  const more = items.length > LISTED ? [`  … ${items.length - LISTED} more`] : [];
  return [...items.slice(0, LISTED).flatMap((item) => lines(item).map((line) => `  ${line}`)), ...more];
}

function named({ node, call }: InferredNode): string {
  return `${operatorName(node)}  ${nodeLabel(node)}  ${formatType(call.outputs[0])}`;
}

function weights({ weights: found }: Comparison): string[] {
  const { compared, equal, absent, different } = found;
  if (compared === 0) return [];
  const missing = absent > 0 ? `, ${absent} without data` : '';
  return [
    `${equal} of ${compared} matched weights are equal${missing}`,
    ...listed(different, (one) => [
      `${one.name} [${one.dims.join(',')}]  largest ${small(one.absolute)}, relative ${small(one.relative)}`,
    ]),
  ];
}

function outputs({ outputs: run }: Comparison): string[] {
  if (run === undefined) return [];
  if (run.status === 'not run') return wrap(`Outputs were not compared: ${run.reason}`, 0);
  return [
    `Outputs on ${run.samples} random inputs (seed ${run.seed})`,
    ...listed(run.outputs, ({ name, absolute, relative }) => [
      `${name}  largest difference ${small(absolute)}, relative ${small(relative)}`,
    ]),
  ];
}

function small(x: number): string {
  return x === 0 ? '0' : Number.isFinite(x) ? x.toExponential(1).replace('.0e', 'e') : 'infinite';
}

/** Many pairs, a line each. */
export function comparisonTable(pairs: readonly ComparedPair[]): string {
  const rows = pairs.flatMap(({ a, result }) => {
    if (result instanceof AuspexError) return [];
    const { verdict, match, outputs: run } = result;
    const worst =
      run?.status === 'run' ? Math.max(0, ...run.outputs.map(({ relative }) => relative)) : undefined;
    const changed = match.pairs.filter(({ differences }) => differences.length > 0).length;
    const counts = [match.removed.length, match.added.length, changed].map(String);
    return [[a, verdict, ...counts, worst === undefined ? '' : small(worst)]];
  });
  return table(
    [
      { title: 'Network', flexible: 'middle' },
      { title: 'Verdict' },
      { title: 'Removed', align: 'right' },
      { title: 'Added', align: 'right' },
      { title: 'Changed', align: 'right' },
      { title: 'Outputs', align: 'right' },
    ],
    rows,
    0,
    terminalWidth(),
  ).join('\n');
}
