// Computation graphs of real exports: of every network in a folder made by verify/exports/export.py the graph is
// drawn and checked; for convolutional networks the MACs that its kernels and sizes amount to must be PyTorch's
// (where there are transposed or three-dimensional convolutions they do not tell them).
//
//   node build/verify/tables/computation-graphs.js FOLDER [REGEX]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inferShapes } from '../../src/analysis/infer.js';
import type { Attribute } from '../../src/graph/graph.js';
import { readModel } from '../../src/onnx/file.js';
import {
  type ComputationGraph,
  computationGraph,
} from '../../src/predictors/views/computation-graph/computation-graph.js';
import { AuspexError } from '../../src/util/errors.js';

interface Entry {
  readonly file: string;
  readonly family: string;
  readonly macs: number;
}

const [folder, pattern = ''] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node build/verify/tables/computation-graphs.js FOLDER [REGEX]');
  process.exit(2);
}
const { networks } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { networks: Entry[] };
const entries = new Map(networks.map((entry) => [entry.file, entry]));
const files = readdirSync(folder).filter((file) => file.endsWith('.onnx') && new RegExp(pattern).test(file));

let failed = 0;
let nodes = 0;
let outside = 0;
let unknown = 0;
let compared = 0;
let equal = 0;
const outsideLabels = new Map<string, number>();
const times: number[] = [];
/** Labels of graphs, by network and the exporter's variant. */
const variants = new Map<string, Map<string, string>>();

for (const file of files) {
  try {
    const inference = inferShapes(readModel(join(folder, file)));
    // Time of the processor, so that others who use it do not count.
    const start = process.cpuUsage();
    const graph = computationGraph(inference);
    times.push(process.cpuUsage(start).user / 1000);
    const problem = problemOf(graph);
    if (problem !== undefined) throw new Error(problem);
    nodes += graph.nodes.length;
    unknown += graph.unknownSizes;
    for (const { op, label } of graph.nodes) {
      if (op !== 0) continue;
      outside++;
      outsideLabels.set(label, (outsideLabels.get(label) ?? 0) + 1);
    }
    const entry = entries.get(file);
    const tellsMacs = !inference.model.graph.nodes.some(
      ({ opType, attributes }) =>
        opType === 'ConvTranspose' || (opType === 'Conv' && isSolid(attributes.get('strides'))),
    );
    if (entry?.family === 'cnn' && graph.unknownSizes === 0 && tellsMacs) {
      compared++;
      const macs = macsOf(graph);
      if (macs === entry.macs) equal++;
      else console.log(`${file}: MACs ${macs}, PyTorch ${entry.macs}`);
    }
    const [name, ...variant] = file.replace(/\.onnx$/, '').split('.') as [string, ...string[]];
    const known = variants.get(name) ?? new Map<string, string>();
    variants.set(name, known.set(variant.join('.'), describe(graph)));
  } catch (error) {
    failed++;
    console.log(`${file}: ${error instanceof AuspexError ? error.describe() : String(error)}`);
  }
}

function isSolid(strides: Attribute | undefined): boolean {
  return strides?.type === 'ints' && strides.value.length === 3;
}

function problemOf({ nodes, edges, weightedCount }: ComputationGraph): string | undefined {
  const order = new Set<number>();
  const before = nodes.map((_, i) => edges.filter(([, to]) => to === i).map(([from]) => from));
  for (let found = true; found; ) {
    found = false;
    before.forEach((parents, i) => {
      if (order.has(i) || !parents.every((p) => order.has(p))) return;
      order.add(i);
      found = true;
    });
  }
  if (order.size !== nodes.length) return 'the graph has a cycle';
  if (nodes.some(({ kind }, i) => (kind === 'weighted') !== i < weightedCount))
    return 'weighted nodes are not first';
  const sources = nodes.filter((_, i) => before[i]!.length === 0);
  if (sources.some(({ label }) => label !== 'Input')) return 'a node without parents is no input';
  const isParent = new Set(edges.map(([from]) => from));
  if (nodes.some(({ label }, i) => !isParent.has(i) && label !== 'Output')) return 'a last node is no output';
  return undefined;
}

function macsOf({ nodes }: ComputationGraph): number {
  return nodes.reduce((sum, node) => {
    if (node.kind !== 'weighted') return sum;
    const [, height, , width] = node.resolution;
    const [channelsIn, channelsOut, k1, k2] = node.shape;
    return sum + channelsIn * channelsOut * Math.max(k1, 1) * Math.max(k2, 1) * height * width;
  }, 0);
}

/** Counts of labels, without what exporters fold away or put in as they like. */
function describe({ nodes: all }: ComputationGraph): string {
  const nodes = all.filter(({ label }) => label !== 'BatchNorm' && label !== 'Identity');
  const counts = new Map<string, number>();
  for (const { label } of nodes) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .sort()
    .map((pair) => pair.join(':'))
    .join(' ');
}

let pairs = 0;
let samePairs = 0;
for (const [name, known] of variants) {
  const [first, ...others] = [...known].filter(([variant]) => variant !== 'fused');
  for (const [variant, text] of others) {
    pairs++;
    if (text === first![1]) samePairs++;
    else console.log(`${name}:\n  ${first![0] || '-'}: ${first![1]}\n  ${variant || '-'}: ${text}`);
  }
}
times.sort((a, b) => a - b);
const total = times.reduce((a, b) => a + b, 0);
console.log(
  `${files.length} networks, ${failed} failed; ${nodes} nodes, ${unknown} with a size that is not known`,
);
console.log(`outside the vocabulary: ${((100 * outside) / nodes).toFixed(1)} %`);
console.log(
  [...outsideLabels]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 40)
    .map((pair) => pair.join(' '))
    .join(', '),
);
console.log(`${equal} of ${compared} convolutional networks have PyTorch's MACs`);
console.log(`${samePairs} of ${pairs} other exports of a network have the same labels as its first one`);
console.log(
  `drawing took ${(total / times.length).toFixed(1)} ms on average, ${times[times.length >> 1]!.toFixed(1)} median, ` +
    `${times.at(-1)!.toFixed(1)} at most`,
);
process.exitCode = failed === 0 ? 0 : 1;
