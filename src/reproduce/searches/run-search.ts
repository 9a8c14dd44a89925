// One run of a search experiment: a strategy spends its seconds of training on a table.
import type { Table } from '../../datasets/table.js';
import { ArchNetwork, type Network } from '../../networks/index.js';
import type { Matrix, Predictor } from '../../predictors/predictor.js';
import type { Embedding, Strategy } from '../../search/contract.js';
import { tableEvaluator } from '../../search/evaluators.js';
import { predictorEmbedding } from '../../search/predicted.js';
import { search } from '../../search/run.js';
import { strategyNamed } from '../../search/strategies/registry.js';
import { TableRows } from '../../search/table-rows.js';
import { tableSpace } from '../../search/table-space.js';
import type { AnySpace } from '../../spaces/space.js';
import type { SearchEntry, SearchExperiment } from './experiment.js';
import { guidedSearch } from './guided.js';
import { type Evaluation, incumbentsAt, timeGrid } from './regret.js';

/** The first point in time: before it, not all searches have evaluated anything. */
const FIRST_SECOND = 1e4;

export interface SearchRun {
  /** Test regret at the times of `timesOf`; null before the first evaluation. */
  readonly regret: readonly (number | null)[];
  /** The same of the label that strategies see. */
  readonly seenRegret: readonly (number | null)[];
  readonly evaluations: number;
}

export const timesOf = ({ seconds }: SearchExperiment): number[] => timeGrid(FIRST_SECOND, seconds);

/** Opens predictors by what experiments name them. */
export type OpenPredictor = (name: string, space: string) => Promise<Predictor>;

/** The table of an experiment with all that its runs share. Embeddings are made once. */
export class SearchTable {
  readonly #experiment: SearchExperiment;
  readonly #table: Table;
  readonly #space: AnySpace;
  readonly #rows: TableRows;
  readonly #open: OpenPredictor;
  readonly #networks = new Map<string, Network>();
  readonly #embeddings = new Map<string, Promise<Embedding>>();

  constructor(experiment: SearchExperiment, table: Table, space: AnySpace, open: OpenPredictor) {
    this.#experiment = experiment;
    this.#table = table;
    this.#space = space;
    this.#rows = TableRows.of(space, table, [experiment.labels.value]);
    this.#open = open;
  }

  /** Mean training seconds of a network. */
  get meanSeconds(): number {
    const seconds = this.#table.column(this.#experiment.labels.seconds);
    return seconds.reduce((sum, x) => sum + x, 0) / seconds.length;
  }

  async run(entry: SearchEntry, seed: number, signal?: AbortSignal): Promise<SearchRun> {
    const { labels, seconds: most } = this.#experiment;
    const [test, seconds] = [this.#table.column(labels.test), this.#table.column(labels.seconds)];
    const space = tableSpace(this.#space, this.#table, [labels.value]);
    const trials = search({
      space,
      evaluator: tableEvaluator(this.#space, this.#table, [labels.value]),
      strategy: await this.#strategy(entry, seed),
      budget: this.#rows.texts.length,
      seed,
      network: (text) => this.#network(text),
      ...(signal ? { signal } : {}),
    });
    const evaluations: Evaluation[] = [];
    let spent = 0;
    for await (const { arch, value } of trials) {
      const row = this.#rows.rowOf(arch)!;
      spent += seconds[row]!;
      if (spent > most) break;
      evaluations.push({ value: value!, test: test[row]!, seconds: seconds[row]! });
    }
    signal?.throwIfAborted();
    const incumbents = incumbentsAt(timesOf(this.#experiment), evaluations);
    const regret = (of: 'test' | 'value', column: Float64Array): (number | null)[] => {
      const best = column.reduce((a, b) => Math.max(a, b));
      return incumbents.map((incumbent) => (incumbent ? best - incumbent[of] : null));
    };
    return {
      regret: regret('test', test),
      seenRegret: regret('value', this.#table.column(labels.value)),
      evaluations: evaluations.length,
    };
  }

  async #strategy({ strategy, options, embedding, guide }: SearchEntry, seed: number): Promise<Strategy> {
    if (guide) {
      const [table, rows, label] = [this.#table, this.#rows, this.#experiment.labels.value];
      const open = (): Promise<Predictor> => this.#open(guide.from ?? guide.kind, this.#space.name);
      return guidedSearch({ table, rows, label, guide, seed, open });
    }
    const latent = embedding === undefined ? undefined : await this.#embedding(embedding);
    return strategyNamed(strategy, undefined, options, latent);
  }

  #network(text: string): Network {
    let network = this.#networks.get(text);
    if (network === undefined) {
      network = new ArchNetwork(this.#space, this.#space.parse(text));
      this.#networks.set(text, network);
    }
    return network;
  }

  /** Of all rows, made at the first run. */
  #embedding(name: string): Promise<Embedding> {
    let known = this.#embeddings.get(name);
    if (known === undefined) {
      known = this.#embedded(name);
      this.#embeddings.set(name, known);
    }
    return known;
  }

  async #embedded(name: string): Promise<Embedding> {
    const predictor = await this.#open(name, this.#space.name);
    const embedding = predictorEmbedding(predictor, name);
    const { texts } = this.#rows;
    const parts: Matrix[] = [];
    for (let at = 0; at < texts.length; at += 256) {
      parts.push(await embedding.embed(texts.slice(at, at + 256).map((text) => this.#network(text))));
    }
    await embedding.dispose();
    await predictor.dispose();
    const { width } = parts[0]!;
    const rows = parts.flatMap(({ data, rows: n }) =>
      Array.from({ length: n }, (_, i) => data.subarray(i * width, (i + 1) * width)),
    );
    const byText = new Map(texts.map((text, i) => [text, rows[i]!]));
    return {
      name,
      embed: async (networks) => {
        const data = new Float64Array(networks.length * width);
        networks.forEach((network, i) => {
          data.set(byText.get(network.arch!.text)!, i * width);
        });
        return { rows: networks.length, width, data };
      },
    };
  }
}
