// NATS-Bench and NAS-Bench-201 as their authors publish them (github.com/D-X-Y/NATS-Bench): pickles of every epoch of
// every run. Of each run only the end is kept, while the file is read: whole archives are tens of gigabytes in memory.
import { AuspexError } from '../../util/errors.js';
import type { PickleMap, PickleValue } from '../formats/pickle-values.js';
import type { Label, Table } from '../table.js';
import { TableBuilder } from '../table-builder.js';

/** An architecture and its labels' values. */
interface NatsRow {
  readonly arch: string;
  /** By the number of epochs and the label's name. */
  readonly values: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

/** Accuracies: the label, the training set, and the set that is evaluated, as the archives name them. */
const ACCURACIES: readonly [name: string, dataset: string, set: string, meaning: string][] = [
  [
    'cifar10_valid',
    'cifar10-valid',
    'x-valid',
    'validation accuracy on CIFAR-10, trained on half of its training set',
  ],
  ['cifar10_test', 'cifar10', 'ori-test', 'test accuracy on CIFAR-10'],
  ['cifar100_valid', 'cifar100', 'x-valid', 'validation accuracy on CIFAR-100'],
  ['cifar100_test', 'cifar100', 'x-test', 'test accuracy on CIFAR-100'],
  ['imagenet16_valid', 'ImageNet16-120', 'x-valid', 'validation accuracy on ImageNet16-120'],
  ['imagenet16_test', 'ImageNet16-120', 'x-test', 'test accuracy on ImageNet16-120'],
];

/** The training whose costs are told. */
const COST_DATASET = 'cifar10';

const COSTS: readonly [name: string, unit: string, meaning: string, of: (run: PickleMap) => number][] = [
  ['params_M', 'M', 'millions of parameters', (run) => number(run.get('params'))],
  ['flops_M', 'M', 'millions of FLOPs as the authors count them', (run) => number(run.get('flop'))],
  ['latency_ms', 'ms', 'latency as the authors measured it', (run) => latencyMs(run.get('latency'))],
  ['train_seconds', 's', 'time of the training', (run) => number(run.get(TRAIN_SECONDS))],
];

const TRAIN_SECONDS = 'train_seconds';
const HISTORIES = [
  'train_acc1es',
  'train_acc5es',
  'train_losses',
  'eval_losses',
  'eval_times',
  'net_state_dict',
];

/**
 * Drops what is not wanted of a run as soon as it was read; for `PickleOptions.filled`. Dictionaries are emptied, too,
 * as the reader remembers them.
 */
export function keepEndOfRun(dictionary: PickleMap): void {
  const accuracies = dictionary.get('eval_acc1es');
  const epochs = dictionary.get('epochs');
  if (!(accuracies instanceof Map) || typeof epochs !== 'number' || !dictionary.has('train_losses')) return;
  for (const name of HISTORIES) {
    const history = dictionary.get(name);
    if (history instanceof Map) history.clear();
    dictionary.delete(name);
  }
  const end = `@${epochs - 1}`;
  const last = [...accuracies].filter(([key]) => typeof key === 'string' && key.endsWith(end));
  accuracies.clear();
  for (const [key, value] of last) accuracies.set(key, value);
  const times = dictionary.get('train_times');
  if (times instanceof Map) {
    let sum = 0;
    for (const time of times.values()) sum += number(time);
    dictionary.set(TRAIN_SECONDS, sum);
    times.clear();
  }
  dictionary.delete('train_times');
}

export function isNatsArchive(value: PickleValue): value is PickleMap {
  return value instanceof Map && value.has('meta_archs');
}

/** Whether a value is the results of one architecture: by the training's name, `12`, `200`, `less`, `full`. */
export function isNatsArchitecture(value: PickleValue): value is PickleMap {
  return value instanceof Map && value.size > 0 && [...value.values()].every(isResults);
}

function isResults(value: PickleValue): boolean {
  return value instanceof Map && value.has('all_results') && value.has('arch_str');
}

/** The architectures of a whole archive. */
export function natsRows(archive: PickleMap): NatsRow[] {
  const all = archive.get('arch2infos');
  if (!(all instanceof Map)) {
    throw new AuspexError('NATS_META', 'the file is only the list of architectures of a NATS-Bench archive', {
      hint: 'import its folder, which has one file per architecture',
    });
  }
  return [...all]
    .sort(([a], [b]) => number(a) - number(b))
    .map(([index, results]) => {
      if (isNatsArchitecture(results)) return natsRow(results);
      throw new AuspexError('NATS_LAYOUT', `architecture ${String(index)} has no NATS-Bench results`);
    });
}

/** The row of one architecture's results. */
export function natsRow(results: PickleMap): NatsRow {
  let arch: string | undefined;
  const values = new Map<number, Map<string, number>>();
  for (const training of results.values()) {
    const state = training as PickleMap;
    const name = state.get('arch_str');
    const runs = state.get('all_results');
    if (typeof name !== 'string' || !(runs instanceof Map)) {
      throw new AuspexError('NATS_LAYOUT', 'an architecture has no name or no runs');
    }
    arch ??= name;
    for (const [epochs, ofDatasets] of byEpochs(runs)) {
      let row = values.get(epochs);
      if (row === undefined) {
        row = new Map();
        values.set(epochs, row);
      }
      for (const [label, value] of labelsOf(ofDatasets, epochs)) row.set(label, value);
    }
  }
  return { arch: arch!, values };
}

/** Runs by their epochs and training set. The archive has them by (training set, seed). */
function byEpochs(runs: PickleMap): Map<number, Map<string, PickleMap[]>> {
  const sorted = new Map<number, Map<string, PickleMap[]>>();
  for (const [key, run] of runs) {
    const dataset = Array.isArray(key) ? key[0] : undefined;
    const epochs = run instanceof Map ? run.get('epochs') : undefined;
    if (typeof dataset !== 'string' || typeof epochs !== 'number' || !(run instanceof Map)) {
      throw new AuspexError('NATS_LAYOUT', 'a run has no training set or number of epochs');
    }
    const ofDatasets = sorted.get(epochs) ?? new Map<string, PickleMap[]>();
    ofDatasets.set(dataset, [...(ofDatasets.get(dataset) ?? []), run]);
    sorted.set(epochs, ofDatasets);
  }
  return sorted;
}

/** Means over the seeds, as `get_metrics(is_random=False)` of the authors' code gives them. */
function* labelsOf(
  ofDatasets: ReadonlyMap<string, PickleMap[]>,
  epochs: number,
): Generator<[string, number]> {
  for (const [name, dataset, set] of ACCURACIES) {
    const accuracy = (run: PickleMap): number => {
      const accuracies = run.get('eval_acc1es');
      return accuracies instanceof Map ? number(accuracies.get(`${set}@${epochs - 1}`)) : Number.NaN;
    };
    yield [name, mean(ofDatasets.get(dataset), accuracy)];
  }
  for (const [name, , , of] of COSTS) yield [name, mean(ofDatasets.get(COST_DATASET), of)];
}

/** The mean of what is there; NaN if nothing is. */
function mean(runs: readonly PickleMap[] | undefined, of: (run: PickleMap) => number): number {
  const present = (runs ?? []).map(of).filter((value) => !Number.isNaN(value));
  return present.reduce((sum, value) => sum + value, 0) / present.length;
}

/** Seconds, several times; what is not positive was not measured. */
function latencyMs(value: PickleValue | undefined): number {
  const seconds = (Array.isArray(value) ? value : []).map(number);
  const average = seconds.reduce((sum, s) => sum + s, 0) / seconds.length;
  return average > 0 ? 1000 * average : Number.NaN;
}

function number(value: PickleValue | undefined): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/** A table of the longest training, and of shorter ones under names such as `cifar10_test_12ep`. */
export function natsTable(rows: readonly NatsRow[]): Table {
  if (rows.length === 0) throw new AuspexError('TABLE_EMPTY', 'the archive has no architectures');
  const epochs = [...new Set(rows.flatMap((row) => [...row.values.keys()]))].sort((a, b) => b - a);
  const isSize = /^\d+(:\d+)+$/.test(rows[0]!.arch);
  const source = isSize ? 'NATS-Bench, size space (Dong et al. 2021)' : 'NAS-Bench-201 (Dong & Yang 2020)';
  const columns = epochs.flatMap((count, i) => {
    const suffix = i === 0 ? '' : `_${count}ep`;
    const of = `${source}, ${count} epoch${count === 1 ? '' : 's'}, mean over seeds`;
    const accuracies = ACCURACIES.map(([name, , , meaning]) => ({
      count,
      name,
      label: label(name + suffix, '%', 'higher', `${of}: ${meaning}`),
    }));
    const costs = COSTS.map(([name, unit, meaning]) => ({
      count,
      name,
      label: label(name + suffix, unit, 'lower', `${of}: ${meaning}`),
    }));
    return i === 0 ? [...accuracies, ...costs] : accuracies;
  });
  const present = columns.filter(({ count, name }) =>
    rows.some((row) => !Number.isNaN(row.values.get(count)?.get(name) ?? Number.NaN)),
  );
  const builder = new TableBuilder(
    isSize ? 'nats-size' : 'nasbench201',
    present.map((column) => column.label),
  );
  for (const { arch, values } of rows) {
    builder.arch.text(arch);
    present.forEach(({ count, name }, i) => {
      builder.set(i, values.get(count)?.get(name) ?? Number.NaN);
    });
    builder.endRow();
  }
  return builder.finish();
}

function label(name: string, unit: string, better: Label['better'], provenance: string): Label {
  return { name, unit, better, provenance };
}
