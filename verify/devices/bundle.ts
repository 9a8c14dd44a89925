// Makes the bundled devices from the features of networks (features.ts) and tables of what was measured, and prints how
// wrong they are for families left out.
//
//   node build/verify/devices/bundle.js DATA features.jsonl BUNDLED
//
// Devices of timm are Gaussian processes on nearly a thousand networks; all others are mixtures of them with a process of
// their own. BUNDLED/devices.json has the devices, BUNDLED/points-*.json the features of the networks. Neither has what was
// measured.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Device, DevicePrediction } from '../../src/predictors/devices/device.js';
import {
  knownPoints,
  pointsOf,
  type Standard,
  standardOf,
} from '../../src/predictors/devices/known-points.js';
import { processDevice } from '../../src/predictors/devices/process-device.js';
import { ProcessModel, processSchema } from '../../src/predictors/devices/process-model.js';
import { workGroups } from '../../src/predictors/devices/work-features.js';
import { fittedScales, groupDistances } from '../../src/predictors/gaussian-process.js';
import { scatterPlot } from '../../src/report/plots/scatter.js';
import { Random } from '../../src/util/random.js';
import {
  AI_HUB_MODELS,
  csvRows,
  HELP_DEVICES,
  HUB_DEVICES,
  OWN_DEVICE,
  PHONE_DEVICES,
  PI_DEVICES,
  type Rows,
  type TableDevice,
  TIMM_DEVICES,
} from './tables.js';

const [data, featureFile, output] = process.argv.slice(2);
if (output === undefined) {
  console.error('usage: node build/verify/devices/bundle.js DATA features.jsonl BUNDLED');
  process.exit(2);
}

interface Row {
  readonly set: string;
  readonly name: string;
  readonly values: Record<string, number>;
  readonly operators: string[];
}

/** Rows of each space that mixtures are fitted to, and rows that scales are fitted to. */
const MOST: Readonly<Record<string, number>> = { nasbench201: 220, fbnet: 110, ofa: 110 };
const SCALE_ROWS = 500;
/** Devices with a larger mean error for families left out, in percent, are not bundled. */
const MOST_ERROR = 40;
const SIZES = ['logMacs', 'logKernelMoved', 'logKernels', 'logParameters'];

