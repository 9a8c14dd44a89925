// What auspex did not understand of a network, and what the user could fix.
import { namesIn as namesInside, symbol, symbolsIn } from '../graph/dim.js';
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
  };
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
