// The one class of predictors: a view encodes networks, a graph runs, columns come out. What it can do (predict, order,
// embed) is told by the entries of its file.
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/network.js';
import type { Networks } from '../networks/networks.js';
import { sizesKey } from '../networks/sizes.js';
import type { Batch } from '../nn/batch.js';
import { encodeModel } from '../onnx/write.js';
import type { SessionOptions } from '../runtime/session.js';
import type { AuspexError } from '../util/errors.js';
import { encodeRows } from './encode.js';
import { outputOf, pairOf } from './entries.js';
import { withInfo } from './file.js';
import { KINDS } from './kind.js';
import { ownTitle } from './kind-titles.js';
import { transformNamed } from './labels.js';
import { DISTANCES, nearest, tooFar } from './neighbours.js';
import { combinedOrder, orderOfLatents } from './pool-order.js';
import { intervalEnds, type Neighbour, Predictions } from './predictions.js';
import type {
  Ensemble,
  Entry,
  Matrix,
  MemberAnswers,
  PredictOptions,
  Predictor,
  PredictorInfo,
} from './predictor.js';
import { distanceOf } from './reach.js';
import { Runner } from './runner.js';
import { type GraphSet, saidOf, viewNamed } from './views/view.js';

/** Networks that are encoded before they are run. */
const CHUNK = 4096;

/** More spaces than this are counted in sentences. */
const NAMED_SPACES = 3;

export class OnnxPredictor implements Predictor {
  readonly info: PredictorInfo;
  readonly predict?: (networks: Networks, options?: PredictOptions) => Promise<Predictions>;
  readonly order?: (networks: Networks, options?: PredictOptions) => Promise<Float64Array>;
  readonly embed?: (networks: Networks, options?: PredictOptions) => Promise<Matrix>;
  readonly members?: (networks: Networks, options?: PredictOptions) => Promise<MemberAnswers>;
  readonly #runner: Runner;

  /** @param runner of the model, which may have been used before */
  constructor(info: PredictorInfo, runner: Runner) {
    this.info = info;
    this.#runner = runner;
    const has = (gives: Entry['gives']): boolean =>
      info.entries.some((entry) => entry.gives === gives && entry.name === undefined);
    if (has('values')) this.predict = (networks, options) => this.#predict(networks, options);
    if (has('latent') || this.#entry('latent', 'encoder'))
      this.embed = (networks, options) => this.#embed(networks, options);
    if (has('preference')) this.order = (networks, options) => this.#order(networks, options);
    const { ensemble } = info;
    if (ensemble) {
      this.members = (networks, options) => this.#members(ensemble, networks, options);
      this.order = async (networks, options) =>
        combinedOrder(ensemble, await this.#members(ensemble, networks, options));
    }
  }

  static of(model: Model, info: PredictorInfo, options?: SessionOptions, bytes?: Uint8Array): OnnxPredictor {
    return new OnnxPredictor(info, new Runner(model, options, bytes));
  }

  get model(): Model {
    return withInfo(this.#runner.model, this.info);
  }

  /** What the predictor is called in sentences: `NN-Former for nasbench201`. */
  get title(): string {
    const { kind, seen } = this.info;
    const spaces = seen.spaces.filter((space) => space !== 'onnx');
    const named = spaces.length > NAMED_SPACES ? `${spaces.length} spaces` : spaces.join(', ');
    return `${KINDS.get(kind)?.title ?? ownTitle(kind) ?? kind} for ${named || 'networks'}`;
  }

  covers(network: Network): AuspexError | undefined {
    const { view, state } = this.#entry();
    const error = viewNamed(view).covers(network, state);
    return error && saidOf(this.title, error);
  }

  assumes(network: Network): readonly string[] {
    const { view, state } = this.#entry();
    return viewNamed(view).assumes?.(network, state) ?? [];
  }

  toOnnx(): Uint8Array {
    return encodeModel(this.model);
  }

  dispose(): Promise<void> {
    return this.#runner.dispose();
  }

  /** What the file is to be given for networks, in one batch. */
  async inputs(networks: Networks): Promise<Batch> {
    const { view, state } = this.#entry();
    const all = Array.from({ length: networks.count }, (_, row) => networks.at(row));
    const set = await viewNamed(view).encode(all, state);
    return (set.merged?.(set.count) ?? set).batch(all.map((_, row) => row));
  }

  /** What the graph gives for encoded rows, (rows, labels): labels, or what their transforms make of them. */
  valuesOf(set: GraphSet): Promise<Float64Array> {
    return this.#runner.runAll([outputOf({ gives: 'values' })], set);
  }

  /** The entry of a kind, or the first one, whose view is one of networks. */
  #entry(gives?: Entry['gives'], name?: string): Entry {
    const { entries } = this.info;
    return entries.find((entry) => gives === undefined || (entry.gives === gives && entry.name === name))!;
  }

  async #predict(networks: Networks, options: PredictOptions = {}): Promise<Predictions> {
    const { labels, known } = this.info;
    const { reach } = this.#entry('values');
    const transforms = labels.map(({ transform }) => transformNamed(transform).ofNetwork);
    const measures = transforms.map((of) => of && new Float64Array(networks.count));
    const isFar = reach !== undefined || known !== undefined;
    const distance = isFar ? new Float64Array(networks.count).fill(Number.NaN) : undefined;
    const all = await this.#columns(
      [this.#entry('values')],
      networks,
      options,
      (row, network) => {
        transforms.forEach((of, i) => {
          if (of) measures[i]![row] = of.measure(network);
        });
      },
      distance,
      known === undefined ? [] : [DISTANCES],
    );
    const near = known && this.#near(all, known, distance!, networks, options);
    const values = near?.values ?? all;
    const more = { ...(distance ? { distance } : {}), ...(near ? { neighbours: near.neighbours } : {}) };
    if (transforms.every((of) => of === undefined)) return new Predictions(labels, values, more);
    const ends = intervalEnds(labels, values, distance);
    const back = (learned: Float64Array): Float64Array =>
      learned.map((x, i) => {
        const place = i % labels.length;
        const measure = measures[place]?.[Math.floor(i / labels.length)];
        return transforms[place]?.value(x, measure!, labels[place]!.transformState) ?? x;
      });
    const turned = ends && { low: back(ends.low), high: back(ends.high) };
    return new Predictions(labels, back(values), { ...more, ...(turned ? { ends: turned } : {}) });
  }

  /** Takes known networks' distances off the columns; rows that are too far are bad. */
  #near(
    all: Float64Array,
    known: readonly string[],
    distance: Float64Array,
    networks: Networks,
    { onBad }: PredictOptions,
  ): { values: Float64Array; neighbours: readonly (readonly Neighbour[])[] } {
    const count = this.info.labels.length;
    const width = count + known.length;
    const values = new Float64Array(networks.count * count).fill(Number.NaN);
    const neighbours = Array.from(distance, (_, row) => {
      const own = all.subarray(row * width, (row + 1) * width);
      if (Number.isNaN(own[0])) return [];
      const found = nearest(own.subarray(count), known);
      distance[row] = found[0]!.distance;
      const error = tooFar(networks.at(row).ref, this.title, found);
      if (error === undefined) values.set(own.subarray(0, count), row * count);
      else if (onBad === undefined) throw error;
      else onBad(row, error);
      return found;
    });
    return { values, neighbours };
  }

