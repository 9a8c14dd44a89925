// Batch normalisations that an exporter made part of convolutions, as nodes again. A file does not say what they were; that
// there was one is told by the names of the weights, where folding leaves traces. The network computes the same: the scale
// of every filter goes into the normalisation, the bias too, and its statistics are those of normalised data (mean 0,
// variance 1). Which part of a filter's scale had been that of the normalisation cannot be told, so filters get the norm
// that they are commonly initialised with.
import { computedTensor, numbersIn } from '../graph/computed-tensor.js';
import { type Graph, type Model, makeNode, type Node, nodeLabel, operatorName } from '../graph/graph.js';
import { fromNumbers, hasData, type Tensor } from '../graph/tensor.js';
import { traitsOf } from '../ops/index.js';
import { AuspexError } from '../util/errors.js';
import type { Change, Transformed } from './transform.js';

/** A network with batch normalisations, and where nothing tells whether there was one. */
export interface Unfolded extends Transformed {
  /** Convolutions with a bias and no normalisation behind them whose names tell nothing. */
  readonly untold: readonly string[];
}

/** Since when BatchNormalization has had its inputs, and no mode of training unless told. */
const LEAST_OPSET = 9;
const EPSILON = 1e-5;
/** Of a filter that is drawn with the variance 2 / fan-in (He et al., 2015). */
const NORM = Math.SQRT2;

/**
 * Puts batch normalisations behind convolutions that they were folded into.
 *
 * @throws AuspexError OPSET_TOO_OLD below opset 9
 *
 * @example
 * const { model, changes, untold } = unfoldBatchNorm(readModel('net.onnx'));
 */
export function unfoldBatchNorm(model: Model): Unfolded {
  const opset = model.opsetImports.get('') ?? 1;
  if (opset < LEAST_OPSET) {
    throw new AuspexError(
      'OPSET_TOO_OLD',
      `the model uses opset ${opset}; at least ${LEAST_OPSET} is needed`,
      {
        hint: 'convert it first: auspex convert --opset 17',
      },
    );
  }
  const { graph } = model;
  const uses = usesOf(graph);
  const hasNames = [...graph.initializers.keys()].some((name) => NAMED.test(name));
  const nodes: Node[] = [];
  const initializers = new Map(graph.initializers);
  const changes: Change[] = [];
  const untold: string[] = [];
  for (const node of graph.nodes) {
    const [weight, bias] = [1, 2].map((slot) => graph.initializers.get(node.inputs[slot] ?? ''));
    const isOpen = isBiased(node) && weight && bias && !isNormalised(node, graph);
    if (!isOpen || !isFloat(weight) || !isFloat(bias) || uses.get(weight.name) !== 1) {
      nodes.push(node);
      continue;
    }
    const why = traceOf(weight.name, bias.name, hasNames);
    if (why === undefined) {
      untold.push(nodeLabel(node));
      nodes.push(node);
      continue;
    }
    const { added, constants } = unfolded(
      node,
      weight,
      bias,
      new Set([...uses.keys(), ...initializers.keys()]),
    );
    nodes.push(...added);
    for (const tensor of constants) initializers.set(tensor.name, tensor);
    initializers.delete(weight.name);
    if (uses.get(bias.name) === 1) initializers.delete(bias.name);
    const what = `gets the batch normalisation back that was part of it: ${why}`;
    changes.push({ transform: 'unfold', what, node: nodeLabel(node), operator: operatorName(node) });
  }
  if (changes.length === 0) return { model, changes, untold };
  const inputs = graph.inputs.filter(({ name }) => initializers.has(name) || !graph.initializers.has(name));
  return { model: { ...model, graph: { ...graph, nodes, initializers, inputs } }, changes, untold };
}

/** A name that a programmer gave: `features.0.weight`. */
const NAMED = /[A-Za-z_]\w*[./]\w*(weight|bias|kernel|gamma|beta)/i;

