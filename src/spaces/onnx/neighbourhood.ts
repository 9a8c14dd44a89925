// The neighbourhood of an ONNX file: the network itself, and networks in which some activation functions are others
// and some layers are left out. Only edits that keep the type of every value; nothing changes widths.
import { dependentValues } from '../../analysis/dependence.js';
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { type Dim, isKnown } from '../../graph/dim.js';
import { isFloat, isInteger } from '../../graph/dtype.js';
import { isDefaultDomain, type Model, type Node, nodeLabel } from '../../graph/graph.js';
import { usedNames } from '../../graph/order.js';
import { isTensor, sameType, type ValueType } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';
import { schemaFor } from '../../ops/schemas.js';
import { archError } from '../arch-error.js';
import { choiceOf } from '../choice.js';
import type { Space, SpaceDefaults } from '../space.js';
import { outerShapes, type Replacement, withEdits, withShuffledWeights, withSizes } from './edited-model.js';

/** A node that is not as the file has it. */
export interface OnnxEdit {
  readonly node: string;
  /** The operator in its place, or `skip`: the node's input takes the place of its output. */
  readonly to: string;
}

/** Edits in the order in which nodes run, at most one each; none is the file itself. */
export type OnnxArch = readonly OnnxEdit[];

const NAME = 'onnx';
const BASE = 'base';
const SKIP = 'skip';

/** Activation functions that the space writes in each other's place: its choice, as far as the file's opset has them. */
const ACTIVATIONS = ['Relu', 'LeakyRelu', 'Elu', 'Gelu', 'HardSwish', 'Mish'] as const;

/** Whether a node is a layer that may be left out where it keeps the shape, having one input that is no constant. */
function isLayer(node: Node, opset: number): boolean {
  const { convolution, product, normalisation, pooling, activation } = traitsOf(node);
  const isStandard = isDefaultDomain(node.domain) && !schemaFor('', node.opType, opset)?.contrib;
  if (!isStandard) return false;
  const isActivation = activation !== undefined && activation !== 'erf';
  return (
    isActivation || pooling?.over === 'window' || (convolution ?? product ?? normalisation) !== undefined
  );
}

/** A node with what can stand in its place. */
interface Site {
  readonly label: string;
  readonly node: Node;
  readonly options: readonly string[];
  /** What takes its place when it is left out. */
  readonly source: string;
}

/**
 * The networks around a model. Texts name nodes: `base`, or `base;Relu_3=Gelu;/layer1/conv2/Conv=skip`; nodes
 * without a name of their own are `#` and their place in the file, from 0.
 *
 * The options of `network` cannot change what is fixed in the file. A batch that is not fixed is 1 unless told. With
 * a seed other than 0 the elements of every weight are shuffled.
 *
 * @param name of the model, for people: that of its file.
 */
export function onnxSpace(name: string, model: Model): Space<OnnxArch> {
  const inference = inferShapes(model);
  const sites = findSites(inference);
  const byLabel = new Map(sites.map((site) => [site.label, site]));
  const find = (arch: OnnxArch, { label }: Site): string => arch.find((e) => e.node === label)?.to ?? BASE;
  const built = (choose: (site: Site) => string): OnnxArch =>
    sites.flatMap((site) => {
      const to = choose(site);
      return to === BASE ? [] : [{ node: site.label, to }];
    });
  // About two edits, or the neighbourhood would be far away.
  const share = Math.min(0.5, 2 / sites.length);
  const example = sites[0] === undefined ? BASE : `${BASE};${sites[0].label}=${sites[0].options[0]}`;
  return {
    name: NAME,
    title: `Neighbourhood of ${name}`,
    paper: 'none: made from the file',
    notation:
      `'${BASE}' for the file itself, then ';node=Operator' for another activation function ` +
      `(${ACTIVATIONS.join(', ')}) and ';node=${SKIP}' for a layer that is left out. ` +
      `${sites.length} nodes of ${name} can be edited.`,
    example,
    size: sites.reduce((product, { options }) => product * BigInt(1 + options.length), 1n),
    defaults: defaultsOf(inference),
    sample: (random) => built(({ options }) => (random.chance(share) ? random.pick(options) : BASE)),
    choices: (arch) =>
      sites.map((changed) =>
        choiceOf(changed.label, [BASE, ...changed.options], find(arch, changed), (to) =>
          built((site) => (site === changed ? to : find(arch, site))),
        ),
      ),
    parse: (text) => {
      const choices = parseEdits(text, byLabel);
      return built(({ label }) => choices.get(label) ?? BASE);
    },
    format: (arch) => [BASE, ...arch.map(({ node, to }) => `${node}=${to}`)].join(';'),
    network: (arch, options = {}) => {
      const sized = withSizes(name, inference, options);
      const edits = new Map(
        arch.map(({ node: label, to }): [Node, Replacement] => {
          const { node, source } = byLabel.get(label)!;
          return [node, { operator: to === SKIP ? undefined : to, source }];
        }),
      );
      const graph = edits.size === 0 ? sized : withEdits(sized, inference, edits);
      const { seed = 0 } = options;
      return { ...model, graph: seed === 0 ? graph : withShuffledWeights(graph, inference, seed) };
    },
  };
}

