// A model in float64, for scores that leave the range of float32.
import type { Model } from '../../graph/graph.js';
import { inFloat64Parts } from '../../ops/float64.js';
import { rewriteNodes } from '../../transform/rewrite.js';
import { widened } from '../../transform/wider-floats.js';

/** The same network in float64. */
export function inFloat64(model: Model): Model {
  return rewriteNodes(widened(model, 'float64'), inFloat64Parts);
}