/** What is left of a folding in the names of both constants. */
const TRACES: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/_fused_bn(_\w+)?$/, 'tf2onnx calls such weights fused'],
  [/^ConvBnFusion_/, 'ONNX Runtime calls such weights fused'],
  [/^onnx::\w+_\d+$/, 'PyTorch leaves such weights without a name'],
];

/** Why a pair of constants was folded; undefined where nothing tells. */
function traceOf(weight: string, bias: string, hasNames: boolean): string | undefined {
  const found = TRACES.find(([pattern]) => pattern.test(weight) && pattern.test(bias));
  if (found !== undefined) return found[1];
  const isNumbered = [weight, bias].every((name) => /^\d+$/.test(name));
  return isNumbered && hasNames ? 'its weights have numbers where those of others have names' : undefined;
}

function isBiased(node: Node): boolean {
  return node.domain === '' && traitsOf(node).convolution === 'plain' && node.inputs.length === 3;
}

function isFloat({ dtype }: Tensor): boolean {
  return dtype === 'float32' || dtype === 'float64';
}

function isNormalised({ outputs }: Node, { nodes }: Graph): boolean {
  return nodes.some((node) => traitsOf(node).normalisation !== undefined && node.inputs[0] === outputs[0]);
}

function usesOf({ nodes, outputs }: Graph): Map<string, number> {
  const uses = new Map<string, number>();
  const names = [...nodes.flatMap(({ inputs }) => inputs), ...outputs.map(({ name }) => name)];
  for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const { outputs: made } of nodes) for (const name of made) uses.set(name, uses.get(name) ?? 0);
  return uses;
}

/** The convolution without a bias, and the normalisation behind it. */
function unfolded(
  node: Node,
  weight: Tensor,
  bias: Tensor,
  taken: ReadonlySet<string>,
): { readonly added: readonly Node[]; readonly constants: readonly Tensor[] } {
  const output = node.outputs[0]!;
  const fresh = (part: string): string => {
    for (let i = 0; ; i++) {
      const name = `${output}/${part}${i === 0 ? '' : i}`;
      if (!taken.has(name)) return name;
    }
  };
  const [channels = 0] = weight.dims;
  const size = weight.dims.slice(1).reduce((n, d) => n * d, 1);
  const scales = hasData(weight) ? scalesOf(weight, channels, size) : new Float64Array(channels).fill(1);
  const dtype = weight.dtype as 'float32' | 'float64';
  const list = (part: string, value: (c: number) => number): Tensor =>
    fromNumbers(
      fresh(part),
      dtype,
      [channels],
      Float64Array.from({ length: channels }, (_, c) => value(c)),
    );
  const filters = computedTensor(fresh('filters'), dtype, weight.dims, (from, to) =>
    Float64Array.from(numbersIn(weight, from, to), (x, i) => x / scales[Math.floor((from + i) / size)]!),
  );
  const shifts = numbersIn(bias);
  const constants = [
    list('gamma', (c) => scales[c]! * Math.sqrt(1 + EPSILON)),
    list('beta', (c) => shifts[c]!),
    list('mean', () => 0),
    list('variance', () => 1),
  ];
  const value = fresh('convolved');
  const normalisation = makeNode(
    'BatchNormalization',
    [value, ...constants.map(({ name }) => name)],
    [output],
    { epsilon: { type: 'float', value: EPSILON } },
    { name: fresh('normalised') },
  );
  const convolution = { ...node, inputs: [node.inputs[0]!, filters.name], outputs: [value] };
  return { added: [convolution, normalisation], constants: [filters, ...constants] };
}

/** What every filter is divided by to get its norm; 1 for one of zeros. */
function scalesOf(weight: Tensor, channels: number, size: number): Float64Array {
  return Float64Array.from({ length: channels }, (_, c) => {
    const filter = numbersIn(weight, c * size, (c + 1) * size);
    let squares = 0;
    for (let i = 0; i < filter.length; i++) squares += filter[i]! ** 2;
    return squares > 0 ? Math.sqrt(squares) / NORM : 1;
  });
}
