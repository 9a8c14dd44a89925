// What a graph of gradients becomes before it is compiled.
import { inferShapes } from '../../analysis/infer.js';
import type { Model } from '../../graph/graph.js';
import { foldTranspositions, MICROSOFT } from '../../nn/fold.js';
import { Builder } from '../../ops/build.js';
import { poolsAsProducts } from './average-pools.js';
import { compacted } from './fewer-nodes.js';

/** Ready to be compiled: in few nodes and fast ones, transpositions read through by the products behind them. */
export function finished(written: Model): Model {
  const whole = poolsAsProducts(written);
  const builder = new Builder({ opsets: whole.opsetImports, types: inferShapes(whole).graph.types });
  const model = compacted(whole, builder);
  const { graph } = model;
  const kept = new Set(graph.outputs.map((output) => output.name));
  return {
    ...model,
    graph: { ...graph, nodes: foldTranspositions(graph.nodes, (name) => builder.value(name), kept) },
    opsetImports: new Map([...model.opsetImports, [MICROSOFT, 1]]),
  };
}