const all = readFileSync(featureFile!, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const ofSet = (set: string): Row[] => all.filter((row) => row.set === set).slice(0, MOST[set]);
const timmRows = ofSet('timm');
const standard: Standard = standardOf(timmRows.map(({ values }) => values));
const groups = workGroups(standard.map(({ name }) => name));

const timmTable = csvRows(join(data!, 'timm_latency.csv.gz'), (row) => `${row.architecture}-${row.img_size}`);
const family = (name: string): string => timmTable.get(name)!.family!;
const timmPoints = pointsOf(timmRows, standard);
const timmKnown = knownPoints(timmPoints);

/** Lengths of groups, signal and noise of one device of timm, from some of its rows. */
function scalesOf(rows: readonly number[], logs: Float64Array) {
  const random = Random.seeded(1);
  const drawn = [...rows.keys()]
    .map((i) => ({ i, at: random.float() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, SCALE_ROWS)
    .map(({ i }) => i);
  const points = drawn.flatMap((i) => [...timmKnown.row(rows[i]!)]);
  const design = drawn.map((i) => [1, ...SIZES.map((name) => timmRows[rows[i]!]!.values[name]!)]);
  const residuals = withoutTrend(
    design,
    drawn.map((i) => logs[i]!),
  );
  const deviation = Math.sqrt(residuals.reduce((sum, r) => sum + r * r, 0) / residuals.length);
  const steps = fittedScales(
    groupDistances(points, standard.length, groups),
    Float64Array.from(residuals, (r) => r / deviation),
    { steps: 36 },
  );
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { lengths, signal, noise } = step.value;
  return {
    lengths: [...lengths].map(Math.exp),
    own: Math.exp(signal) * deviation,
    noise: Math.exp(noise) * deviation,
  };
}

/** Residuals of least squares, by the normal equations. */
function withoutTrend(design: readonly (readonly number[])[], y: readonly number[]): number[] {
  const width = design[0]!.length;
  const matrix = Array.from({ length: width }, (_, a) => [
    ...Array.from({ length: width }, (_, b) =>
      design.reduce((sum, row) => sum + row[a]! * row[b]!, a === b ? 1e-6 : 0),
    ),
    design.reduce((sum, row, i) => sum + row[a]! * y[i]!, 0),
  ]);
  for (let a = 0; a < width; a++) {
    for (let b = 0; b < width; b++) {
      if (a === b) continue;
      const factor = matrix[b]![a]! / matrix[a]![a]!;
      matrix[b] = matrix[b]!.map((x, i) => x - factor * matrix[a]![i]!);
    }
  }
  const weights = matrix.map((row, a) => row[width]! / row[a]!);
  return design.map((row, i) => y[i]! - row.reduce((sum, x, a) => sum + x * weights[a]!, 0));
}

function report({ name, error, measured }: Device): void {
  const { mape = 0, within10 = 0, coverage, medianError = 0, leftOut } = error!;
  const cover = coverage === null || coverage === undefined ? '-' : (100 * coverage).toFixed(1);
  console.log(
    `${name}: ${measured.networks} networks, ${leftOut} left out: MAPE ${mape.toFixed(2)} median ${medianError.toFixed(2)} within 10% ${(100 * within10).toFixed(1)} coverage ${cover}`,
  );
}

const devices: Device[] = [];
const models: { name: string; model: ProcessModel }[] = [];
/** (devices) What each device of timm says of a network of timm without its family. */
const leftOf = new Map<string, Map<string, number>>();
const library = {
  model: () => Promise.reject(new Error('no base')),
  points: () => timmKnown,
};
let lengths: readonly number[] = [];
let gpuScales: ReturnType<typeof scalesOf> | undefined;
for (const { columns, ...about } of TIMM_DEVICES) {
  const column = columns.timm!;
  const places = timmRows.flatMap(({ name }, i) => (Number(timmTable.get(name)?.[column]) > 0 ? [i] : []));
  const measured = places.map((i) => Number(timmTable.get(timmRows[i]!.name)![column]));
  const logs = Float64Array.from(measured, Math.log);
  const isGpu = about.measured.perImage === true;
  // Cards are alike: their scales are those of the one with the most rows.
  const scales = isGpu && gpuScales !== undefined ? gpuScales : scalesOf(places, logs);
  if (isGpu) gpuScales = scales;
  else if (lengths.length === 0) lengths = scales.lengths;
  const { device, left } = processDevice(about, {
    measured,
    features: places.map((i) => timmRows[i]!.values),
    points: timmPoints,
    pointsName: 'timm',
    places,
    families: places.map((i) => family(timmRows[i]!.name)),
    base: [],
    lengths: scales.lengths,
    hypotheses: [{ devices: 0, sizes: 1, own: scales.own, noise: scales.noise }],
    length: 1,
    beyond: 0.3,
  });
  report(device);
  devices.push(device);
  models.push({
    name: device.name,
    model: new ProcessModel(device, processSchema.parse(device.model), timmKnown, library),
  });
  leftOf.set(device.name, new Map(places.map((place, i) => [timmRows[place]!.name, left[i]!])));
}

const helpSets = ['nasbench201', 'fbnet', 'ofa'];
const helpRows = helpSets.flatMap(ofSet);
const helpPoints = pointsOf(
  helpRows.map((row) => ({ ...row, name: `${row.set}:${row.name}` })),
  standard,
);
/** What devices of timm are predicted to need. */
const saidOf = new Map<Row, readonly DevicePrediction[]>();
for (const row of helpRows)
  saidOf.set(
    row,
    models.map(({ model }) => model.one(row, [])),
  );

const arch = (row: Record<string, string>): string => row.arch!;
const tables: Record<string, Rows> = {
  nasbench201: csvRows(join(data!, 'nasbench201_latency.csv.gz'), arch),
  fbnet: csvRows(join(data!, 'fbnet_latency.csv.gz'), arch),
  ofa: csvRows(join(data!, 'ofa_latency.csv.gz'), arch),
};
const pi = csvRows(join(data!, 'hwnasbench360_nasbench201.csv.gz'), arch);
const phones = csvRows(join(data!, 'nnmeter_nasbench201.csv.gz'), (row) => `${row.device} ${row.arch}`);
const hub = csvRows(
  join(data!, 'aihub_latency.csv.gz'),
  (row) => `${row.device}|${row.precision}|${row.runtime} ${row.model}`,
);

/** Errors across families of the devices that several were measured on. */
const across: number[] = [];

function mixture(
  { columns: _, ...about }: TableDevice,
  measuredOf: (row: Row) => number,
  beyond: number,
): void {
  const places = helpRows.flatMap((row, i) => (measuredOf(row) > 0 ? [i] : []));
  if (places.length === 0) return;
  const rows = places.map((i) => helpRows[i]!);
  const sets = new Set(rows.map(({ set }) => set));
  const measured = rows.map(measuredOf);
  const fit = (families: readonly string[] | undefined) =>
    processDevice(about, {
      measured,
      features: rows.map(({ values }) => values),
      points: helpPoints,
      pointsName: 'cells',
      places,
      families,
      base: models.map(({ name }, d) => ({ name, values: rows.map((row) => saidOf.get(row)![d]!.value) })),
      lengths,
      beyond,
    });
  const { device } = fit(undefined);
  report(device);
  devices.push(device);
  if (sets.size < 2) return;
  const { left } = fit(rows.map(({ set }) => set));
  for (const set of sets) {
    const errors = rows.flatMap((row, i) =>
      row.set === set ? [Math.abs(Math.log(left[i]! / measured[i]!))] : [],
    );
    across.push(...errors);
    const mean = errors.reduce((sum, error) => sum + error / errors.length, 0);
    console.log(`  without ${set}: mean error of logarithms ${mean.toFixed(3)}`);
  }
}

for (const device of HELP_DEVICES) {
  mixture(device, (row) => Number(tables[row.set]!.get(row.name)?.[device.columns[row.set] ?? '']), 0);
}
/** Of networks whose family was not measured on a device, 90% are within this. */
const beyond = across.sort((a, b) => a - b)[Math.floor(0.9 * across.length)]!;
console.log(`families that were not measured: 90% within a factor of ${Math.exp(beyond).toFixed(2)}`);
for (const device of PI_DEVICES) {
  mixture(
    device,
    (row) => {
      // Other networks have the values of one that computes the same, and were not measured.
      const found = row.set === 'nasbench201' ? pi.get(row.name) : undefined;
      const isOwn = found !== undefined && found.arch_idx === found.rep_arch_idx;
      return isOwn ? Number(found[device.columns.nasbench201!]) : Number.NaN;
    },
    beyond,
  );
}
for (const device of PHONE_DEVICES) {
  mixture(
    device,
    (row) => Number(phones.get(`${device.columns.nasbench201} ${row.name}`)?.latency_ms),
    beyond,
  );
}
for (const each of devices) {
  if (each.model.points === 'cells') each.model.beyond = beyond;
}

for (const { columns, ...about } of HUB_DEVICES) {
  const found = Object.entries(AI_HUB_MODELS).flatMap(([model, name]) => {
    const ms = Number(hub.get(`${columns.timm} ${model}`)?.latency_ms);
    const place = timmRows.findIndex((row) => row.name === name);
    return ms > 0 && place >= 0 ? [{ ms, place, name }] : [];
  });
  if (found.length < 10) continue;
  const rows = found.map(({ place }) => timmRows[place]!);
  const { device } = processDevice(about, {
    measured: found.map(({ ms }) => ms),
    features: rows.map(({ values }) => values),
    points: timmPoints,
    pointsName: 'timm',
    places: found.map(({ place }) => place),
    families: rows.map(({ name }) => family(name)),
    base: models.map(({ name, model }) => ({
      name,
      values: rows.map((row) => leftOf.get(name)!.get(row.name) ?? model.one(row, []).value),
    })),
    lengths,
    beyond: 0.3,
  });
  report(device);
  if (device.error!.mape <= MOST_ERROR) devices.push(device);
}

const write = (name: string, value: unknown): void => {
  const text = JSON.stringify(value);
  writeFileSync(join(output!, name), `${text}\n`);
  console.log(`${name}: ${text.length} bytes`);
};
// Measured for auspex: the ten families of NNLQP.
const ownRows = all.filter(({ set }) => set.startsWith('nnlqp-'));
const ownTables = new Map(
  [...new Set(ownRows.map(({ set }) => set))].map((set) => [
    set,
    csvRows(`verify/nnlqp/${set.replace('-', '_')}.csv.gz`, arch),
  ]),
);
const ownPoints = pointsOf(
  ownRows.map((row) => ({ ...row, name: `${row.set}:${row.name}` })),
  standard,
);
const ownMs = ownRows.map(({ set, name }) => Number(ownTables.get(set)!.get(name)!.latency));
const { device: own, left: ownLeft } = processDevice(OWN_DEVICE, {
  measured: ownMs,
  features: ownRows.map(({ values }) => values),
  points: ownPoints,
  pointsName: 'nnlqp',
  places: [...ownRows.keys()],
  families: ownRows.map(({ set }) => set),
  base: models.map(({ name, model }) => ({ name, values: ownRows.map((row) => model.one(row, []).value) })),
  lengths,
  beyond: 0.3,
});
report(own);
devices.push(own);
write('points-nnlqp.json', ownPoints);
writeFileSync(
  join(output!, 'predicted-latency.svg'),
  scatterPlot({
    title: `${ownRows.length} networks of ten families, each family predicted without it`,
    description:
      'Latency on an AMD EPYC with ONNX Runtime, one thread: measured, and predicted without the family.',
    x: { label: 'measured, ms', kind: 'log' },
    y: { label: 'predicted, ms', kind: 'log' },
    points: { x: ownMs, y: ownLeft },
    diagonal: 'equal',
    unit: 'networks',
  }),
);

write('points-timm.json', timmPoints);
write('points-cells.json', helpPoints);
write('devices.json', { schema: 'auspex.devices/1', lengths, standard, devices });
