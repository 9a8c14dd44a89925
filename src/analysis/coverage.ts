// What auspex did not understand of a network, and what the user could fix.
import { type Dim, leavesOf, namesIn as namesInside, symbol, symbolsIn } from '../graph/dim.js';
import { nodeLabel, operatorName } from '../graph/graph.js';
import { formatType, isTensor, type ValueType } from '../graph/types.js';
import type { CostReport } from './cost.js';
import type { Inference, InferredGraph } from './infer.js';

export interface Coverage {
  /** Nodes in the graph and in everything it runs. */
  readonly nodes: number;
  /** Nodes whose operator is known. */
  readonly understood: number;
  readonly unknownOperators: readonly { operator: string; count: number; nodes: readonly string[] }[];
  /** Nodes that could not be counted fully because a size is not known. */
  readonly incomplete: readonly { node: string; operator: string; reason: string }[];
  /** Loops counted for one iteration because the number of iterations is not known. */
  readonly perIteration: readonly string[];
  /** Sizes that are not fixed, with the inputs that have them. */
  readonly symbols: readonly { symbol: string; inputs: readonly string[] }[];
  /** Sizes in the totals that only a run tells: no input has them. */
  readonly dataSizes: readonly DataSize[];
}

export interface DataSize {
  readonly symbol: string;
  /** The first value that has it, and the node that computes it. */
  readonly value: string;
  readonly node: string;
  readonly operator: string;
  /** Whether the file declares it, so that `--dim` can give it. */
  readonly isDeclared: boolean;
}

/** How many nodes of an unknown operator are named. */
const NAMED_NODES = 3;

export function coverage(inference: Inference, report: CostReport): Coverage {
  const unknown = new Map<string, string[]>();
  let nodes = 0;
  let understood = 0;
  const visit = (graph: InferredGraph): void => {
    graph.nodes.forEach(({ node, operator, isFunction, call }, index) => {
      nodes++;
      if (operator || isFunction) understood++;
      else {
        const name = operatorName(node);
        const labels = unknown.get(name);
        if (labels) labels.push(nodeLabel(node, index));
        else unknown.set(name, [nodeLabel(node, index)]);
      }
      for (const body of call.bodies) visit(body.graph as InferredGraph);
    });
  };
  visit(inference.graph);
  return {
    nodes,
    understood,
    unknownOperators: [...unknown]
      .map(([operator, names]) => ({ operator, count: names.length, nodes: names.slice(0, NAMED_NODES) }))
      .sort((a, b) => b.count - a.count),
    incomplete: report.nodes
      .filter((n) => n.counted && !n.complete)
      .map((n) => ({
        node: n.name,
        operator: n.operator,
        reason: n.inferred.operator
          ? `unknown shape: ${n.outputs.map(formatType).join(', ')}`
          : 'unknown operator',
      })),
    perIteration: [...new Set(report.nodes.filter((n) => n.perIteration).map((n) => loopOf(n.name)))],
    symbols: symbolsOf(inference.graph),
    dataSizes: dataSizesOf(inference, report),
  };
}

function dataSizesOf({ graph, model }: Inference, { totals }: CostReport): DataSize[] {
  const { macs, flops, activationBytes, memoryAccessBytes } = totals;
  const wanted = new Set([macs, flops, activationBytes, memoryAccessBytes].flatMap((d) => [...leavesOf(d)]));
  for (const name of graph.inputNames) {
    for (const size of shapeOf(graph.types.get(name))) for (const leaf of leavesOf(size)) wanted.delete(leaf);
  }
  if (wanted.size === 0) return [];
  const declared = new Set(
    [...model.graph.valueInfo.values(), ...model.graph.outputs].flatMap(({ type }) =>
      shapeOf(type).map(String),
    ),
  );
  const found: DataSize[] = [];
  graph.nodes.forEach(({ node, call }, index) => {
    call.outputs.forEach((type, i) => {
      for (const symbol of shapeOf(type).flatMap((size) => [...leavesOf(size)])) {
        if (!wanted.delete(symbol)) continue;
        const value = node.outputs[i] ?? '';
        const isDeclared = declared.has(symbol);
        found.push({
          symbol,
          value,
          node: nodeLabel(node, index),
          operator: operatorName(node),
          isDeclared,
        });
      }
    });
  });
  return found;
}

function shapeOf(type: ValueType | undefined): readonly Dim[] {
  return (isTensor(type) && type.shape) || [];
}

/** The outermost loop a node's path names. */
function loopOf(path: string): string {
  return path.match(/^.*?\.body(?=\/)/)?.[0].replace(/\.body$/, '') ?? path;
}

/** The named sizes of the inputs: what `--dim` or `--shape` can fix. */
function symbolsOf(graph: InferredGraph): Coverage['symbols'] {
  const found = new Map<string, Set<string>>();
  for (const name of graph.inputNames) {
    for (const symbol of namesIn(graph.types.get(name))) {
      found.set(symbol, (found.get(symbol) ?? new Set()).add(name));
    }
  }
  return [...found].map(([symbol, inputs]) => ({ symbol, inputs: [...inputs] }));
}

function namesIn(type: ValueType | undefined): string[] {
  if (!isTensor(type) || type.shape === undefined) return [];
  return type.shape.flatMap((size) =>
    // Only names can be fixed: of `floor((h-1)/2)` it is `h`.
    symbolsIn(size).flatMap((text) =>
      /^(floor|ceil|min|max)\(/.test(text) ? namesInside(symbol(text)) : [text],
    ),
  );
}
