// A model in float64, for scores that leave the range of float32.
import { inferShapes } from '../../analysis/infer.js';
import type { Model } from '../../graph/graph.js';
import { inFloat64Parts } from '../../ops/float64.js';
import { traitsOf } from '../../ops/index.js';
import { rewriteNodes } from '../../transform/rewrite.js';
import { widened } from '../../transform/wider-floats.js';
import { product, valueSizes } from './value-links.js';

/** The same network in float64. */
export function inFloat64(model: Model): Model {
  return rewriteNodes(widened(model, 'float64'), inFloat64Parts);
}

const BYTES = 8;

/** Of the largest convolution: float64 has no kernel for it, so that what lies under all windows is written down. */
export function windowBytes(model: Model): number {
  const { types } = inferShapes(model).graph;
  let most = 0;
  for (const node of model.graph.nodes) {
    if (traitsOf(node).convolution !== 'plain') continue;
    const [batch = 1, , ...positions] = valueSizes(types, node.outputs[0]!);
    const [, channels = 1] = valueSizes(types, node.inputs[0]!);
    const [, , ...kernel] = valueSizes(types, node.inputs[1]!);
    most = Math.max(most, product([batch, channels, ...positions, ...kernel]) * BYTES);
  }
  return most;
}
