// Networks as a row of numbers: what they cost, and where a space has them, features of the cell's structure.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import type { Network } from '../../networks/network.js';
import type { Networks } from '../../networks/networks.js';
import type { Batch } from '../../nn/batch.js';
import { SPACES, spaceNamed } from '../../spaces/index.js';
import type { AnySpace, Cell } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { readEach } from '../encode.js';
import { INPUT } from '../feature-model.js';
import { FeatureRows } from './feature-rows.js';
import { FLOW_FEATURES, STRUCTURE_FEATURES, structureFeatures } from './flow/flow-features.js';
import { type Graf, grafOf } from './graf.js';
import { expectSmallImages } from './small-images.js';
import { type GraphSet, notCovered, registerView, type View, whyNot } from './view.js';

const STATE = z.object({
  /** In the order of the input. */
  names: z.array(z.string()).min(1),
  /** Whose cells they are features of; null for those that every network has. */
  space: z.string().nullable(),
  /** The names are those of `flowFeatures`. */
  flow: z.literal(true).optional(),
  /** Those of segments are behind them. */
  segments: z.literal(true).optional(),
  /** Only classifiers of images up to this side are covered. */
  largestSide: z.number().optional(),
});
export type FeatureState = z.infer<typeof STATE>;

/** Numbers that every network has. */
const COSTS = ['parameters', 'macs', 'flops', 'depth', 'memoryAccess'] as const;
export type CostFeature = (typeof COSTS)[number];

/**
 * Costs by name; `structure` is all that is known of a space's cells; `flow` is of whole networks, see `flowFeatures`, and
 * `segments` are these and numbers of segments, see `segmentFeatures`.
 */
export type FeatureOptions = {
  readonly features: 'structure' | 'flow' | 'segments' | readonly CostFeature[];
};

/** Made once: a predictor asks for every network. */
const grafs = new Map<string, Graf | undefined>();

/** GRAF's features of a space, where they are defined for it. */
function grafNamed(name: string | null | undefined): Graf | undefined {
  if (!name) return undefined;
  if (!grafs.has(name)) {
    const space = SPACES.find((known) => known.name === name);
    grafs.set(name, space && grafOf(space));
  }
  return grafs.get(name);
}

/** Networks that are looked at to find out which space they are of. */
const LOOKED_AT = 32;

const featureView: View<FeatureState> = {
  name: 'features',
  state: STATE,

  async prepare(networks, options, prior) {
    const { features } = options as FeatureOptions;
    if (prior !== undefined) return prior;
    if (features === 'flow') return { names: [...FLOW_FEATURES], space: null, flow: true };
    if (features === 'segments') return segmentState();
    return features === 'structure'
      ? structureOf(commonSpace(networks))
      : { names: [...features], space: null };
  },

  covers: (network, state) => whyNot(() => rowOf(network, state)),

  inputs: ({ names }) => ({ [INPUT]: { type: 'float32', dims: [symbol('batch'), names.length] } }),

  async encode(networks, state, options) {
    return setOf(await readEach(networks, (network) => rowOf(network, state), options), state);
  },

  byRow: { read: rowOf, set: setOf },
};
registerView(featureView);

/** The state of `segments`, which is the same for all networks. */
export function segmentState(): FeatureState {
  return { names: [...STRUCTURE_FEATURES], space: null, flow: true, segments: true };
}

function setOf(rows: readonly ArrayLike<number>[], { names }: FeatureState): FeatureSet {
  const data = new Float32Array(rows.length * names.length);
  rows.forEach((row, i) => void data.set(row, i * names.length));
  return new FeatureSet(new FeatureRows(names, data));
}

/** Rows of numbers, which are put into batches as they are. */
export class FeatureSet implements GraphSet {
  readonly rows: FeatureRows;
  readonly count: number;
  readonly #most: number;

  /** @param most rows of a batch, for models that take much memory for each */
  constructor(rows: FeatureRows, most = Number.POSITIVE_INFINITY) {
    this.rows = rows;
    this.count = rows.count;
    this.#most = most;
  }

  mostOf(): number {
    return this.#most;
  }

  batch(rows: readonly number[]): Batch {
    const { names, data } = this.some(rows);
    return { [INPUT]: { type: 'float32', dims: [rows.length, names.length], data } };
  }

  /** Logarithms: sizes range over orders of magnitude. */
  outline(row: number): Float64Array {
    const width = this.rows.names.length;
    const own = this.rows.data.subarray(row * width, (row + 1) * width);
    return Float64Array.from(own, (x) => Math.sign(x) * Math.log1p(Math.abs(x)));
  }

  some(chosen: readonly number[]): FeatureRows {
    const { names, data } = this.rows;
    const width = names.length;
    const part = new Float32Array(chosen.length * width);
    chosen.forEach((row, i) => void part.set(data.subarray(row * width, (row + 1) * width), i * width));
    return new FeatureRows(names, part);
  }
}