function parseEdits(text: string, sites: ReadonlyMap<string, Site>): Map<string, string> {
  const [first, ...edits] = text.trim().split(';');
  if (first !== BASE) throw archError(NAME, text, `it must begin with '${BASE}'`);
  const choices = new Map<string, string>();
  for (const edit of edits) {
    const [label = '', to, ...rest] = edit.split('=');
    if (to === undefined || rest.length > 0) {
      throw archError(NAME, text, `'${edit}' must read node=Operator or node=${SKIP}`);
    }
    const site = sites.get(label);
    if (site === undefined) {
      const some = [...sites.keys()].slice(0, 5).join(', ');
      throw archError(NAME, text, `no node '${label}' can be edited`, `the first that can are: ${some}`);
    }
    if (!site.options.includes(to)) {
      throw archError(
        NAME,
        text,
        `'${label}' cannot become '${to}'`,
        `choose from ${site.options.join(', ')}`,
      );
    }
    if (choices.has(label)) throw archError(NAME, text, `'${label}' is edited twice`);
    choices.set(label, to);
  }
  return choices;
}

// Which nodes can be edited ----------------------------------------------------------------------------------------

function findSites({ model, graph }: Inference): Site[] {
  const opset = model.opsetImports.get('') ?? model.opsetImports.get('ai.onnx') ?? 1;
  const available = ACTIVATIONS.filter((op) => schemaFor('', op, opset) !== undefined);
  const labels = labelsOf(model.graph.nodes);
  const { initializers, sparseInitializers } = model.graph;
  const isConstant = (name: string): boolean => initializers.has(name) || sparseInitializers.has(name);
  const open = dependentValues(
    graph.nodes.map(({ node }) => node),
    graph.inputNames.filter((name) => !isConstant(name)),
  );
  const sites: Site[] = [];
  for (const { node } of graph.nodes) {
    const sources = [...new Set(usedNames(node))].filter((input) => open.has(input));
    const options = optionsOf(node, sources, graph.types, { opset, available });
    if (options.length > 0) {
      sites.push({ label: labels.get(node)!, node, options, source: sources[0]! });
    }
  }
  return sites;
}

function optionsOf(
  node: Node,
  sources: readonly string[],
  types: ReadonlyMap<string, ValueType>,
  { opset, available }: { readonly opset: number; readonly available: readonly string[] },
): string[] {
  const [output = '', ...more] = node.outputs;
  const [before, after] = [types.get(sources[0] ?? ''), types.get(output)];
  const isOneToOne = sources.length === 1 && output !== '' && more.every((name) => name === '');
  if (!isOneToOne || !isLayer(node, opset)) return [];
  if (!isTensor(before) || !isTensor(after) || !isFloat(before.dtype)) return [];
  if (before.shape === undefined || !sameType(before, after)) return [];
  const isActivation = available.includes(node.opType) && node.inputs.length === 1;
  return [...(isActivation ? available.filter((op) => op !== node.opType) : []), SKIP];
}

/** Names that texts can hold and no two nodes share. */
function labelsOf(nodes: readonly Node[]): Map<Node, string> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(nodeLabel(node), (counts.get(nodeLabel(node)) ?? 0) + 1);
  return new Map(
    nodes.map((node, i) => {
      const label = nodeLabel(node);
      const isClear = counts.get(label) === 1 && /^[^#;=\s][^;=\s]*$/.test(label);
      return [node, isClear ? label : `#${i}`];
    }),
  );
}

function defaultsOf(inference: Inference): SpaceDefaults {
  const { input, output } = outerShapes(inference);
  const number = (d: Dim | undefined): number => (isKnown(d) ? d : 0);
  const type = inference.graph.types.get(inference.graph.inputNames[0] ?? '');
  return {
    resolution: number(input.at(-1)),
    classes: number(output.at(-1)),
    input: isTensor(type) && isInteger(type.dtype) ? 'tokens' : 'image',
  };
}
