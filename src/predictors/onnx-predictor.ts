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
import { PAIR } from './entries.js';
import { withInfo } from './file.js';
import { KINDS } from './kind.js';
import { transformNamed } from './labels.js';
import { intervalEnds, Predictions } from './predictions.js';
import type { Entry, Matrix, PredictOptions, Predictor, PredictorInfo } from './predictor.js';
import { distanceOf } from './reach.js';
import { Runner } from './runner.js';
import { type GraphSet, saidOf, viewNamed } from './views/view.js';

/** Networks that are encoded before they are run. */
const CHUNK = 4096;
/** Networks that each one is compared with, of a larger pool evenly spread ones. */
const COMPARED = 256;

export class OnnxPredictor implements Predictor {
  readonly info: PredictorInfo;
  readonly predict?: (networks: Networks, options?: PredictOptions) => Promise<Predictions>;
  readonly order?: (networks: Networks, options?: PredictOptions) => Promise<Float64Array>;
  readonly embed?: (networks: Networks, options?: PredictOptions) => Promise<Matrix>;
  readonly #runner: Runner;

  /** @param runner of the model, which may have been used before */
  constructor(info: PredictorInfo, runner: Runner) {
    this.info = info;
    this.#runner = runner;
    const has = (gives: Entry['gives']): boolean => info.entries.some((entry) => entry.gives === gives);
    if (has('values')) this.predict = (networks, options) => this.#predict(networks, options);
    if (has('latent')) this.embed = (networks, options) => this.#embed(networks, options);
    if (has('preference')) this.order = (networks, options) => this.#order(networks, options);
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
    return `${KINDS.get(kind)?.title ?? kind} for ${seen.spaces.join(', ') || 'networks'}`;
  }

  covers(network: Network): AuspexError | undefined {
    const { view, state } = this.#entry();
    const error = viewNamed(view).covers(network, state);
    return error && saidOf(this.title, error);
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
    return this.#runner.runAll('values', set);
  }

  /** The entry of a kind, or the first one, whose view is one of networks. */
  #entry(gives?: Entry['gives']): Entry {
    return this.info.entries.find((entry) => gives === undefined || entry.gives === gives)!;
  }

  async #predict(networks: Networks, options: PredictOptions = {}): Promise<Predictions> {
    const { labels } = this.info;
    const { reach } = this.#entry('values');
    const transforms = labels.map(({ transform }) => transformNamed(transform).ofNetwork);
    const measures = transforms.map((of) => of && new Float64Array(networks.count));
    const distance = reach && new Float64Array(networks.count).fill(Number.NaN);
    const values = await this.#columns(
      'values',
      networks,
      options,
      (row, network) => {
        transforms.forEach((of, i) => {
          if (of) measures[i]![row] = of.measure(network);
        });
      },
      distance,
    );
    const more = distance ? { distance } : {};
    if (transforms.every((of) => of === undefined)) return new Predictions(labels, values, more);
    const ends = intervalEnds(labels, values);
    const back = (learned: Float64Array): Float64Array =>
      learned.map((x, i) => {
        const place = i % labels.length;
        const measure = measures[place]?.[Math.floor(i / labels.length)];
        return transforms[place]?.value(x, measure!, labels[place]!.transformState) ?? x;
      });
    const turned = ends && { low: back(ends.low), high: back(ends.high) };
    return new Predictions(labels, back(values), { ...more, ...(turned ? { ends: turned } : {}) });
  }

  async #embed(networks: Networks, options?: PredictOptions): Promise<Matrix> {
    const width = this.#runner.widthOf('latent');
    return { rows: networks.count, width, data: await this.#columns('latent', networks, options) };
  }

  /** The share of comparisons that each network wins, within this pool; NaN for bad rows. */
  async #order(networks: Networks, options?: PredictOptions): Promise<Float64Array> {
    const { rows, width, data } = await this.#embed(networks, options);
    const good = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => !Number.isNaN(data[row * width]),
    );
    const stride = Math.max(1, good.length / COMPARED);
    const others = Array.from(
      { length: Math.min(COMPARED, good.length) },
      (_, i) => good[Math.floor(i * stride)]!,
    );
    const scores = new Float64Array(rows).fill(Number.NaN);
    for (const row of good) {
      const rivals = others.filter((other) => other !== row);
      const logits = rivals.length === 0 ? [] : await this.#compared(row, rivals, width, data);
      const wins = Array.from(logits, (x) => 1 / (1 + Math.exp(-x)));
      scores[row] = wins.length === 0 ? 0.5 : wins.reduce((sum, p) => sum + p, 0) / wins.length;
    }
    return scores;
  }

  #compared(
    row: number,
    rivals: readonly number[],
    width: number,
    data: Float64Array,
  ): Promise<Float32Array> {
    const of = (rows: readonly number[]): Batch[string] => {
      const picked = new Float32Array(rows.length * width);
      rows.forEach((each, i) => void picked.set(data.subarray(each * width, (each + 1) * width), i * width));
      return { type: 'float32', dims: [rows.length, width], data: picked };
    };
    const [first, second] = PAIR;
    return this.#runner.run('preference', { [first]: of(rivals.map(() => row)), [second]: of(rivals) });
  }

  /** What an entry gives for networks, row by row; NaN for bad ones. Equal references are encoded once. */
  async #columns(
    gives: Entry['gives'],
    networks: Networks,
    { onBad, onProgress, signal }: PredictOptions = {},
    visit?: (row: number, network: Network) => void,
    distance?: Float64Array,
  ): Promise<Float64Array> {
    const width = this.#runner.widthOf(gives);
    const { view: name, state, reach } = this.#entry(gives);
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
      const values = await this.#runner.runAll(gives, set, networks.count);
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
