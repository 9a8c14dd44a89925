// Predictors of whole networks of any size: points of a space at its default sizes, or ONNX files. One ONNX file each;
// it takes any batch of networks of any number of nodes.
import { symbol } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import type { Batch } from '../nn/batch.js';
import type { Weights } from '../nn/trainer.js';
import { Session, type SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import type { ErrorScale } from './conformal.js';
import { fitGraphs, type GraphTraining, predictAll, type TrainedMember } from './fit-graphs.js';
import { calibrated, type LabelledRows, labelInfos, validationScore } from './labelled-rows.js';
import { type LabelScale, labelScale } from './labels.js';
import { type NetworkGraph, networkGraph } from './latency/network-graph.js';
import { type InputShapes, membersModel, memberWeights } from './members.js';
import { NETWORK_MODELS, type NetworkModelName, type NetworkRecipe } from './network-models.js';
import { NetworkSet } from './network-set.js';
import { inFile, networksOf, type ReadNetwork } from './network-source.js';
import { OnnxPredictor, withInfo } from './onnx-predictor.js';
import type { PredictorInfo, TrainingSplit } from './predictor.js';

export interface NetworkFitOptions
  extends Pick<GraphTraining, 'checkpoint' | 'onProgress' | 'signal'>,
    Partial<Pick<GraphTraining, 'seed' | 'threads'>> {
  /** `onnx` where architectures are paths of files. */
  readonly space: string;
  readonly kind: NetworkModelName;
  readonly recipe?: Partial<NetworkRecipe>;
  /** Whether labels are learned as they are or as logarithms. Default `linear`. */
  readonly scale?: ErrorScale;
  /** Rows that are not trained on: weights are chosen by them, and intervals are made with them. */
  readonly validation?: LabelledRows;
  /** How the rows were drawn, for the record. */
  readonly split?: TrainingSplit;
  /** A predictor of the same kind, of this or another space, to begin with: its heads are made anew. */
  readonly from?: NetworkPredictor;
  /** Where architectures are files. */
  readonly read?: ReadNetwork;
}

/** What a file says of its predictor. */
export interface NetworkPredictorInfo extends PredictorInfo {
  readonly kind: NetworkModelName;
  readonly input: 'network';
  readonly recipe: NetworkRecipe;
  /** How each label was learned. */
  readonly scales: readonly LabelScale[];
}

export interface FittedNetworks {
  readonly predictor: NetworkPredictor;
  /** How the training went, by member. */
  readonly members: readonly TrainedMember[];
}

/** Parameters of the layers that are not kept when a predictor is trained further for other labels. */
const HEAD = /^head\./;

/**
 * Trains a predictor.
 *
 * @example
 * const { predictor } = await fitNetworks(rows, { space: 'ofa-mobilenetv3', kind: 'nn-former-network', scale: 'log' });
 *
 * @throws AuspexError ARCH_TEXT, NETWORK_SIZES, LABEL_…, TRAINING_DIVERGED, TRAINING_STOPPED
 */
export async function fitNetworks(rows: LabelledRows, options: NetworkFitOptions): Promise<FittedNetworks> {
  const { kind, space, read, seed = 0, threads = 2, scale = 'linear', validation, from } = options;
  const model = NETWORK_MODELS[kind];
  const recipe: NetworkRecipe = {
    ...model.recipe(rows.architectures.length),
    ...(from ? { model: from.info.recipe.model } : {}),
    ...options.recipe,
  };
  const { labels } = rows;
  const scales = labels.names.map((_, i) => labelScale(labels, i, scale));
  const graphsOf = graphReader(space, read);
  const set = (of: LabelledRows): NetworkSet =>
    new NetworkSet(of.architectures.map(graphsOf), model.encoding, { least: recipe.batch });
  const members = await fitGraphs({
    graphs: set(rows),
    labels,
    scales,
    ...(validation ? { validation: { graphs: set(validation), labels: validation.labels } } : {}),
    score: validationScore(scale),
    model: (s, inputs) => model.build(s, inputs, recipe.model, scales.length),
    recipe,
    seed,
    threads,
    ...(from ? { from: from.trunks() } : {}),
    ...(options.checkpoint ? { checkpoint: options.checkpoint } : {}),
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const info: NetworkPredictorInfo = {
    version: 1,
    kind,
    input: 'network',
    space,
    labels: labelInfos(labels, scale),
    rows: rows.architectures.length,
    seed,
    ...(options.split ? { split: options.split } : {}),
    recipe,
    scales,
  };
  const plain = predictorModel(
    members.map(({ weights }) => weights),
    info,
  );
  const create = (of: NetworkPredictorInfo): Promise<NetworkPredictor> =>
    NetworkPredictor.create(withInfo(plain, of), of, { threads, ...(read ? { read } : {}) });
  return { predictor: await calibrated(info, validation, create), members };
}

/** The graphs of architectures. All sizes must be known: they are what cost depends on. */
function graphReader(space: string, read?: ReadNetwork): (text: string) => NetworkGraph {
  const network = networksOf(space, read);
  return (text) =>
    inFile(space, text, () => {
      const graph = networkGraph(network(text));
      if (graph.unknownShapes === 0) return graph;
      throw new AuspexError(
        'NETWORK_SIZES',
        `${graph.unknownShapes} of ${graph.nodes.length} values of the network have sizes that are not known`,
        { hint: 'fix the sizes of its inputs when it is exported' },
      );
    });
}

/** Any batch of networks of any number of nodes → (batch, labels), in the labels' units. */
function predictorModel(members: readonly Weights[], info: NetworkPredictorInfo): Model {
  const { kind, recipe, labels, scales } = info;
  const { encoding, build } = NETWORK_MODELS[kind];
  const [batch, n] = [symbol('batch'), symbol('nodes')];
  const shapes: InputShapes = {
    nodes: { type: 'float32', dims: [batch, n, encoding.nodeWidth] },
    presence: { type: 'float32', dims: [batch, n] },
    adjacency: { type: 'float32', dims: [batch, n, n] },
    statics: { type: 'float32', dims: [batch, encoding.staticWidth] },
  };
  return membersModel(members, shapes, (s, inputs) => build(s, inputs, recipe.model, labels.length), scales);
}

export interface NetworkPredictorOptions extends SessionOptions {
  readonly read?: ReadNetwork;
}

/** A trained predictor of networks. */
export class NetworkPredictor extends OnnxPredictor<NetworkPredictorInfo> {
  readonly #graphOf: (text: string) => NetworkGraph;

  private constructor(model: Model, info: NetworkPredictorInfo, session: Session, read?: ReadNetwork) {
    super(model, info, session);
    this.#graphOf = graphReader(info.space, read);
  }

  static async create(
    model: Model,
    info: NetworkPredictorInfo,
    { read, ...options }: NetworkPredictorOptions = {},
  ): Promise<NetworkPredictor> {
    return new NetworkPredictor(model, info, await Session.create(model, options), read);
  }

  async values(architectures: readonly string[]): Promise<Float64Array> {
    return this.valuesOf(architectures.map(this.#graphOf));
  }

  /** What is predicted of networks: one number for every label, row by row. */
  async valuesOf(networks: readonly NetworkGraph[]): Promise<Float64Array> {
    const set = new NetworkSet(networks, NETWORK_MODELS[this.info.kind].encoding);
    return predictAll(set, this.info.labels.length, [(batch) => this.run(batch)], { isAnySize: true });
  }

  inputs(architectures: readonly string[]): Batch {
    const set = new NetworkSet(architectures.map(this.#graphOf), NETWORK_MODELS[this.info.kind].encoding);
    return set.batch(architectures.map((_, i) => i));
  }

  /** The weights of every member but those of its heads. */
  trunks(): Weights[] {
    return memberWeights(this.model, this.info.recipe.members).map(
      (member) => new Map([...member].filter(([name]) => !HEAD.test(name))),
    );
  }
}
