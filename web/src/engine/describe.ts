// A network as the page shows it: the table of nodes, the tree that is drawn, totals, sizes, memory over time.
import { blockPath } from '../../../src/analysis/blocks.js';
import { type CostReport, type Counts, type NodeCost, sumCounts } from '../../../src/analysis/cost.js';
import { coverage } from '../../../src/analysis/coverage.js';
import type { Inference } from '../../../src/analysis/infer.js';
import { liveActivationBytes } from '../../../src/analysis/liveness.js';
import { type Dim, isKnown } from '../../../src/graph/dim.js';
import { formatType } from '../../../src/graph/types.js';
import type { Network } from '../../../src/networks/index.js';
import { printableStart } from '../../../src/util/printable.js';
import { asRead } from './as-read.js';
import { inRows, knobsOf, rowsIn } from './knobs.js';
import {
  COUNT_NAMES,
  type CountColumns,
  type CountName,
  type Described,
  type Knob,
  type NodeTable,
  type Problem,
  type Resized,
  type Timeline,
  type Totals,
} from './protocol.js';
import { treeOf } from './tree.js';

const NAME_LENGTH = 200;

/** @param network as it was opened, with open sizes */
export function describe(id: number, name: string, network: Network): Described {
  const knobs = knobsOf(network);
  const settled = network.settled();
  const { model, graph } = settled.inference();
  const report = settled.cost();
  return {
    id,
    name: printableStart(name, NAME_LENGTH),
    facts: factsOf(model),
    inputs: graph.inputNames
      .filter((input) => !graph.initializers.has(input))
      .map((input) => [printableStart(input, NAME_LENGTH), formatType(graph.types.get(input))]),
    outputs: graph.outputNames.map((output, i) => [
      printableStart(output, NAME_LENGTH),
      formatType(graph.outputTypes[i]),
    ]),
    nodes: tableOf(report),
    tree: treeOf(graph, report.nodes),
    totals: totalsOf(report),
    symbolic: symbolicTotals(network),
    knobs,
    timeline: timelineOf(settled.inference(), report),
    notes: notesOf(network, settled, report, knobs),
  };
}

/** Counts of the same network at other sizes, in the rows of the one that was opened. */
export function resized(network: Network, opened: Network): Resized {
  const report = network.cost();
  const { counts, outputs } = tableOf(report);
  const rows = rowsIn(network, opened);
  const timeline = timelineOf(network.inference(), report);
  return {
    counts: Object.fromEntries(
      COUNT_NAMES.map((name) => [name, inRows(counts[name], rows)]),
    ) as unknown as CountColumns,
    outputs: rows === undefined ? outputs : Array.from(rows, (row) => outputs[row] ?? ''),
    totals: totalsOf(report),
    timeline: timeline && { ...timeline, rows: originalRows(timeline.rows, rows) },
  };
}

/** Rows of a resized network as rows of the one that was opened. */
function originalRows(of: Int32Array, rows: Int32Array | undefined): Int32Array {
  if (rows === undefined) return of;
  const back = new Map([...rows].map((row, original) => [row, original]));
  return of.map((row) => (row < 0 ? -1 : (back.get(row) ?? -1)));
}

function tableOf({ nodes }: CostReport): NodeTable {
  return {
    names: nodes.map(({ name }) => printableStart(name, NAME_LENGTH)),
    operators: nodes.map(({ operator }) => printableStart(operator, NAME_LENGTH)),
    outputs: nodes.map(({ outputs }) => printableStart(outputs.map(formatType).join(', '), NAME_LENGTH)),
    blocks: nodes.map((node) => printableStart(blockPath(node).join('/'), NAME_LENGTH)),
    counts: columnsOf(nodes),
    isCounted: nodes.map(({ counted }) => counted),
  };
}

function columnsOf(nodes: readonly NodeCost[]): CountColumns {
  const column = (name: CountName): Float64Array =>
    Float64Array.from(nodes, (node) => (node.counted ? numberOf(node[name]) : 0));
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, column(name)])) as unknown as CountColumns;
}

/** NaN for what still depends on a size. */
function numberOf(count: Dim): number {
  return isKnown(count) ? count : Number.NaN;
}

