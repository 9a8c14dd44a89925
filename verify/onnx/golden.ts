// Networks with PyTorch's gradients on disk, as verify/golden/networks.py writes them (see its docstring).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Model, makeNode, type ValueInfo } from '../../src/graph/graph.js';
import { isTensor, TensorType, UNKNOWN } from '../../src/graph/types.js';
import { readModel } from '../../src/onnx/file.js';
import { type Feeds, hostTensor } from '../../src/runtime/session.js';

/** An entry of the manifest. */
export interface GoldenEntry {
  readonly name: string;
  readonly source: string;
  readonly exporter: 'torchscript' | 'dynamo';
  readonly training: boolean;
  /** Parameters of the module that its loss depends on. */
  readonly parameters: number;
  /** Those of them that the file does not hold, because the exporter computed something from them. */
  readonly left: readonly string[];
}

/** A variant that an exporter refused. */
export interface GoldenFailure {
  readonly name: string;
  readonly reason: string;
}

export interface GoldenManifest {
  readonly versions: Readonly<Record<string, string>>;
  readonly networks: readonly GoldenEntry[];
  readonly failures: readonly GoldenFailure[];
}

interface Place {
  readonly dims: readonly number[];
  /** In bytes. */
  readonly offset: number;
}

/** A tensor of the file whose elements, as those of a tensor of `dims` transposed by `axes`, are in torch's order. */
interface WeightUse {
  readonly name: string;
  readonly dims?: readonly number[];
  readonly axes?: readonly number[];
}

export interface GoldenWeight {
  readonly parameters: readonly string[];
  /** Values of the graph that hold it; their gradients, transposed, add up. */
  readonly uses: readonly WeightUse[];
  readonly float32: Place;
  readonly float64: Place;
}

interface CaseFile {
  readonly classAxis: number;
  readonly loss: number;
  readonly inputs: Readonly<Record<string, Place & { readonly type: 'float32' | 'int64' }>>;
  readonly labels: Place;
  readonly weights: readonly GoldenWeight[];
}

export function readManifest(folder: string): GoldenManifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as GoldenManifest;
}

/** The names of what is added to a model. */
export const LABELS = 'labels';
export const LOSS = 'loss';

/** One network with what goes in and what must come out. */
export class GoldenCase {
  readonly #case: CaseFile;
  readonly #data: Buffer;
  /** The model, ending in its loss. */
  readonly model: Model;

  constructor(folder: string) {
    this.#case = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as CaseFile;
    this.#data = readFileSync(join(folder, 'data.bin'));
    const { classAxis, labels } = this.#case;
    this.model = withCrossEntropy(readModel(join(folder, 'model.onnx')), labels.dims, classAxis);
  }

  get loss(): number {
    return this.#case.loss;
  }

  get weights(): readonly GoldenWeight[] {
    return this.#case.weights;
  }

  #bytes({ dims, offset }: Place, width: number): ArrayBuffer {
    const length = width * dims.reduce((n, d) => n * d, 1);
    // A copy, so that it is aligned.
    return new Uint8Array(this.#data.subarray(offset, offset + length)).buffer;
  }

  /** Elements that are stored as float32. */
  floats(place: Place): Float32Array {
    return new Float32Array(this.#bytes(place, 4));
  }

  /** The gradient of a weight from those of the values that hold it. */
  gradientOf(weight: GoldenWeight, gradientOf: (name: string) => Float32Array): Float32Array {
    const parts = weight.uses.map(({ name, dims, axes }) =>
      dims && axes ? transposed(gradientOf(name), dims, axes) : gradientOf(name),
    );
    return parts.reduce((a, b) => a.map((x, i) => x + b[i]!));
  }

  async feeds(): Promise<Feeds> {
    const feeds: Record<string, Feeds[string]> = {
      [LABELS]: await hostTensor('int64', this.#integers(this.#case.labels), this.#case.labels.dims),
    };
    for (const [name, place] of Object.entries(this.#case.inputs)) {
      const data = place.type === 'float32' ? this.floats(place) : this.#integers(place);
      feeds[name] = await hostTensor(place.type, data, place.dims);
    }
    return feeds;
  }

  #integers(place: Place): BigInt64Array {
    return new BigInt64Array(this.#bytes(place, 8));
  }
}

function transposed(from: Float32Array, dims: readonly number[], axes: readonly number[]): Float32Array {
  const strides = dims.map((_, i) => dims.slice(i + 1).reduce((n, d) => n * d, 1));
  return from.map((_, place) => {
    let rest = place;
    let source = 0;
    for (const axis of axes.toReversed()) {
      source += (rest % dims[axis]!) * strides[axis]!;
      rest = Math.floor(rest / dims[axis]!);
    }
    return from[source]!;
  });
}

/** The mean cross-entropy of the first output, whose classes lie along an axis, with labels as one more input. */
function withCrossEntropy(model: Model, labelDims: readonly number[], classAxis: number): Model {
  const { graph } = model;
  const logits = graph.outputs[0]!;
  const rank = labelDims.length + 1;
  const nodes = [...graph.nodes];
  let scores = logits.name;
  if (classAxis === -1 && rank > 2) {
    // The operator wants the classes behind the batch.
    const value = [0, rank - 1, ...Array.from({ length: rank - 2 }, (_, i) => i + 1)];
    scores = `${LOSS}.scores`;
    nodes.push(makeNode('Transpose', [logits.name], [scores], { perm: { type: 'ints', value } }));
  }
  const reduction = { type: 'string', value: 'mean' } as const;
  nodes.push(makeNode('SoftmaxCrossEntropyLoss', [scores, LABELS], [LOSS], { reduction }, { name: LOSS }));
  const labels: ValueInfo = { name: LABELS, type: new TensorType('int64', labelDims) };
  const dtype = isTensor(logits.type) ? logits.type.dtype : undefined;
  const loss: ValueInfo = { name: LOSS, type: dtype ? new TensorType(dtype, []) : UNKNOWN };
  return { ...model, graph: { ...graph, nodes, inputs: [...graph.inputs, labels], outputs: [loss] } };
}
