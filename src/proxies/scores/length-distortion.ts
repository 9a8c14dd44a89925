// Length distortion, the expressivity term of As-ViT: how long a circle in the space of inputs becomes as the features
// of a network without normalisation.
import { pruned } from '../../analysis/dependence.js';
import { gradients } from '../../autodiff/gradients.js';
import { streamFor } from '../../nn/stream.js';
import type { Value } from '../../ops/build.js';
import { type Feeds, hostTensor } from '../../runtime/session.js';
import { extend, extended } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import { defineProxy } from '../proxy.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { featuresOf } from '../subject/features.js';
import { finished } from '../subject/finished.js';
import { type OpenModel, withOpenInputs } from '../subject/open-inputs.js';
import { withoutNormalisation } from '../subject/statistics.js';
import type { Subject } from '../subject/subject.js';
import { product } from '../subject/value-links.js';

/** Points of the circle, the first of which is the last. */
const POINTS = 10;
/** Draws of weights that are averaged. */
const DRAWS = 5;

/**
 * U (size, 2) is an orthonormal basis of a random plane, y (d) the mean of the features over tokens or pixels. J·u, the
 * derivative along u = dx/dθ, is the gradient by v of ⟨∂⟨v, y⟩/∂x, u⟩, which is linear in v: all channels at once.
 */
export const lengthDistortion = defineProxy({
  name: 'ld',
  title: 'Length distortion',
  paper: 'Chen et al., ICLR 2022, arXiv:2202.11921 (As-ViT)',
  formula:
    'Σ_i ‖dy(x_i)/dθ_i‖₂, x_i = U·(cos θ_i, sin θ_i), θ = 0 … 2π in 10 steps, mean over 5 initialisations',
  better: 'higher',
  scale: 'raw',
  needs: { weights: true, samples: 0, batches: 0, labels: false, gradients: true },
  variants: {
    given: "the network's own weights, once, and the plane of the first two samples of the given batch",
  },
  elsewhere:
    'normalisations become identity; for tokens, the circle lies in the space of their embeddings; an ' +
    'operator without first or second gradient is an error',
  score: async (subject, variant) => {
    if (variant === 'given') {
      const value = await circleLength(subject, true);
      return { value, details: { lengths: [value] } };
    }
    const lengths: number[] = [];
    for (let draw = 0; draw < DRAWS; draw++) {
      lengths.push(await circleLength(subject.redrawn('default', draw), false));
    }
    return { value: lengths.reduce((sum, x) => sum + x, 0) / DRAWS, details: { lengths } };
  },
});

