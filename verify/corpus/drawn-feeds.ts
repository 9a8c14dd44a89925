// Inputs for runs before and after a transformation: one drawing for both. Images are smooth, in the range that the
// network's own quantisation tells, else between −1 and 1; token ids are small; open sizes are small, too.
import { Tensor } from 'onnxruntime-node';
import { inferShapes } from '../../src/analysis/infer.js';
import { isKnown } from '../../src/graph/dim.js';
import type { Model, ValueInfo } from '../../src/graph/graph.js';
import { isTensor, type ValueType } from '../../src/graph/types.js';
import { traitsOf } from '../../src/ops/index.js';
import { attempt } from '../../src/util/attempt.js';
import { Random } from '../../src/util/random.js';
import type { Numbers } from './closeness.js';

/** Open sizes by what they are called; the first that fits counts. */
const SIZES: readonly (readonly [RegExp, number])[] = [
  [/batch|^n$|^N$/, 1],
  [/past/, 4],
  [/samples|audio/, 16_000],
  [/feature/, 80],
  [/encoder_sequence_length \/ 2/, 1500],
  [/encoder_sequence/, 3000],
  [/height|width|image/, 224],
];

const TOKENS = 16;

/** Open sides of images, and lengths of what is no image, to be tried in turn. */
const OPEN: readonly (readonly [image: number, length: number])[] = [
  [224, 512],
  [320, 16],
  [640, 576],
  [256, 16_000],
  [192, 1536],
  [48, 80],
];

/** A shape for every input, open sizes filled in so that the network makes sense. */
export function sizesOf(model: Model): Record<string, number[]> {
  for (const [image, length] of OPEN) {
    const shapes = filled(model, image, length);
    if (attempt(() => inferShapes(model, { shapes })) !== undefined) return shapes;
  }
  return filled(model, ...OPEN[0]!);
}

function filled(model: Model, image: number, length: number): Record<string, number[]> {
  const sizes: Record<string, number[]> = {};
  for (const { name, type } of model.graph.inputs) {
    if (model.graph.initializers.has(name) || !isTensor(type)) continue;
    const rank = type.shape?.length ?? 0;
    sizes[name] = (type.shape ?? []).map((d, axis) => {
      if (isKnown(d) && d > 0) return d;
      const found = SIZES.find(([pattern]) => pattern.test(String(d)));
      if (found) return found[1];
      if (/state|^[hc]\d*$/.test(name)) return 1;
      // Tokens are few, samples of sound are many.
      if (type.dtype === 'int64' || rank > 2) return axis === 0 ? 1 : rank === 4 ? image : TOKENS;
      return axis === 0 ? 1 : rank === 4 ? image : length;
    });
  }
  return sizes;
}

/** What a run gave, for inputs that it was made to give. */
export function feedsOf(outputs: Numbers, inputs: readonly ValueInfo[]): Record<string, Tensor> {
  return Object.fromEntries(
    inputs.flatMap(({ name }) => (outputs[name] ? [[name, outputs[name].tensor]] : [])),
  );
}

/** Tensors for all inputs. */
export function drawnFeeds(model: Model, seed: number): Record<string, Tensor> {
  const shapes = sizesOf(model);
  const feeds: Record<string, Tensor> = {};
  model.graph.inputs.forEach(({ name, type }, index) => {
    const dims = shapes[name];
    if (dims !== undefined) feeds[name] = drawn(type, dims, rangeOf(model, name), Random.seeded(seed, index));
  });
  return feeds;
}

function drawn(
  type: ValueType,
  dims: number[],
  range: readonly [number, number] | undefined,
  random: Random,
): Tensor {
  const dtype = isTensor(type) ? (type.dtype ?? 'float32') : 'float32';
  const size = dims.reduce((n, d) => n * d, 1);
  if (dtype === 'bool') return new Tensor('bool', new Uint8Array(size), dims);
  if (dtype === 'int64') {
    return new Tensor(
      'int64',
      BigInt64Array.from({ length: size }, () => BigInt(1 + random.below(40))),
      dims,
    );
  }
  if (dtype === 'int32')
    return new Tensor(
      'int32',
      Int32Array.from({ length: size }, () => 1 + random.below(40)),
      dims,
    );
  if (dtype === 'uint8')
    return new Tensor(
      'uint8',
      Uint8Array.from({ length: size }, () => random.below(256)),
      dims,
    );
  // One number is a threshold, a speed, a probability.
  const within = range ?? (size === 1 ? ([0.5, 0.5] as const) : undefined);
  const numbers = dims.length === 4 ? image(dims, within ?? [-1, 1], random) : noise(size, within, random);
  if (dtype === 'float64') return new Tensor('float64', Float64Array.from(numbers), dims);
  return new Tensor('float32', numbers, dims);
}

function noise(size: number, range: readonly [number, number] | undefined, random: Random): Float32Array {
  return Float32Array.from({ length: size }, () =>
    range ? range[0] + (range[1] - range[0]) * random.float() : random.normal() * 0.5,
  );
}

/** Noise at several scales, the larger the stronger, as in photographs. */
function image(
  dims: readonly number[],
  [low, high]: readonly [number, number],
  random: Random,
): Float32Array {
  const [, , height, width] = dims as [number, number, number, number];
  const out = new Float32Array(dims.reduce((n, d) => n * d, 1)).fill(0.5);
  for (let plane = 0; plane < dims[0]! * dims[1]!; plane++) {
    const pixels = out.subarray(plane * height * width, (plane + 1) * height * width);
    for (let octave = 1; octave <= 7; octave++)
      addNoise(pixels, width, height, 2 ** octave, 0.6 / octave, random);
  }
  return out.map((x) => low + (high - low) * Math.min(1, Math.max(0, x)));
}

/** Adds random numbers on a grid of cells, interpolated between them. */
function addNoise(
  pixels: Float32Array,
  width: number,
  height: number,
  cells: number,
  strength: number,
  random: Random,
): void {
  const side = cells + 1;
  const grid = Float64Array.from({ length: side * side }, () => strength * (random.float() - 0.5));
  for (let i = 0; i < pixels.length; i++) {
    const [y, x] = [(Math.floor(i / width) / height) * cells, ((i % width) / width) * cells];
    const [row, column] = [Math.floor(y), Math.floor(x)];
    const [v, u] = [y - row, x - column];
    const at = row * side + column;
    const above = grid[at]! * (1 - u) + grid[at + 1]! * u;
    const below = grid[at + side]! * (1 - u) + grid[at + side + 1]! * u;
    pixels[i] = pixels[i]! + above * (1 - v) + below * v;
  }
}

/** What the integers that an input is quantised to can say. */
function rangeOf(model: Model, input: string): readonly [number, number] | undefined {
  const { graph } = model;
  const names = new Set([input]);
  for (const { node, call } of inferShapes(model).graph.nodes) {
    if (!names.has(node.inputs[0] ?? '')) continue;
    const { moves } = traitsOf(node);
    if (moves === 'axes' || moves === 'shape' || moves === 'same') names.add(node.outputs[0]!);
    const [scale] = call.numbers(1) ?? [];
    if (moves !== 'quantisation' || scale === undefined || graph.initializers.has(input)) continue;
    const zero = call.inputs[2] === undefined ? 0 : (call.numbers(2)?.[0] ?? 0);
    const lowest = call.dtype(2) === 'int8' ? -128 : 0;
    return [(lowest - zero) * scale, (lowest + 255 - zero) * scale];
  }
  return undefined;
}
