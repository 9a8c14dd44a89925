// Images of a folder, as batches for the image input of a network. Which images they are follows from the folder and the
// seed alone, so that all networks and workers see the same.
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { ImageFolder } from '../../inputs/images/image-folder.js';
import { type ImageShape, writeImage } from '../../inputs/images/image-tensor.js';
import { type InputTensor, PROXIES, type SubjectOptions } from '../../proxies/index.js';
import { AuspexError } from '../../util/errors.js';
import { BATCH, type GivenImages, type ScoringPlan } from './plan.js';

type Batches = Required<Pick<SubjectOptions, 'batches'>> & Pick<SubjectOptions, 'labels'>;
type Settings = Pick<ScoringPlan, 'seed' | 'batch' | 'dims' | 'shapes'>;

/** As many as any proxy takes, so that no score depends on which others are asked for. */
const BATCHES = Math.max(...PROXIES.map((proxy) => proxy.needs.batches));

/** The input that takes images. */
interface ImageInput extends ImageShape {
  readonly name: string;
  readonly dtype: 'float32' | 'float64';
  readonly batch: number;
}

export class ImageSamples {
  readonly #folder: ImageFolder;
  readonly #images: GivenImages;
  readonly #settings: Settings;
  /** Of the last kind of input: networks of a pool mostly have the same. */
  #last: { readonly input: string; readonly found: Batches } | undefined;

  /** Reads the images that networks of the usual batch will need. Codes: those of `ImageFolder`. */
  constructor(images: GivenImages, settings: Settings) {
    this.#images = images;
    this.#settings = settings;
    this.#folder = new ImageFolder(images.folder);
    // A file that cannot be read is a mistake of the command, not of the networks.
    for (const index of this.#drawn(settings.batch ?? BATCH)) this.#folder.read(index);
  }

  #drawn(batch: number): number[] {
    return this.#folder.drawn(batch * BATCHES, this.#settings.seed);
  }

  /** What a network is scored on: fewer batches than proxies take if there are no more images. */
  options(model: Model, wanted: number | undefined): Batches {
    const input = imageInput(model, wanted, this.#settings);
    const key = JSON.stringify(input);
    if (this.#last?.input !== key) this.#last = { input: key, found: this.#read(input) };
    return this.#last.found;
  }

  #read(input: ImageInput): Batches {
    const { name, dtype, batch, channels, height, width, isChannelsLast } = input;
    const chosen = this.#drawn(batch);
    if (chosen.length < batch) {
      const count = `the folder has ${chosen.length}`;
      throw new AuspexError('PROXY_INPUT', `a batch needs ${batch} images, but ${count}`, {
        where: { file: this.#images.folder },
        hint: 'give more images, or a smaller --batch',
      });
    }
    const dims = isChannelsLast ? [batch, height, width, channels] : [batch, channels, height, width];
    const each = channels * height * width;
    const [batches, labels]: [Record<string, InputTensor>[], number[][]] = [[], []];
    for (let start = 0; start + batch <= chosen.length; start += batch) {
      const data = new Float32Array(batch * each);
      const classes = chosen.slice(start, start + batch).map((index, i) => {
        const { picture, label } = this.#folder.read(index);
        writeImage(picture, input, this.#images, data, i * each);
        return label ?? 0;
      });
      const values = dtype === 'float32' ? data : Float64Array.from(data);
      batches.push({ [name]: { type: dtype, dims, data: values } });
      labels.push(classes);
    }
    return this.#folder.isLabelled ? { batches, labels } : { batches };
  }
}

/** The first input of (batch, channels, height, width) or (batch, height, width, channels) with 1 or 3 channels. */
function imageInput(
  { graph }: Model,
  wanted: number | undefined,
  { dims: sizes = {}, shapes = {} }: Settings,
): ImageInput {
  const real = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  for (const { name, type } of real) {
    if (!isTensor(type) || (type.dtype !== 'float32' && type.dtype !== 'float64')) continue;
    const told = shapes[name];
    const shape = (told ?? type.shape ?? []).map((d) => (typeof d === 'number' ? d : sizes[String(d)]));
    if (shape.length !== 4) continue;
    const isChannelsLast = !isChannels(shape[1]) && isChannels(shape[3]);
    const [own, a, b, c] = shape;
    const [channels, height, width] = isChannelsLast ? [c, a, b] : [a, b, c];
    if (!isChannels(channels)) continue;
    if (height === undefined || width === undefined) {
      throw new AuspexError('PROXY_SHAPES', `input '${name}' is ${type}: images need a height and a width`, {
        hint: 'fix symbolic sizes with --dim, or the whole shape with --shape',
      });
    }
    // A batch of the file gives way to --batch, one that was told does not.
    const isFixed = told !== undefined || typeof type.shape?.[0] !== 'number';
    const batch = (isFixed ? (own ?? wanted) : (wanted ?? own)) ?? BATCH;
    return { name, dtype: type.dtype, batch, channels, height, width, isChannelsLast };
  }
  throw new AuspexError('PROXY_INPUT', 'no input of this network takes images', {
    hint: `an image input is float (batch, 1 or 3, height, width); the inputs are ${real.map((i) => `'${i.name}' ${i.type}`).join(', ')}`,
  });
}

const isChannels = (size: number | undefined): size is 1 | 3 => size === 1 || size === 3;
