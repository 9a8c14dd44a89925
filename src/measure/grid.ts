// The grid of a measurement: every combination of the batches, shapes, sizes, threads, providers and optimisations that were
// asked for.
import type { Sizes } from '../networks/index.js';
import type { Optimization, RunSettings } from './protocol.js';

export interface GridOptions {
  readonly batches?: readonly number[];
  /** Shapes of inputs, by name. */
  readonly shapes?: Readonly<Record<string, readonly (readonly (number | string)[])[]>>;
  /** Values of symbolic sizes, by name. */
  readonly dims?: Readonly<Record<string, readonly number[]>>;
  /** Sizes that all cases share: width, classes, resolution of a space. */
  readonly sizes?: Sizes;
  readonly threads?: readonly number[];
  readonly providers?: readonly string[];
  readonly optimizations?: readonly Optimization[];
}

/** One measurement of a network. */
export interface Case {
  readonly sizes: Sizes;
  readonly settings: RunSettings;
  /** What differs between the cases of the grid, for people: 'batch 8, 2 threads'; empty if nothing does. */
  readonly label: string;
}

/** Cases in the order in which options were given; the last option changes fastest. */
export function casesOf(options: GridOptions): Case[] {
  const { batches = [], shapes = {}, dims = {}, sizes = {} } = options;
  const { threads = [1], providers = ['cpu'], optimizations = ['all'] } = options;
  const axes: Axis[] = [
    axis(
      batches,
      (batch) => ({ sizes: { batch } }),
      (batch) => `batch ${batch}`,
    ),
    ...Object.entries(shapes).map(([name, all]) =>
      axis(
        all,
        (shape) => ({ sizes: { shapes: { [name]: shape } } }),
        (shape) => `${name}=${shape.join('x')}`,
      ),
    ),
    ...Object.entries(dims).map(([name, all]) =>
      axis(
        all,
        (size) => ({ sizes: { dims: { [name]: size } } }),
        (size) => `${name}=${size}`,
      ),
    ),
    axis(providers, (provider) => ({ settings: { provider } }), String),
    axis(
      optimizations,
      (optimization) => ({ settings: { optimization } }),
      (level) => `optimization ${level}`,
    ),
    axis(
      threads,
      (count) => ({ settings: { threads: count } }),
      (n) => `${n} thread${n === 1 ? '' : 's'}`,
    ),
  ];
  let cases: Case[] = [{ sizes, settings: { threads: 1, provider: 'cpu', optimization: 'all' }, label: '' }];
  for (const steps of axes) {
    if (steps.length > 0) cases = cases.flatMap((one) => steps.map((step) => combined(one, step)));
  }
  return cases;
}

interface Step {
  readonly sizes?: Sizes;
  readonly settings?: Partial<RunSettings>;
  readonly label: string;
}

type Axis = readonly Step[];

function axis<T>(
  values: readonly T[],
  step: (value: T) => Omit<Step, 'label'>,
  label: (value: T) => string,
): Axis {
  return values.map((value) => ({ ...step(value), label: values.length > 1 ? label(value) : '' }));
}

function combined(one: Case, { sizes = {}, settings = {}, label }: Step): Case {
  return {
    sizes: {
      ...one.sizes,
      ...sizes,
      ...(sizes.shapes ? { shapes: { ...one.sizes.shapes, ...sizes.shapes } } : {}),
      ...(sizes.dims ? { dims: { ...one.sizes.dims, ...sizes.dims } } : {}),
    },
    settings: { ...one.settings, ...settings },
    label: [one.label, label].filter((text) => text !== '').join(', '),
  };
}
