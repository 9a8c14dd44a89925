// Sub-graphs of vectors (…, d) → (…, d'), such as the tokens of a transformer: what stands in the place of any sequence
// of products with these sizes, attention included.
import { isKnown, sameDim } from '../../../graph/dim.js';
import { traitsOf } from '../../../ops/index.js';
import { styleOf } from '../style.js';
import { weightLayers } from './layers.js';
import type { Part, Rule } from './rule.js';

/** How many times the vectors' length a hidden layer has; none for one layer only. */
const HIDDEN: Readonly<Record<string, number | undefined>> = { linear: undefined, mlp1: 1, mlp2: 2, mlp4: 4 };

/** The first opset with a node for layer normalisation. */
const LAYER_NORM_OPSET = 17;

export const tokenLayers: Rule = {
  name: 'token layers',
  summary:
    'replaces a sequence of products, attention included, by one linear layer or a perceptron for the same sizes',
  notation: Object.keys(HIDDEN),
  options: (part) => {
    if (!isOfVectors(part) || part.nodes.some((node) => traitsOf(node).convolution !== undefined)) return [];
    const layers = weightLayers(part).length;
    const all = part.nodes.filter((node) => traitsOf(node).product ?? traitsOf(node).attention).length;
    const isLinear = all === 1 && !part.nodes.some((node) => traitsOf(node).activation !== undefined);
    return layers === 0 ? [] : Object.keys(HIDDEN).filter((name) => name !== 'linear' || !isLinear);
  },
  write: (part, option, writer) => {
    const { nodes, graph, to } = part;
    const own = styleOf(nodes);
    const out = to.shape!.at(-1) as number;
    const times = HIDDEN[option];
    const x = writer.input;
    let y = own.hasLayerNorm && graph.opset >= LAYER_NORM_OPSET ? writer.layerNorm(x) : x;
    if (times !== undefined) {
      const hidden = writer.linear(y, times * x.length(-1));
      y = writer.activation(hidden, own.activation ?? graph.style.activation);
    }
    y = writer.linear(y, out);
    const isResidual = nodes.some(
      (node) => traitsOf(node).arithmetic === 'add' && node.inputs.every((name) => graph.open.has(name)),
    );
    return isResidual && x.length(-1) === out ? y.add(x) : y;
  },
};

/** Whether a part takes vectors to as many vectors. */
function isOfVectors({ from, to }: Part): boolean {
  const [before, after] = [from.shape!, to.shape!];
  if (from.dtype !== 'float32' || before.length !== after.length || before.length < 2) return false;
  if (!isKnown(before.at(-1)) || !isKnown(after.at(-1))) return false;
  return before.slice(0, -1).every((size, i) => sameDim(size, after[i]!));
}
