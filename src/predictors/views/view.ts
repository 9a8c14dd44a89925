// A view: how an estimator sees networks. It decides which networks are covered, and turns them into tensors; what it has
// to remember of the training data is its state, which is kept in the predictor's file. One file a view.
import type { ZodType } from 'zod';
import type { DataType } from '../../graph/dtype.js';
import type { Shape } from '../../graph/types.js';
import type { Network } from '../../networks/network.js';
import type { Networks } from '../../networks/networks.js';
import type { Batch } from '../../nn/batch.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import type { Json, OnBad } from '../predictor.js';

/** What a model takes; sizes that may be any are symbols, the first is `batch`. */
export type InputShapes = Readonly<Record<string, { readonly type: DataType; readonly dims: Shape }>>;

/** Networks that can be put into batches. */
export interface GraphSet {
  readonly count: number;
  /** The model's inputs for rows; `reordered` ones read differently but mean the same. */
  batch(rows: readonly number[], variant?: 'given' | 'reordered'): Batch;
  /** Rows of one batch have the same. One for all where there is none of this. */
  bucketOf?(row: number): number;
  /** The most rows of a batch of a bucket, where its graphs are so large that more would take too much memory. */
  mostOf?(bucket: number): number;
  /** Rows that are encoded alike have the same; they are predicted once. */
  keyOf?(row: number): string;
  /** A network in a few numbers of comparable size, the same for all rows: what distances are told by; see reach.ts. */
  outline?(row: number): ArrayLike<number>;
  /** The same rows in buckets that have at least so many, for training: each bucket is compiled. */
  merged?(least: number): GraphSet;
}

export interface EncodeOptions {
  /** Told of networks that cannot be encoded, by their place; they are left out. Without it the first is thrown. */
  readonly onBad?: OnBad;
  readonly signal?: AbortSignal;
}

export interface View<S extends Json = Json> {
  readonly name: string;
  /** Checks the state of a file. */
  readonly state: ZodType<S>;
  /**
   * @param options what a kind of predictor asks of the view
   * @param prior the state of a predictor to begin with, which must not be contradicted
   */
  prepare(networks: Networks, options: Json, prior?: S): Promise<S>;
  /**
   * Why a network cannot be seen. Its message is a predicate, as `predicts cells of nasbench201; net.onnx has none`: a
   * caller puts the predictor's name before it. Never throws.
   */
  covers(network: Network, state: S): AuspexError | undefined;
  /** Sentences on what is assumed of a network that is covered, where it does not say so itself: `it has classes`. */
  assumes?(network: Network, state: S): readonly string[];
  inputs(state: S): InputShapes;
  /** Networks are taken one by one and not kept. Those that are not covered are bad. */
  encode(networks: Iterable<Network>, state: S, options?: EncodeOptions): Promise<GraphSet>;
  /** Of views that read every network by itself: what `encode` does, in two parts. Beside another view it is read at once. */
  readonly byRow?: RowView<S>;
}

/** A view that can wait for all rows. */
interface RowView<S extends Json = Json> {
  /** Throws for a network that is not covered. */
  read(network: Network, state: S): ArrayLike<number>;
  set(rows: readonly ArrayLike<number>[], state: S): GraphSet;
}

const VIEWS = new Map<string, View>();

/**
 * Makes a view known by its name: how predictors see networks.
 *
 * @example
 * import { symbol } from 'auspex/graph';
 * import { z } from 'zod';
 * const unscaled = z.strictObject({});
 * registerView<z.infer<typeof unscaled>>({
 *   name: 'log-macs',
 *   state: unscaled,
 *   prepare: async () => ({}),
 *   covers: () => undefined,
 *   inputs: () => ({ macs: { type: 'float32', dims: [symbol('batch'), 1] } }),
 *   encode: async (networks) => {
 *     const rows = Array.from(networks, (net) => Math.log(net.counts().macs));
 *     const data = (chosen: readonly number[]) => Float32Array.from(chosen, (row) => rows[row]!);
 *     return {
 *       count: rows.length,
 *       batch: (chosen) => ({ macs: { type: 'float32', dims: [chosen.length, 1], data: data(chosen) } }),
 *     };
 *   },
 * });
 */
export function registerView<S extends Json>(view: View<S>): void {
  // A state is only given to the view that made it.
  VIEWS.set(view.name, view as unknown as View);
}

/** The view of a name; `a+b` is both side by side. */
export function viewNamed(name: string): View {
  const found = VIEWS.get(name);
  if (found !== undefined) return found;
  if (name.includes('+') && joinViews !== undefined) return joinViews(name.split('+').map(viewNamed));
  throw new AuspexError('VIEW_UNKNOWN', `there is no view called '${printableStart(name, 40)}'`, {
    hint: `known views: ${[...VIEWS.keys()].join(', ')}; update auspex if the file is newer`,
  });
}

let joinViews: ((views: readonly View[]) => View) | undefined;

/** Says how several views become one; see joined.ts. */
export function registerJoin(join: (views: readonly View[]) => View): void {
  joinViews = join;
}

/** What errors say of a predictor. */
const predicates = new WeakMap<AuspexError, string>();

/** Why a view does not cover a network: `predicts cells of nasbench201; net.onnx has none`. */
export function notCovered(code: string, predicate: string, hint?: string): AuspexError {
  const error = new AuspexError(code, predicate, hint === undefined ? {} : { hint });
  predicates.set(error, predicate);
  return error;
}

/** The error as a whole sentence, if it is only a predicate. */
export function saidOf(subject: string, error: AuspexError): AuspexError {
  const { code, message, hint, where } = error;
  if (predicates.get(error) !== message) return error;
  const said = new AuspexError(code, `${subject} ${message}`, { where, ...(hint ? { hint } : {}) });
  predicates.set(said, message);
  return said;
}

/** What an error says of a predictor, for sentences with another subject; undefined where it is of something else. */
export function predicateOf(error: AuspexError): string | undefined {
  return predicates.get(error);
}

/** What `covers` gives for what reading a network throws. */
export function whyNot(read: () => unknown): AuspexError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AuspexError) return error;
    throw error;
  }
}
