// Samples of one's own, cut into batches for the inputs of a network: from .npy files, or images of a folder.
import type { DataType } from '../../graph/dtype.js';
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { type NpyArray, readNpy } from '../../inputs/npy.js';
import type { InputBatch, InputTensor, SubjectOptions } from '../../proxies/index.js';
import type { TypedArray } from '../../runtime/session.js';
import { AuspexError } from '../../util/errors.js';
import { ImageSamples } from './images.js';
import type { GivenInput, ScoringPlan } from './plan.js';
import type { Samples } from './scoring.js';

type Numbers = ArrayLike<number | bigint>;

/** As networks take their inputs. */
const CASTS: Readonly<Partial<Record<DataType, (data: Numbers) => TypedArray>>> = {
  float32: (data) => Float32Array.from(data, Number),
  float64: (data) => Float64Array.from(data, Number),
  int64: (data) => BigInt64Array.from(data as ArrayLike<number>, (x) => BigInt(x)),
  int32: (data) => Int32Array.from(data, Number),
  uint8: (data) => Uint8Array.from(data, Number),
  bool: (data) => Uint8Array.from(data, (x) => Number(Number(x) !== 0)),
};

interface Given extends GivenInput {
  readonly array: NpyArray;
}

export class GivenSamples implements Samples {
  /** Of .npy files; a folder of images is drawn from. */
  readonly count: number;
  readonly #inputs: readonly Given[];
  readonly #labels: NpyArray | undefined;
  readonly #images: ImageSamples | undefined;

  /** Codes: FILE_UNREADABLE, NPY_FORMAT, PROXY_INPUT, IMAGES_EMPTY, IMAGES_MIXED, IMAGE_FORMAT. */
  constructor(plan: ScoringPlan) {
    const { inputs = [], targets, images } = plan;
    this.#images = images && new ImageSamples(images, plan);
    this.#inputs = inputs.map((input) => ({ ...input, array: readNpy(input.file) }));
    this.#labels = targets === undefined ? undefined : readNpy(targets);
    const [first] = this.#inputs;
    this.count = first?.array.dims[0] ?? 0;
    for (const { file, array } of this.#inputs) {
      if (array.dims[0] === this.count && this.count > 0) continue;
      throw new AuspexError('PROXY_INPUT', `the array [${array.dims}] does not have ${this.count} samples`, {
        where: { file },
        hint: 'the first dimension of every array is the number of samples',
      });
    }
  }

  /** What a network is scored on. Samples that do not fill a batch are left out. */
  options(model: Model, wanted: number | undefined): Pick<SubjectOptions, 'batches' | 'labels'> {
    if (this.#images) return this.#images.options(model, wanted);
    if (this.count === 0) return {};
    const { graph } = model;
    const batch = wanted ?? this.count;
    const batches = Math.floor(this.count / batch);
    if (batches === 0) {
      throw new AuspexError(
        'PROXY_INPUT',
        `a batch of ${batch} needs more samples than the ${this.count} given`,
      );
    }
    const real = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
    const named = this.#inputs.map(({ name = real[0]?.name ?? '', file, array }) => {
      const input = real.find((i) => i.name === name);
      const dtype = isTensor(input?.type) ? input.type.dtype : undefined;
      const cast = dtype === undefined ? undefined : CASTS[dtype];
      if (cast) return { name, dtype: dtype!, array, cast };
      const what = input ? `the input '${name}' is ${input.type}` : `there is no input '${name}'`;
      throw new AuspexError('PROXY_INPUT', `${what}, so an array cannot be given for it`, {
        where: { file },
        hint: `the inputs are ${real.map((i) => `'${i.name}'`).join(', ')}`,
      });
    });
    const piece = ({ dtype, array, cast }: (typeof named)[number], k: number): InputTensor => {
      const [, ...dims] = array.dims;
      const each = dims.reduce((n, d) => n * d, 1) * batch;
      const data = cast((array.data as Float32Array).subarray(k * each, (k + 1) * each));
      return { type: dtype, dims: [batch, ...dims], data };
    };
    const places = Array.from({ length: batches }, (_, k) => k);
    return {
      batches: places.map(
        (k): InputBatch => Object.fromEntries(named.map((input) => [input.name, piece(input, k)])),
      ),
      ...(this.#labels ? { labels: places.map((k) => this.#labelsOf(k, batch)) } : {}),
    };
  }

  /** As many for each sample as the array has; whether they fit the logits is found when they are used. */
  #labelsOf(k: number, batch: number): number[] {
    const all = Array.from(this.#labels!.data as ArrayLike<number | bigint>, Number);
    const each = (all.length / this.count) * batch;
    return all.slice(k * each, (k + 1) * each);
  }
}
