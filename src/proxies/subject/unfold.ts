// Batch normalisation that an exporter folded into convolutions, put back for weights that are drawn anew: without it, values
// shrink or grow from layer to layer, and the network is not the one that was trained. A convolution with a bias does not say
// whether it was normalised; names do, where exporters leave them.
import type { Constant } from '../../analysis/constants.js';
import { type Model, makeNode, type Node } from '../../graph/graph.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import { inputsOf, traitsOf } from '../../ops/index.js';
import type { Change } from '../../transform/transform.js';
import type { Prepared } from './prepare.js';

/** What PyTorch calls constants that it computed itself; those of modules have the modules' names. */
const ANONYMOUS = /^(onnx::\w+_)?\d+$/;
const OF_MODULE = /\.(weight|bias)$/;
/** What tf2onnx and ONNX Runtime call weights that they folded. */
const FUSED = /_fused_bn(_\w+)?$|^ConvBnFusion_/;
/** What the output of a convolution is called that was that of a normalisation before. */
const NORMALISED = /batch_?norm|(^|[._/])bn\d*([._/]|$)/i;
/** Networks with fewer layers may well have no normalisation. */
const FEW_LAYERS = 4;

interface Folded {
  /** Into which a normalisation was folded for certain. */
  readonly layers: ReadonlySet<Node>;
  /** Other convolutions with a bias, in a network that normalises nowhere. */
  readonly uncertain: number;
}

export function findFolded({ graph }: Model): Folded {
  const { nodes, initializers } = graph;
  const hasModules = [...initializers.keys()].some((name) => OF_MODULE.test(name));
  const isAnonymous = (name: string): boolean => hasModules && ANONYMOUS.test(name);
  const biased = nodes.filter((node) => biasOf(node) !== undefined && initializers.has(biasOf(node)!));
  const layers = new Set(
    biased.filter((node) => {
      const [, weight = ''] = node.inputs;
      const bias = biasOf(node)!;
      return (
        (isAnonymous(weight) && isAnonymous(bias)) ||
        (FUSED.test(weight) && FUSED.test(bias)) ||
        NORMALISED.test(node.outputs[0]!) ||
        NORMALISED.test(bias)
      );
    }),
  );
  const isNormalised = nodes.some((node) => traitsOf(node).normalisation !== undefined);
  return { layers, uncertain: isNormalised ? 0 : biased.length - layers.size };
}

function biasOf(node: Node): string | undefined {
  if (traitsOf(node).convolution !== 'plain') return undefined;
  const slot = node.inputs.findIndex((name, i) => name !== '' && inputsOf(node).role(i) === 'bias');
  return slot < 0 ? undefined : node.inputs[slot];
}

/** What is said of it. */
export function foldingChanges(model: Model): readonly Change[] {
  const { layers, uncertain } = findFolded(model);
  const put = `where weights are drawn, the batch normalisation of ${layers.size} convolutions is put back; it was folded into them`;
  const open = `whether batch normalisation was folded into its ${uncertain} convolutions cannot be told: where weights are drawn, there is none`;
  return [
    ...(layers.size > 0 ? [{ transform: 'normalisation', what: put }] : []),
    ...(layers.size === 0 && uncertain >= FEW_LAYERS ? [{ transform: 'normalisation', what: open }] : []),
  ];
}

/** The network with batch normalisation, as it begins, behind the layers that it was folded into; their biases are gone. */
export function unfolded({ model, constants }: Prepared): Prepared {
  const { layers } = findFolded(model);
  if (layers.size === 0) return { model, constants };
  const { graph } = model;
  const initializers = new Map(graph.initializers);
  const known = new Map(constants);
  const add = (tensor: Tensor, kind: Constant['kind']): string => {
    initializers.set(tensor.name, tensor);
    const parameters = kind === 'parameter' ? tensor.dims[0]! : 0;
    known.set(tensor.data, { name: tensor.name, tensor, kind, owner: undefined, parameters, bytes: 0 });
    return tensor.name;
  };
  const nodes = graph.nodes.flatMap((node): Node[] => {
    if (!layers.has(node)) return [node];
    const [output] = node.outputs as [string];
    const bias = biasOf(node)!;
    const { dtype, dims } = initializers.get(bias)!;
    const list = (name: string, value: number, kind: Constant['kind']): string =>
      add(fromNumbers(`${output}/${name}`, dtype, dims, new Float64Array(dims[0]!).fill(value)), kind);
    const statistics = [list('mean', 0, 'statistic'), list('variance', 1, 'statistic')];
    const learned = [list('scale', 1, 'parameter'), list('shift', 0, 'parameter')];
    const plain = `${output}/convolution`;
    const inputs = node.inputs.filter((name) => name !== bias);
    return [
      { ...node, inputs, outputs: [plain] },
      makeNode('BatchNormalization', [plain, ...learned, ...statistics], [output], {}, { name: output }),
    ];
  });
  return { model: { ...model, graph: { ...graph, nodes, initializers } }, constants: known };
}
