// What the ONNX forms of baselines have in common: one input of features, which the model names.
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import type { Builder, Value } from '../ops/build.js';

export const INPUT = 'features';
export const ML_DOMAIN = 'ai.onnx.ml';

/** Version 3 of ai.onnx.ml is the last whose TreeEnsembleRegressor is not deprecated. */
export const OPSETS: ReadonlyMap<string, number> = new Map([
  ['', 21],
  [ML_DOMAIN, 3],
]);

/** Where a model's metadata have the names of its features, as a JSON list. */
const FEATURES_KEY = 'auspex.features';

/** The model that a builder wrote, its outputs under the names given. */
export function baselineModel(
  name: string,
  features: readonly string[],
  builder: Builder,
  outputs: Readonly<Record<string, Value>>,
): Model {
  const named = Object.entries(outputs).map(([output, { name: from, type }]) => {
    builder.add({
      name: output,
      opType: 'Identity',
      domain: '',
      inputs: [from],
      outputs: [output],
      attributes: new Map(),
    });
    return { name: output, type };
  });
  const graph = makeGraph({
    name,
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs: named,
    initializers: builder.initializers,
  });
  return makeModel(graph, {
    opsetImports: builder.opsets,
    metadata: new Map([[FEATURES_KEY, JSON.stringify(features)]]),
  });
}