function totalsOf({ totals, nodes }: CostReport): Totals {
  const known = sumCounts(nodes.filter(({ counted }) => counted));
  const numbers = Object.fromEntries(
    COUNT_NAMES.map((name) => [
      name,
      numberOf(name === 'parameters' || name === 'weightBytes' ? totals[name] : known[name]),
    ]),
  ) as Record<CountName, number>;
  const { peakActivationBytes: peak } = totals;
  return { ...numbers, peakActivationBytes: isKnown(peak) ? peak : undefined };
}

function symbolicTotals(network: Network): Partial<Record<CountName, string>> {
  try {
    const { totals } = network.cost();
    const symbolic: Partial<Record<CountName, string>> = {};
    for (const name of COUNT_NAMES) {
      const count: Counts[CountName] = totals[name];
      if (!isKnown(count)) symbolic[name] = printableStart(String(count), NAME_LENGTH);
    }
    return symbolic;
  } catch {
    // Some networks can be counted only once all sizes are known.
    return {};
  }
}

function timelineOf({ graph }: Inference, { nodes }: CostReport): Timeline | undefined {
  const bytes = liveActivationBytes(graph);
  if (bytes === undefined) return undefined;
  const rowOf = new Map(nodes.map(({ inferred }, row) => [inferred, row]));
  const rows = Int32Array.from(graph.nodes, (node) => rowOf.get(node) ?? -1);
  return { bytes, rows, peak: bytes.reduce((most, value, i) => (value > bytes[most]! ? i : most), 0) };
}

function factsOf(model: Inference['model']): [string, string][] {
  const facts: [string, string][] = [
    ['Name', model.graph.name],
    ['Producer', [model.producerName, model.producerVersion].filter(Boolean).join(' ')],
    [
      'Opset',
      [...model.opsetImports].map(([domain, version]) => `${domain || 'ai.onnx'} ${version}`).join(', '),
    ],
    ['IR version', String(model.irVersion)],
    ['Description', model.docString],
    ...[...model.metadata].slice(0, 20).map(([key, value]): [string, string] => [key, value]),
  ];
  return facts
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [printableStart(key, 60), printableStart(value, 300)]);
}

/** What a reader of the numbers must know. */
function notesOf(network: Network, settled: Network, report: CostReport, knobs: readonly Knob[]): string[] {
  const notes: string[] = [];
  const found = coverage(settled.inference(), report);
  for (const { operator, count } of found.unknownOperators) {
    notes.push(`${count} × ${operator} is not known; its cost is not counted.`);
  }
  if (found.incomplete.length > 0 && found.unknownOperators.length === 0) {
    notes.push(`${found.incomplete.length} nodes have unknown sizes; totals are lower bounds.`);
  }
  for (const loop of found.perIteration.slice(0, 5)) notes.push(`${loop} is counted for one iteration.`);
  const open = knobs.filter(({ isOpen }) => isOpen);
  if (network !== settled && open.length > 0) {
    notes.push(`Open sizes were chosen: ${open.map(({ name, value }) => `${name} = ${value}`).join(', ')}.`);
  }
  return notes.map((note) => printableStart(note, 300));
}

function unknownCounts(): Record<CountName, number> {
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, Number.NaN])) as Record<CountName, number>;
}

/** A network that is wrong: its nodes as the file has them, and what is wrong. */
export function describeAsRead(
  id: number,
  name: string,
  model: Inference['model'],
  problem: Problem,
): Described {
  const { graph, nodes } = asRead(model);
  const report = {
    nodes,
    constants: [],
    totals: { ...sumCounts([]), peakActivationBytes: undefined, arithmeticIntensity: undefined },
  };
  return {
    id,
    name: printableStart(name, NAME_LENGTH),
    facts: factsOf(model),
    inputs: graph.inputNames.map((input) => [
      printableStart(input, NAME_LENGTH),
      formatType(graph.types.get(input)),
    ]),
    outputs: graph.outputNames.map((output, i) => [
      printableStart(output, NAME_LENGTH),
      formatType(graph.outputTypes[i]),
    ]),
    nodes: tableOf(report),
    tree: treeOf(graph, nodes),
    totals: { ...unknownCounts(), peakActivationBytes: undefined },
    symbolic: {},
    knobs: [],
    timeline: undefined,
    notes: [],
    problem,
  };
}
