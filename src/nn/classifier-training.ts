// A classifier of a file, trained: its graph with batch statistics in normalisations, cross-entropy and gradients, and
// stochastic gradient descent with momentum beside it. For comparing networks, not for records: no augmentation, no decay.
import { inferShapes } from '../analysis/infer.js';
import { gradients } from '../autodiff/gradients.js';
import { isKnown } from '../graph/dim.js';
import { type Model, makeGraph, makeModel, type Node } from '../graph/graph.js';
import { type Tensor, tensorNumbers } from '../graph/tensor.js';
import { isTensor, TensorType } from '../graph/types.js';
import { Builder } from '../ops/build.js';
import { traitsOf } from '../ops/index.js';
import { type HostTensor, hostTensor, Session, type SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { crossEntropy } from './losses.js';

const LOSS = 'training.loss';
const CLASSES = 'training.classes';
/** Scale, bias, mean and variance: the last two are not trained. */
const STATISTICS = [3, 4];

export interface ClassifierTrainingOptions extends Pick<SessionOptions, 'threads'> {
  readonly momentum?: number;
}

/** What a batch gave, before the weights changed. */
export interface ClassifierStep {
  readonly loss: number;
  /** Images whose largest output is their class. */
  readonly correct: number;
}

export class ClassifierTraining {
  readonly #session: Session;
  readonly #image: string;
  readonly #logits: string;
  readonly #gradients: ReadonlyMap<string, string>;
  readonly #weights: Map<string, { readonly dims: readonly number[]; readonly values: Float32Array }>;
  readonly #momenta = new Map<string, Float32Array>();
  readonly #momentum: number;
  /** (batch, channels, height, width). */
  readonly dims: readonly number[];

  private constructor(made: Training, session: Session, momentum: number) {
    this.#session = session;
    this.#momentum = momentum;
    this.#image = made.image;
    this.#logits = made.logits;
    this.#gradients = made.gradients;
    this.#weights = made.weights;
    this.dims = made.dims;
  }

  /**
   * @param model with one input of images and one output of classes, sizes and batch fixed
   * @throws AuspexError NOT_A_CLASSIFIER, and what gradients throw
   */
  static async of(
    model: Model,
    { momentum = 0.9, threads }: ClassifierTrainingOptions = {},
  ): Promise<ClassifierTraining> {
    const made = trainingOf(model);
    const session = await Session.create(made.model, threads === undefined ? {} : { threads });
    return new ClassifierTraining(made, session, momentum);
  }

  /**
   * One step; with rate 0 the weights stay.
   *
   * @param images of `dims` @param classes (batch)
   */
  async step(images: Float32Array, classes: ArrayLike<number>, rate: number): Promise<ClassifierStep> {
    const feeds: Record<string, HostTensor> = {
      [this.#image]: await hostTensor('float32', images, this.dims),
      [CLASSES]: await hostTensor('int64', BigInt64Array.from(classes as number[], BigInt), [classes.length]),
    };
    for (const [name, { dims, values }] of this.#weights) {
      feeds[name] = await hostTensor('float32', values, dims);
    }
    const found = await this.#session.run(feeds);
    if (rate !== 0) {
      for (const [name, { values }] of this.#weights) this.#descend(name, values, found, rate);
    }
    return {
      loss: (found[LOSS]!.data as Float32Array)[0]!,
      correct: correctOf(found[this.#logits]!.data as Float32Array, classes),
    };
  }

  #descend(name: string, values: Float32Array, found: Record<string, HostTensor>, rate: number): void {
    const gradient = found[this.#gradients.get(name)!]!.data as Float32Array;
    const before = this.#momenta.get(name) ?? new Float32Array(values.length);
    this.#momenta.set(name, before);
    for (let i = 0; i < values.length; i++) {
      before[i] = this.#momentum * before[i]! + gradient[i]!;
      values[i]! -= rate * before[i]!;
    }
  }

  dispose(): Promise<void> {
    return this.#session.dispose();
  }
}

function correctOf(logits: Float32Array, classes: ArrayLike<number>): number {
  const width = logits.length / classes.length;
  return Array.from(classes).filter((label, row) => {
    const own = logits.subarray(row * width, (row + 1) * width);
    return own.every((value) => value <= own[label]!);
  }).length;
}

interface Training {
  readonly model: Model;
  readonly image: string;
  readonly logits: string;
  readonly dims: readonly number[];
  readonly gradients: ReadonlyMap<string, string>;
  readonly weights: Map<string, { readonly dims: readonly number[]; readonly values: Float32Array }>;
}

function trainingOf(given: Model): Training {
  const { graph } = given;
  const nodes = graph.nodes.map(withBatchStatistics);
  const statistics = new Set(
    graph.nodes.filter(isBatchNorm).flatMap(({ inputs }) => STATISTICS.map((place) => inputs[place]!)),
  );
  const weights: Training['weights'] = new Map();
  const kept = new Map<string, Tensor>();
  for (const [name, tensor] of graph.initializers) {
    const isTrained = tensor.dtype === 'float32' && tensor.dims.length > 0 && !statistics.has(name);
    if (!isTrained) kept.set(name, tensor);
    else weights.set(name, { dims: tensor.dims, values: Float32Array.from(tensorNumbers(tensor)) });
  }
  const images = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  const [image, logits] = [images[0], graph.outputs[0]];
  const shape = image && isTensor(image.type) ? image.type.shape : undefined;
  if (images.length !== 1 || graph.outputs.length !== 1 || shape?.length !== 4 || !shape.every(isKnown)) {
    throw new AuspexError(
      'NOT_A_CLASSIFIER',
      'only networks with one image of fixed sizes and one output are trained',
      {
        hint: 'fix sizes and batch: auspex convert --batch 32',
      },
    );
  }
  const open = makeModel(
    makeGraph({
      ...graph,
      nodes,
      initializers: kept,
      inputs: [
        image!,
        ...[...weights].map(([name, { dims }]) => ({
          name,
          type: new TensorType('float32', dims),
        })),
      ],
    }),
    { opsetImports: given.opsetImports },
  );
  const builder = new Builder({ opsets: open.opsetImports, types: inferShapes(open).graph.types });
  const classes = builder.input(CLASSES, 'int64', [shape[0]!]);
  const loss = crossEntropy(builder.value(logits!.name), classes);
  builder.add({ ...IDENTITY, name: LOSS, inputs: [loss.name], outputs: [LOSS] });
  const whole = makeModel(
    makeGraph({
      ...open.graph,
      nodes: [...open.graph.nodes, ...builder.nodes],
      inputs: [...open.graph.inputs, ...builder.inputs],
      outputs: [logits!, { name: LOSS, type: builder.value(LOSS).type }],
      initializers: new Map([...kept, ...builder.initializers]),
    }),
    { opsetImports: builder.opsets },
  );
  const { model, gradients: found } = gradients(whole, LOSS, [...weights.keys()]);
  return {
    model,
    image: image!.name,
    logits: logits!.name,
    dims: shape as number[],
    gradients: found,
    weights,
  };
}

const IDENTITY = { opType: 'Identity', domain: '', attributes: new Map() };

function isBatchNorm(node: Node): boolean {
  return traitsOf(node).normalisation === 'batch';
}

/** A normalisation by the statistics of the batch, as in training. */
function withBatchStatistics(node: Node): Node {
  if (!isBatchNorm(node)) return node;
  const [y] = node.outputs;
  return {
    ...node,
    outputs: [y!, `${y}.mean`, `${y}.variance`],
    attributes: new Map([...node.attributes, ['training_mode', { type: 'int' as const, value: 1 }]]),
  };
}
