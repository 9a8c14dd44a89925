// What a graph of gradients becomes before it is compiled.
import { noteTypes } from '../../analysis/builder-types.js';
import { inferShapes } from '../../analysis/infer.js';
import type { GradientOptions } from '../../autodiff/gradients.js';
import { isDefaultDomain, type Model } from '../../graph/graph.js';
import { addInBlocks } from '../../nn/blocks.js';
import { foldTranspositions, MICROSOFT } from '../../nn/fold.js';
import { Builder } from '../../ops/build.js';
import { poolsAsProducts } from './average-pools.js';
import { compacted } from './fewer-nodes.js';

/** How a graph is written: see `gradients`. */
export type WritingOptions = Pick<GradientOptions, 'runsOnce' | 'channelBlock'>;

/**
 * Ready to be compiled: in few nodes and fast ones, transpositions read through by the products behind them.
 */
export function finished(written: Model, { runsOnce, channelBlock }: WritingOptions = {}): Model {
  const whole = poolsAsProducts(written);
  const { types } = inferShapes(whole).graph;
  const builder = new Builder({
    opsets: whole.opsetImports,
    types,
    runsOnce: runsOnce ?? false,
    channelBlock,
  });
  addInBlocks(builder, whole.graph.nodes);
  const model = compacted({ ...whole, graph: { ...whole.graph, nodes: builder.nodes } }, builder);
  const { graph } = model;
  const domains = new Set(graph.nodes.map(({ domain }) => domain).filter((name) => !isDefaultDomain(name)));
  const others = [...domains]
    .filter((name) => !model.opsetImports.has(name))
    .map((name) => [name, 1] as const);
  const kept = new Set(graph.outputs.map((output) => output.name));
  const ready = {
    ...model,
    graph: { ...graph, nodes: foldTranspositions(graph.nodes, (name) => builder.value(name), kept) },
    opsetImports: new Map([...model.opsetImports, ...others, [MICROSOFT, 1]]),
  };
  return noteTypes(ready, builder.types);
}
