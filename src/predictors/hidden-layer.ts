// Embeddings from predictors that only predict: what enters their last dense layer, of all members side by side.
import { inferShapes } from '../analysis/infer.js';
import { type Model, makeGraph, type Node } from '../graph/graph.js';
import { entryModel, outputOf } from './entries.js';
import { OnnxPredictor } from './onnx-predictor.js';
import type { Predictor } from './predictor.js';

const LATENT = outputOf({ gives: 'latent' });

/** A predictor that embeds: the given one, or its last hidden layer. Undefined where it has none, as a forest. */
export function embeddingOf(predictor: Predictor): Predictor | undefined {
  if (predictor.embed) return predictor;
  const { info } = predictor;
  const values = info.entries.find(({ gives, name }) => gives === 'values' && name === undefined);
  const model = values && hiddenLayer(predictor.model, info.labels.length);
  if (model === undefined) return undefined;
  return OnnxPredictor.of(model, { ...info, labels: [], entries: [{ ...values!, gives: 'latent' }] });
}

/** The model up to its last hidden layer; undefined where a member has no dense layer with an output for each label. */
function hiddenLayer(model: Model, labels: number): Model | undefined {
  const { graph } = model;
  const last = new Map<string, Node>();
  for (const node of graph.nodes) {
    for (const input of node.inputs) {
      const [, member] = /^member\.(\d+)\./.exec(input) ?? [];
      const dims = graph.initializers.get(input)?.dims;
      if (member !== undefined && dims?.length === 2) last.set(member, node);
    }
  }
  const hidden: string[] = [];
  for (const { inputs } of last.values()) {
    const weight = inputs.find((name) => graph.initializers.has(name))!;
    const data = inputs.find((name) => !graph.initializers.has(name));
    if (data === undefined || graph.initializers.get(weight)!.dims[1] !== labels) return undefined;
    hidden.push(data);
  }
  if (hidden.length === 0) return undefined;
  const joined: Node = {
    name: LATENT,
    opType: hidden.length === 1 ? 'Identity' : 'Concat',
    domain: '',
    inputs: hidden,
    outputs: [LATENT],
    attributes: hidden.length === 1 ? new Map() : new Map([['axis', { type: 'int', value: 1 }]]),
  };
  const extended = { ...model, graph: { ...graph, nodes: [...graph.nodes, joined] } };
  const type = inferShapes(extended).graph.types.get(LATENT)!;
  const outputs = [...graph.outputs, { name: LATENT, type }];
  return entryModel({ ...model, graph: makeGraph({ ...extended.graph, outputs }) }, [LATENT]);
}
