// A new device from a few networks of NAS-Bench-201: every device of the tables in turn is taken for new, and all bundled
// devices of the same chip are left out of what it starts from. Networks are none of those that bundled devices know.
//
//   node build/verify/devices/few-rows.js DATA features.jsonl BUNDLED [ROWS] [SEEDS]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spearman } from '../../src/metrics/index.js';
import type { Device, DevicePrediction } from '../../src/predictors/devices/device.js';
import { knownPoints, pointsOf } from '../../src/predictors/devices/known-points.js';
import { processDevice } from '../../src/predictors/devices/process-device.js';
import { ProcessModel, processSchema } from '../../src/predictors/devices/process-model.js';
import { Random } from '../../src/util/random.js';
import { csvRows, HELP_DEVICES, PHONE_DEVICES, PI_DEVICES } from './tables.js';

const [data, featureFile, bundled, rowCount = '10', seedCount = '5'] = process.argv.slice(2);
if (bundled === undefined) {
  console.error('usage: node build/verify/devices/few-rows.js DATA features.jsonl BUNDLED [ROWS] [SEEDS]');
  process.exit(2);
}

interface Row {
  readonly set: string;
  readonly name: string;
  readonly values: Record<string, number>;
  readonly operators: string[];
}

const read = (name: string) => JSON.parse(readFileSync(join(bundled, name), 'utf8'));
const { devices, lengths, standard } = read('devices.json') as {
  devices: Device[];
  lengths: number[];
  standard: Parameters<typeof pointsOf>[1];
};
const sets = {
  timm: knownPoints(read('points-timm.json')),
  cells: knownPoints(read('points-cells.json')),
  nnlqp: knownPoints(read('points-nnlqp.json')),
};
const seen = new Set(sets.cells.networks.map((name) => name.replace(/^nasbench201:/, '')));
const rows = readFileSync(featureFile!, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
  .filter(({ set, name }) => set === 'nasbench201' && !seen.has(name));

/** What every bundled device says of every row. */
const said = new Map<string, DevicePrediction[]>();
const library = { model: () => Promise.reject(new Error('not asked')), points: () => sets.timm };
for (const device of devices) {
  const document = processSchema.parse(device.model);
  const model = new ProcessModel(device, document, sets[document.points as keyof typeof sets], library);
  said.set(
    device.name,
    rows.map((row, i) =>
      model.one(
        row,
        document.base.map((name) => said.get(name)![i]!),
      ),
    ),
  );
}

const arch = (row: Record<string, string>): string => row.arch!;
const help = csvRows(join(data!, 'nasbench201_latency.csv.gz'), arch);
const pi = csvRows(join(data!, 'hwnasbench360_nasbench201.csv.gz'), arch);
const phones = csvRows(join(data!, 'nnmeter_nasbench201.csv.gz'), (row) => `${row.device} ${row.arch}`);
const columns = [
  ...HELP_DEVICES.map((device) => ({
    device,
    of: (name: string) => help.get(name)?.[device.columns.nasbench201 ?? ''],
  })),
  ...PI_DEVICES.filter(({ quantity }) => quantity === 'latency').map((device) => ({
    device,
    of: (name: string) => {
      const row = pi.get(name);
      return row?.arch_idx === row?.rep_arch_idx ? row?.[device.columns.nasbench201!] : undefined;
    },
  })),
  ...PHONE_DEVICES.map((device) => ({
    device,
    of: (name: string) => phones.get(`${device.columns.nasbench201} ${name}`)?.latency_ms,
  })),
];

const means: number[] = [];
for (const { device, of } of columns) {
  const places = rows.flatMap((row, i) => (Number(of(row.name)) > 0 ? [i] : []));
  if (places.length < 3 * Number(rowCount)) continue;
  const chip = chipOf(device.measured.device);
  const others = devices.filter(
    ({ quantity, measured }) => quantity === 'latency' && chipOf(measured.device) !== chip,
  );
  const found = Array.from({ length: Number(seedCount) }, (_, seed) => {
    const random = Random.seeded(seed);
    const order = places
      .map((i) => ({ i, at: random.float() }))
      .sort((a, b) => a.at - b.at)
      .map(({ i }) => i);
    return newDevice(order.slice(0, Number(rowCount)), order.slice(Number(rowCount)), others, (i) =>
      Number(of(rows[i]!.name)),
    );
  });
  const mean = (of: (one: { rank: number; mape: number }) => number): number =>
    found.reduce((sum, one) => sum + of(one) / found.length, 0);
  const rank = mean((one) => one.rank);
  if (device.measured.source.startsWith('HELP')) means.push(rank);
  console.log(`${device.name}: Spearman ${rank.toFixed(3)} MAPE ${mean((one) => one.mape).toFixed(1)}`);
}
const mean = means.reduce((sum, rank) => sum + rank / means.length, 0);
console.log(`mean Spearman of ${means.length} devices of HELP, ${rowCount} rows: ${mean.toFixed(4)}`);

/** Processors of one vendor that differ in the number alone are one chip. */
function chipOf(device: string): string {
  return device.replace(/(Silver) \S+/, '$1').replace(/ \(.*\)/, '');
}

function newDevice(
  train: readonly number[],
  test: readonly number[],
  others: readonly Device[],
  measured: (row: number) => number,
): { rank: number; mape: number } {
  const known = train.map((i) => rows[i]!);
  const points = pointsOf(known, standard);
  const general = others.filter(({ model }) => (model.base as string[]).length === 0);
  const cells = others.filter(({ model }) => model.points === 'cells');
  const fits = [general, cells, others].map((base) =>
    processDevice(
      {
        name: 'new',
        quantity: 'latency',
        unit: 'ms',
        measured: { ...others[0]!.measured, device: 'new' },
      },
      {
        measured: train.map(measured),
        features: known.map(({ values }) => values),
        points,
        places: [...known.keys()],
        base: base.map(({ name }) => ({ name, values: train.map((i) => said.get(name)![i]!.value) })),
        lengths,
      },
    ),
  );
  const { device } = fits.reduce((best, fit) => (fit.likelihood > best.likelihood ? fit : best));
  const document = processSchema.parse(device.model);
  const model = new ProcessModel(device, document, knownPoints(points), library);
  const predicted = test.map(
    (i) =>
      model.one(
        rows[i]!,
        document.base.map((name) => said.get(name)![i]!),
      ).value,
  );
  const truths = test.map(measured);
  const mape =
    (100 * truths.reduce((sum, y, i) => sum + Math.abs(predicted[i]! / y - 1), 0)) / Math.max(1, test.length);
  return { rank: spearman(predicted, truths), mape };
}