  async #embed(networks: Networks, options?: PredictOptions): Promise<Matrix> {
    const entry = this.#entry('latent') ?? this.#entry('latent', 'encoder');
    const width = this.#runner.widthOf([outputOf(entry)]);
    return { rows: networks.count, width, data: await this.#columns([entry], networks, options) };
  }

  /** The part of the pool that each network is placed above by a merge sort; see `mergeOrder`. NaN for bad rows. */
  async #order(networks: Networks, options?: PredictOptions): Promise<Float64Array> {
    return this.#ordered(await this.#embed(networks, options));
  }

  #ordered(latents: Matrix, name?: string): Promise<Float64Array> {
    const entry = this.#entry('preference', name);
    const [first, second] = pairOf(entry);
    const { width } = latents;
    const tensor = (data: Float32Array): Batch[string] => ({
      type: 'float32',
      dims: [data.length / width, width],
      data,
    });
    return orderOfLatents(latents, (a, b) =>
      this.#runner.run(outputOf(entry), { [first]: tensor(a), [second]: tensor(b) }),
    );
  }

  /** All members look at the networks together. */
  async #members(
    { members, near: nearName }: Ensemble,
    networks: Networks,
    options?: PredictOptions,
  ): Promise<MemberAnswers> {
    const entries = members.map(({ name }) => this.#entry('score', name) ?? this.#entry('latent', name));
    const gate = nearName === undefined ? [] : [this.#entry('score', nearName)];
    const all = await this.#columns([...entries, ...gate], networks, options);
    const [rows, width] = [networks.count, this.#runner.widthOf([...entries, ...gate].map(outputOf))];
    const values = new Float64Array(rows * members.length);
    let start = 0;
    for (const [member, entry] of entries.entries()) {
      const own = this.#runner.widthOf([outputOf(entry)]);
      const data = new Float64Array(rows * own);
      for (let row = 0; row < rows; row++) {
        data.set(all.subarray(row * width + start, row * width + start + own), row * own);
      }
      start += own;
      const answers =
        entry.gives === 'score' ? data : await this.#ordered({ rows, width: own, data }, entry.name);
      answers.forEach((x, row) => {
        values[row * members.length + member] = x;
      });
    }
    if (nearName === undefined) return { members, values };
    return {
      members,
      values,
      near: Float64Array.from({ length: rows }, (_, row) => all[row * width + start]!),
    };
  }

  /**
   * What entries of one view give for networks, row by row, side by side; NaN for bad ones. Equal references are encoded
   * once.
   */
  async #columns(
    entries: readonly Entry[],
    networks: Networks,
    { onBad, onProgress, signal }: PredictOptions = {},
    visit?: (row: number, network: Network) => void,
    distance?: Float64Array,
    more: readonly string[] = [],
  ): Promise<Float64Array> {
    const outputs = [...entries.map(outputOf), ...more];
    const width = this.#runner.widthOf(outputs);
    const { view: name, state, reach } = entries[0]!;
    const view = viewNamed(name);
    const found = new Float64Array(networks.count * width).fill(Number.NaN);
    for (let start = 0; start < networks.count; start += CHUNK) {
      signal?.throwIfAborted();
      onProgress?.(start / networks.count);
      const { set, rows, twins } = await encodeRows(
        networks,
        (some, options) => view.encode(some, state, options),
        {
          subject: this.title,
          start,
          end: Math.min(start + CHUNK, networks.count),
          keyOf: ({ ref, sizes }) => `${ref} ${sizesKey(sizes)}`,
          ...(visit ? { visit } : {}),
          ...(onBad ? { onBad } : {}),
          ...(signal ? { signal } : {}),
        },
      );
      const values = await this.#runner.runAll(outputs, set, networks.count);
      rows.forEach((row, i) => {
        found.set(values.subarray(i * width, (i + 1) * width), row * width);
        if (distance && reach && set.outline) distance[row] = distanceOf(set.outline(i), reach);
      });
      for (const [row, first] of twins) {
        found.copyWithin(row * width, first * width, (first + 1) * width);
        if (distance) distance[row] = distance[first]!;
      }
    }
    return found;
  }
}
