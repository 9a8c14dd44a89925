// Latencies on devices as HELP collected them: from 900 measured networks, and from 50 on a new device.
import type { RecipeChanges } from '../../predictors/kinds/index.js';
import type { DataName } from '../data.js';
import type { Published, ReproducedTable, ResultCell } from '../table.js';
import { HELP, RECIPE_DIFFERS } from './sources.js';

/** A desktop GPU, a server CPU, two phones, an ASIC and an FPGA. */
const DEVICES = ['1080ti_1', 'gold_6240', 'pixel2', 'samsung_s7', 'eyeriss', 'fpga'];
/** All that there are for Once-for-All are GPUs. */
const GPUS = ['2080ti_1', '2080ti_64', 'titan_rtx_1', 'titan_xp_1', 'v100_1', 'v100_64'];

const rho = (by: string, value: number, label?: string): Published => ({
  by,
  metric: 'spearman',
  value,
  source: HELP,
  ...(label === undefined ? {} : { label }),
});

const ROWS = 900;
/** As the papers compare them: a network alone, from random weights. */
const ALONE: RecipeChanges = { members: 1, isFromScratch: true };
const STEPS = 1000;
const METRICS = ['mape', 'acc@0.1', 'acc@0.05', 'spearman'] as const;

function cell(name: string, data: DataName, devices: readonly string[], kind: string): ResultCell {
  const isHelps = data === 'nasbench201_latency';
  return {
    id: `${name}-${kind}`,
    series: kind,
    data,
    kind,
    rows: ROWS,
    validation: 200,
    labels: devices.map((device) => ({ train: device, test: device })),
    scale: 'log',
    ...(kind === 'flops' ? {} : { recipe: { ...ALONE, steps: STEPS } }),
    metrics: METRICS,
    published: isHelps && kind === 'flops' ? [rho('FLOPs', 0.787)] : [],
    others: isHelps ? [rho('BRP-NAS, 900 rows', 0.789)] : [],
    differs: [],
  };
}

const SPACES: readonly (readonly [name: string, data: DataName, devices: readonly string[]])[] = [
  ['nb201', 'nasbench201_latency', DEVICES],
  ['fbnet', 'fbnet_latency', DEVICES],
  ['ofa', 'ofa_latency', GPUS],
];

const DEVICES_DIFFER =
  "HELP's published means are over Titan RTX, Gold 6226, Pixel 2, Raspberry Pi 4, an ASIC and an FPGA; not all of them are columns of the table; the six used here differ.";

export const LATENCY: ReproducedTable = {
  id: 'latency',
  title: 'Latency on six devices from 900 measured networks',
  paper:
    'HELP (Lee et al., NeurIPS 2021) for the data; NN-Former, NAR-Former V2 and NNLP (Liu et al., ICPP 2022)',
  shows:
    'How close predicted latencies are to measured ones on GPUs, a server, phones and accelerators, with one predictor for all six devices of a space.',
  differs: [
    'NN-Former, NAR-Former V2 and NNLP report latencies of whole networks on NNLQP, not on these tables; only the Spearman correlations of HELP can be compared.',
    DEVICES_DIFFER,
    'One predictor has an output for every device; BRP-NAS trains one predictor per device.',
    RECIPE_DIFFERS,
    'In tables of at least 10,000 rows, the 1,000 rows used to choose recipes are left out of all sets.',
  ],
  plot: 'bars',
  cells: SPACES.flatMap(([name, data, devices]) =>
    ['nn-former', 'nar-former-v2', 'sage', 'flops'].map((kind) => cell(name, data, devices, kind)),
  ),
};

/** Devices that HELP has not seen, either; it adapts to them by 10 networks. */
const HELD_OUT: Readonly<Record<string, number>> = { pixel2: 0.802, eyeriss: 0.94, fpga: 0.985 };

function transfer(device: string, from: 'trunk' | 'scratch'): ResultCell {
  const others = DEVICES.filter((name) => name !== device);
  return {
    id: `${device}-50-${from}`,
    series: from === 'trunk' ? 'fine-tuned' : 'from scratch',
    data: 'nasbench201_latency',
    kind: 'nn-former',
    rows: 50,
    // Rows that validate would have to be measured on the new device, too.
    validation: 0,
    drawn: { rows: ROWS, validation: 200 },
    labels: [{ train: device, test: device }],
    scale: 'log',
    recipe: ALONE,
    ...(from === 'trunk' ? { trunk: others } : {}),
    metrics: ['spearman', 'mape', 'acc@0.1', 'acc@0.05'],
    published: [],
    others: [rho('HELP, 10 rows', HELD_OUT[device]!)],
    differs: [],
  };
}

export const LATENCY_TRANSFER: ReproducedTable = {
  id: 'latency-transfer',
  title: 'A new device from 50 measured networks',
  paper: 'HELP (Lee et al., NeurIPS 2021)',
  shows:
    'How much a predictor of five devices, trained on 900 networks, helps on a sixth device with only 50 measured networks, against training on the 50 alone.',
  differs: [
    'HELP learns from more devices and adapts to a new one with 10 networks; here it is five devices and 50 networks.',
    'The 50 networks are among the 900 that were measured on the other devices. Both ways are tested on the same rows, which neither has seen.',
    RECIPE_DIFFERS,
    'In tables of at least 10,000 rows, the 1,000 rows used to choose recipes are left out of all sets.',
  ],
  plot: 'bars',
  cells: Object.keys(HELD_OUT).flatMap((device) => [transfer(device, 'trunk'), transfer(device, 'scratch')]),
};
