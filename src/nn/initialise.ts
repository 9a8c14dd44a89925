// First values of parameters. Every parameter draws from a stream of its own, made from the seed and its name, so
// that adding a layer does not change the others.
import { digest } from '../util/digest.js';
import { Random } from '../util/random.js';

/** Fills the elements of a tensor of a shape. */
export type Initialiser = (random: Random, dims: readonly number[]) => Float32Array;

export function initialValues(
  { name, dims, initialise }: { name: string; dims: readonly number[]; initialise: Initialiser },
  seed: number,
): Float32Array {
  return initialise(Random.seeded(seed, Number.parseInt(digest(name).slice(0, 8), 16)), dims);
}

function fill(dims: readonly number[], element: () => number): Float32Array {
  const values = new Float32Array(dims.reduce((n, d) => n * d, 1));
  for (let i = 0; i < values.length; i++) values[i] = element();
  return values;
}

/** Numbers that are drawn together, which is faster than one by one and gives the same. */
const TOGETHER = 4096;

function drawn(
  dims: readonly number[],
  draw: (into: Float64Array) => void,
  scale: number,
  shift: number,
): Float32Array {
  const values = new Float32Array(dims.reduce((n, d) => n * d, 1));
  const buffer = new Float64Array(Math.min(TOGETHER, values.length));
  for (let start = 0; start < values.length; start += TOGETHER) {
    const some = buffer.subarray(0, values.length - start);
    draw(some);
    for (let i = 0; i < some.length; i++) values[start + i] = shift + scale * some[i]!;
  }
  return values;
}

export function constant(value: number): Initialiser {
  return (_, dims) => fill(dims, () => value);
}

export const zeros = constant(0);
export const ones = constant(1);

export function uniform(low: number, high: number): Initialiser {
  return (random, dims) => drawn(dims, (into) => random.floats(into), high - low, low);
}

export function normal(mean: number, deviation: number): Initialiser {
  return (random, dims) => drawn(dims, (into) => random.normals(into), deviation, mean);
}

/** A normal distribution from which what lies beyond the bounds is drawn again; PyTorch's are ±2. */
export function truncatedNormal(deviation: number, mean = 0, low = -2, high = 2): Initialiser {
  // Of the numbers that are drawn together, those within the bounds are kept in order: as if drawn one by one.
  const draw = (random: Random, into: Float64Array): void => {
    let kept = 0;
    while (kept < into.length) {
      const some = into.subarray(kept);
      random.normals(some);
      for (let i = 0; i < some.length; i++) {
        const x = mean + deviation * some[i]!;
        if (x >= low && x <= high) into[kept++] = x;
      }
    }
  };
  return (random, dims) => drawn(dims, (into) => draw(random, into), 1, 0);
}

/**
 * How many numbers meet in one output, and how many outputs one number reaches: of (in, out) for a product x·W,
 * of (out, in, …kernel) for a convolution.
 */
export function fans(dims: readonly number[]): { fanIn: number; fanOut: number } {
  if (dims.length < 2) return { fanIn: dims[0] ?? 1, fanOut: dims[0] ?? 1 };
  if (dims.length === 2) return { fanIn: dims[0]!, fanOut: dims[1]! };
  const kernel = dims.slice(2).reduce((n, d) => n * d, 1);
  return { fanIn: dims[1]! * kernel, fanOut: dims[0]! * kernel };
}

/** He et al. 2015: deviation gain/√fan. The gain of a ReLU is √2. */
export function kaimingNormal(gain = Math.SQRT2, mode: 'fanIn' | 'fanOut' = 'fanIn'): Initialiser {
  return (random, dims) => normal(0, gain / Math.sqrt(fans(dims)[mode]))(random, dims);
}

/** He et al. 2015, uniform: bound gain·√(3/fan). PyTorch's Linear and Conv begin with a gain of 1/√3. */
export function kaimingUniform(gain = Math.SQRT2, mode: 'fanIn' | 'fanOut' = 'fanIn'): Initialiser {
  return (random, dims) => {
    const bound = gain * Math.sqrt(3 / fans(dims)[mode]);
    return uniform(-bound, bound)(random, dims);
  };
}

/** Glorot & Bengio 2010: deviation gain·√(2/(fanIn + fanOut)). */
export function xavierNormal(gain = 1): Initialiser {
  return (random, dims) => {
    const { fanIn, fanOut } = fans(dims);
    return normal(0, gain * Math.sqrt(2 / (fanIn + fanOut)))(random, dims);
  };
}

/** Glorot & Bengio 2010, uniform: bound gain·√(6/(fanIn + fanOut)). */
export function xavierUniform(gain = 1): Initialiser {
  return (random, dims) => {
    const { fanIn, fanOut } = fans(dims);
    const bound = gain * Math.sqrt(6 / (fanIn + fanOut));
    return uniform(-bound, bound)(random, dims);
  };
}
