// HW-NAS-Bench's own file, HW-NAS-Bench-v1_0.pickle (github.com/GATECH-EIC/HW-NAS-Bench): by space, by data set, the
// configurations and a list for every device and quantity. Its FBNet part has no architectures but costs of blocks.
import { AuspexError } from '../../util/errors.js';
import { NumpyArray } from '../formats/numpy.js';
import type { PickleMap, PickleValue } from '../formats/pickle-values.js';
import { type Label, Table } from '../table.js';

const SPACE = 'nasbench201';
const SOURCE = 'HW-NAS-Bench (Li et al. 2021)';

/** What a quantity is, by the end of its name. */
const QUANTITIES: readonly [ending: string, unit: string, better: Label['better']][] = [
  ['_latency', 'ms', 'lower'],
  ['_energy', 'mJ', 'lower'],
  ['_arithmetic_intensity', '', 'higher'],
];

export function isHwNasBench(value: PickleValue): value is PickleMap {
  return value instanceof Map && value.get(SPACE) instanceof Map;
}

/** The table of its NAS-Bench-201 part, with labels such as `cifar10_edgegpu_latency`. */
export function importHwNasBench(file: PickleMap): Table {
  const datasets = file.get(SPACE) as PickleMap;
  let architectures: string[] | undefined;
  const labels: Label[] = [];
  const columns = new Map<string, Float64Array>();
  for (const [dataset, metrics] of datasets) {
    if (typeof dataset !== 'string' || !(metrics instanceof Map))
      throw wrong('a data set has no name or no metrics');
    const names = configurations(metrics.get('config'), dataset);
    architectures ??= names;
    if (names.length !== architectures.length || names.some((name, i) => name !== architectures![i])) {
      throw wrong(`the architectures of ${dataset} are not those of the data sets before`);
    }
    for (const [metric, values] of metrics) {
      if (metric === 'config' || typeof metric !== 'string') continue;
      const [ending, unit, better] = QUANTITIES.find(([end]) => metric.endsWith(end)) ?? [];
      if (ending === undefined) continue;
      const name = `${dataset.toLowerCase().replaceAll('-', '_')}_${metric}`;
      const device = metric.slice(0, -ending.length);
      labels.push({
        name,
        unit: unit!,
        better: better!,
        provenance: `${SOURCE}: ${ending.slice(1).replaceAll('_', ' ')} on ${device}, measured or estimated, for ${dataset}`,
      });
      columns.set(name, numbers(values, names.length, `${metric} of ${dataset}`));
    }
  }
  if (architectures === undefined) throw wrong('it has no data sets');
  return new Table({ space: SPACE, labels, architectures, columns });
}

/** The architectures' texts, from a list or a dictionary by index. */
function configurations(value: PickleValue | undefined, dataset: string): string[] {
  const list =
    value instanceof Map ? [...value.values()] : value instanceof NumpyArray ? value.values : value;
  if (!Array.isArray(list)) throw wrong(`${dataset} has no list of configurations`);
  return list.map((config) => {
    const text = config instanceof Map ? config.get('arch_str') : undefined;
    if (typeof text !== 'string') throw wrong(`a configuration of ${dataset} has no arch_str`);
    return text;
  });
}

function numbers(value: PickleValue, count: number, what: string): Float64Array {
  const list =
    value instanceof NumpyArray ? value.values : value instanceof Map ? [...value.values()] : value;
  if (!Array.isArray(list) && !(list instanceof Float64Array)) throw wrong(`${what} is not a list`);
  if (list.length !== count) throw wrong(`${what} has ${list.length} values for ${count} architectures`);
  return Float64Array.from(list as ArrayLike<PickleValue>, (item) => {
    if (typeof item === 'number') return item;
    if (item === null) return Number.NaN;
    throw wrong(`${what} has a value that is not a number`);
  });
}

function wrong(problem: string): AuspexError {
  return new AuspexError(
    'HW_NAS_BENCH_LAYOUT',
    `the file does not have the layout of HW-NAS-Bench: ${problem}`,
  );
}