/** The one space that networks are of; undefined for files, and where there are several. */
function commonSpace(networks: Networks): string | undefined {
  const names = new Set<string | undefined>();
  for (let row = 0; row < Math.min(networks.count, LOOKED_AT); row++) {
    try {
      names.add(networks.at(row).arch?.space.name);
    } catch (error) {
      // Said when it is encoded.
      if (!(error instanceof AuspexError)) throw error;
    }
  }
  const [name] = names;
  return names.size === 1 ? name : undefined;
}

/**
 * GRAF's features where they are defined for the space; of other spaces with cells how often every operation is there,
 * parameters and MACs; else parameters, MACs and depth.
 */
function structureOf(name: string | undefined): FeatureState {
  const graf = grafNamed(name);
  if (graf !== undefined) return { names: [...graf.names], space: name! };
  const space = name === undefined || name.startsWith('onnx') ? undefined : spaceNamed(name);
  const { cell, vocabulary } = space ?? {};
  if (cell === undefined || vocabulary === undefined) {
    return { names: ['parameters', 'macs', 'depth'], space: null };
  }
  return { names: [...vocabulary.map(countName), 'parameters', 'macs'], space: name! };
}

function countName(operation: string): string {
  return `count(${operation})`;
}

/** The features of a network, in the order of the names. */
function rowOf(network: Network, state: FeatureState): ArrayLike<number> {
  const { names, space, flow, segments, largestSide } = state;
  if (flow) {
    expectFeatures(names, segments ? STRUCTURE_FEATURES : FLOW_FEATURES);
    if (largestSide !== undefined) expectSmallImages(network, largestSide);
    return flowRow(network).subarray(0, names.length);
  }
  const cell = space === null ? undefined : cellOf(network, space);
  const graf = grafNamed(space);
  if (cell !== undefined && graf !== undefined) {
    expectFeatures(names, graf.names);
    return graf.rows([cell]).data;
  }
  const counts = new Map<string, number>();
  for (const op of cell?.ops ?? []) counts.set(countName(op), (counts.get(countName(op)) ?? 0) + 1);
  return names.map((name) => {
    if (name.startsWith('count(')) return counts.get(name) ?? 0;
    if (!COSTS.includes(name as CostFeature)) expectFeatures(names, COSTS);
    const value = costOf(network, name as CostFeature);
    if (Number.isFinite(Math.fround(value))) return value;
    throw notCovered(
      'FEATURES_NOT_FINITE',
      `cannot use ${network.ref}: its '${name}' is ${value}`,
      'fix sizes that are open: --dim NAME=SIZE, or when it is exported',
    );
  });
}

/** Bytes that nodes read and write count as a cost that takes longer to find. */
function costOf(network: Network, name: CostFeature): number {
  if (name !== 'memoryAccess') return network.settled().counts()[name];
  return Number(network.settled().cost().totals.memoryAccessBytes);
}

/** Rows of architectures: a forest, a process and a table of results ask for the same ones. */
const flowRows = new WeakMap<AnySpace, Map<string, Float32Array>>();
/** Of each space; 16 MB. */
const MOST_KEPT = 20_000;

/** All of `structureFeatures`; those of flow come first. */
function flowRow(network: Network): Float32Array {
  const { arch, file, sizes } = network;
  const made = (): Float32Array => Float32Array.from(Object.values(structureFeatures(network.settled())));
  if (arch === undefined || file !== undefined || Object.keys(sizes).length > 0) return made();
  let kept = flowRows.get(arch.space);
  if (kept === undefined) {
    kept = new Map();
    flowRows.set(arch.space, kept);
  }
  const known = kept.get(arch.text);
  if (known !== undefined) return known;
  const row = made();
  if (kept.size < MOST_KEPT) kept.set(arch.text, row);
  return row;
}

function cellOf(network: Network, space: string): Cell {
  const { arch, ref } = network;
  const cell = arch?.space.name === space ? network.cell() : undefined;
  if (cell !== undefined) return cell;
  const hint = 'train a predictor on such networks; whole-network predictors see any: nn-former-network';
  throw arch === undefined
    ? notCovered(
        'NETWORK_WITHOUT_SPACE',
        `uses features of cells of ${space}; ${ref} does not say which architecture it is`,
        `give a file that \`auspex space export\` wrote; ${hint}`,
      )
    : notCovered(
        'OTHER_SPACE',
        `uses features of cells of ${space}; ${ref} belongs to ${arch.space.name}`,
        hint,
      );
}

/** Throws where a predictor's file was fitted to features that are now others. */
function expectFeatures(found: readonly string[], now: readonly string[]): void {
  if (found.length === now.length && found.every((name, i) => name === now[i])) return;
  throw notCovered(
    'FEATURES_OTHER',
    'was fitted to features that auspex no longer computes',
    'train it again',
  );
}
