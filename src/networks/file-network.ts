// A network from a model: an ONNX file, an upload. The model is read once; shapes are inferred once for every set of
// sizes that is asked for.
import { type Inference, inferShapes, noteInferred } from '../analysis/infer.js';
import { type Dim, isKnown } from '../graph/dim.js';
import type { Graph, Model } from '../graph/graph.js';
import { isTensor } from '../graph/types.js';
import { spaceNamed } from '../spaces/index.js';
import { ARCH_KEY, SPACE_KEY } from '../spaces/network-builder.js';
import { openSizes } from '../spaces/onnx/edited-model.js';
import { onnxSpace } from '../spaces/onnx/neighbourhood.js';
import { type ChosenSizes, chosenSizes, chosenSizesOf } from '../transform/sizes.js';
import { AuspexError } from '../util/errors.js';
import { BaseNetwork, withinFile } from './base-network.js';
import type { Architecture, Network } from './network.js';
import { mergedSizes, type Sizes, sizesKey } from './sizes.js';

/** A model and what was found out of it, at every set of sizes. */
export class OpenedModel {
  readonly ref: string;
  readonly file: string | undefined;
  readonly #read: () => Model;
  #model: Model | undefined;
  #arch: Architecture | null | undefined;
  #space: ReturnType<typeof onnxSpace> | undefined;
  readonly #networks = new Map<string, FileNetwork>();

  /** @param read called once, when the model is first asked for */
  constructor(ref: string, file: string | undefined, read: () => Model) {
    this.ref = ref;
    this.file = file;
    this.#read = read;
  }

  get model(): Model {
    this.#model ??= withinFile(this.file, this.#read);
    return this.#model;
  }

  /** The architecture that the file says it is. */
  get arch(): Architecture | undefined {
    this.#arch ??= this.#foundArchitecture() ?? null;
    return this.#arch ?? undefined;
  }

  /** The neighbourhood of the file. */
  get space(): ReturnType<typeof onnxSpace> {
    this.#space ??= withinFile(this.file, () => onnxSpace(this.ref, this.model));
    return this.#space;
  }

  at(sizes: Sizes): Network {
    const key = sizesKey(sizes);
    let network = this.#networks.get(key);
    if (network === undefined) {
      network = new FileNetwork(this, sizes);
      this.#networks.set(key, network);
    }
    return network;
  }

  #foundArchitecture(): Architecture | undefined {
    const { metadata } = this.model;
    const [name, text] = [metadata.get(SPACE_KEY), metadata.get(ARCH_KEY)];
    if (name === undefined || text === undefined) return undefined;
    try {
      const space = spaceNamed(name);
      const value = space.parse(text);
      return { space, value, text: space.format(value) };
    } catch (error) {
      // Written by another version, or by somebody else: a network like any other.
      if (error instanceof AuspexError) return undefined;
      throw error;
    }
  }
}

class FileNetwork extends BaseNetwork {
  readonly sizes: Sizes;
  readonly #opened: OpenedModel;
  #chosen: ChosenSizes | null | undefined;

  constructor(opened: OpenedModel, sizes: Sizes) {
    super();
    this.#opened = opened;
    this.sizes = sizes;
  }

  get ref(): string {
    return this.#opened.ref;
  }

  get file(): string | undefined {
    return this.#opened.file;
  }

  get arch(): Architecture | undefined {
    return this.#opened.arch;
  }

  at(sizes: Sizes): Network {
    return this.#opened.at(mergedSizes(this.sizes, sizes));
  }

  settled(): Network {
    const chosen = this.chosenSizes();
    if (chosen === undefined) return this;
    if (chosen.isChecked) return this.at({ dims: { ...this.sizes.dims, ...chosen.sizes } });
    // No sizes fit together: the batch at least can be chosen.
    const [batch] = firstInput(this.inference());
    return this.sizes.batch !== undefined || isKnown(batch) ? this : this.at({ batch: 1 });
  }

  chosenSizes(): ChosenSizes | undefined {
    this.#chosen ??= this.#choose() ?? null;
    return this.#chosen ?? undefined;
  }

  #choose(): ChosenSizes | undefined {
    try {
      return chosenSizesOf(this.inference());
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      // Some networks can be inferred only once all sizes are known.
      const { dims = {}, shapes = {} } = this.sizes;
      const chosen = chosenSizes(this.#opened.model, { dims, shapes });
      if (chosen?.isChecked) return chosen;
      throw error;
    }
  }

  key(): string {
    const { arch } = this;
    return arch ? `${arch.space.name}:${arch.space.hash?.(arch.value) ?? arch.text}` : this.ref;
  }

  protected makeModel(): Model {
    const { model } = this.#opened;
    return sizesKey(this.sizes) === '' ? model : retyped(model, this.inference());
  }

  protected makeInference(): Inference {
    return inferredAt(this.#opened, this.sizes);
  }
}

function firstInput({ graph }: Inference): readonly Dim[] {
  const type = graph.types.get(graph.inputNames[0] ?? '');
  return (isTensor(type) && type.shape) || [];
}

/** Shapes at the sizes that were asked for; a size that the file fixes cannot be another. */
function inferredAt(opened: OpenedModel, { dims, shapes, ...options }: Sizes): Inference {
  const { model } = opened;
  const given = { ...(dims ? { dims } : {}), ...(shapes ? { shapes } : {}) };
  if (sizesKey(options) === '') return inferShapes(model, given);
  // Which names the batch and the sides of images have is told by the network without them.
  const first = opened.at(given).inference();
  const found = openSizes(opened.ref, first, options);
  if (Object.keys(found).length === 0) return first;
  return inferShapes(model, { ...given, dims: { ...dims, ...found } });
}

/** The model with the sizes of its inputs and outputs fixed. */
function retyped(model: Model, inference: Inference): Model {
  const { types } = inference.graph;
  const typed = (values: Graph['inputs']): Graph['inputs'] =>
    values.map((info) => ({ ...info, type: types.get(info.name) ?? info.type }));
  const { graph } = model;
  const [inputs, outputs] = [typed(graph.inputs), typed(graph.outputs)];
  const sized: Model = { ...model, graph: { ...graph, inputs, outputs, valueInfo: new Map() } };
  noteInferred(sized, inference.graph);
  return sized;
}