async function circleLength(subject: Subject, isGiven: boolean): Promise<number> {
  const { samples } = subject;
  const { channelAxis, name } = featuresOf(subject);
  const open = withOpenInputs(withoutNormalisation(subject.model).model, subject);
  const [u, v] = await planeOf(subject, open, isGiven);

  const first = extend(open.model);
  const z = first.value(name);
  const positions = [...z.sizes.keys()].filter((axis) => axis !== 0 && axis !== channelAxis);
  const y = samplesFirst(z, samples, channelAxis, positions);
  const probe = first.input('auspex.probe', y.dtype, y.sizes);
  const along = y.mul(probe).sum();
  const backward = gradients(extended(open.model, first, [along]), along.name, open.names);

  const second = extend(backward.model);
  const directions = open.names.map((_, i) =>
    second.input(`auspex.direction ${i}`, 'float32', open.dims[i]!),
  );
  const inner = second.sum(
    open.names.map((input, i) => second.value(backward.gradients.get(input)!).mul(directions[i]!).sum()),
  );
  const tangent = gradients(extended(backward.model, second, [inner]), inner.name, [probe.name]);
  const third = extend(tangent.model);
  const speeds = third.value(tangent.gradients.get(probe.name)!).cast('float64').square().sum([1]).sqrt();
  const session = await Compiled.create(
    pruned(finished(extended(tangent.model, third, [speeds]))),
    subject.session,
  );
  try {
    const rest = await subject.feeds(0);
    let length = 0;
    for (let start = 0; start < POINTS; start += samples) {
      // More samples than points are left: the last ones are not counted.
      const angles = Array.from({ length: samples }, (_, i) => (2 * Math.PI * (start + i)) / (POINTS - 1));
      const at = (f: (angle: number) => readonly [number, number]) =>
        spread(open, samples, (n) => f(angles[n]!), u, v);
      const x = at((angle) => [Math.cos(angle), Math.sin(angle)]);
      const dx = at((angle) => [-Math.sin(angle), Math.cos(angle)]);
      const feeds: Record<string, Feeds[string]> = { ...rest };
      for (const [i, input] of open.names.entries()) {
        feeds[input] = await hostTensor('float32', x[i]!, open.dims[i]!);
        feeds[`auspex.direction ${i}`] = await hostTensor('float32', dx[i]!, open.dims[i]!);
      }
      feeds[probe.name] = await hostTensor('float32', new Float32Array(product(y.sizes)), y.sizes);
      const found = await session.run(feeds);
      const data = found[speeds.name]!.data as Float64Array;
      for (let i = 0; i < Math.min(samples, POINTS - start); i++) length += data[i]!;
    }
    return length;
  } finally {
    await session.dispose();
  }
}

/** Means over positions, (N, d). Rows that are windows or tokens of a sample come together again. */
function samplesFirst(z: Value, samples: number, channelAxis: number, positions: readonly number[]): Value {
  const pooled = z.mean(positions);
  if (pooled.length(0) === samples) return pooled.reshape([samples, -1]);
  return pooled.reshape([samples, -1, z.length(channelAxis)]).mean([1]);
}

/** Two orthonormal vectors as long as a sample. */
async function planeOf(
  subject: Subject,
  { names, dims, size }: OpenModel,
  isGiven: boolean,
): Promise<[Float64Array, Float64Array]> {
  const { samples } = subject;
  const random = streamFor(subject.seed, 'plane', 0);
  const drawn = (): Float64Array => Float64Array.from({ length: size }, () => random.normal());
  const given = await subject.feeds(0);
  const canBeGiven = samples >= 2 && names.every((name) => given[name] !== undefined);
  if (isGiven && !canBeGiven) {
    throw new AuspexError('PROXY_BATCH', 'a plane needs two float samples; this batch has fewer', {
      hint: 'give a larger batch of floats, or use the random plane',
    });
  }
  const sample = (n: number): Float64Array => {
    const parts = names.flatMap((name, i) => {
      const part = product(dims[i]!) / samples;
      return Array.from((given[name]!.data as Float32Array).subarray(n * part, (n + 1) * part));
    });
    return Float64Array.from(parts);
  };
  const [a, b] = isGiven ? [sample(0), sample(1)] : [drawn(), drawn()];
  const u = normalised(a);
  const inner = b.reduce((sum, x, i) => sum + x * u[i]!, 0);
  return [u, normalised(b.map((x, i) => x - inner * u[i]!))];
}

function normalised(v: Float64Array): Float64Array {
  const norm = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  return v.map((x) => x / norm);
}

/** a·u + b·v for every sample, as the inputs take it. */
function spread(
  { names, dims }: OpenModel,
  samples: number,
  coefficients: (sample: number) => readonly [number, number],
  u: Float64Array,
  v: Float64Array,
): Float32Array[] {
  let offset = 0;
  return names.map((_, i) => {
    const part = product(dims[i]!) / samples;
    const data = new Float32Array(product(dims[i]!));
    for (let n = 0; n < samples; n++) {
      const [a, b] = coefficients(n);
      for (let k = 0; k < part; k++) data[n * part + k] = a * u[offset + k]! + b * v[offset + k]!;
    }
    offset += part;
    return data;
  });
}
