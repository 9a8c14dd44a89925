// The tables that bundled devices are fitted to: which column is which device, and how it was measured.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Device } from '../../src/predictors/devices/device.js';

type About = Pick<Device, 'name' | 'quantity' | 'unit'> & {
  measured: Omit<Device['measured'], 'networks' | 'families'>;
};

/** A device of a table; columns by set of networks. */
export interface TableDevice extends About {
  readonly columns: Readonly<Record<string, string>>;
}

/** Rows of a CSV file by name, values by column. */
export type Rows = ReadonlyMap<string, Readonly<Record<string, string>>>;

export function csvRows(path: string, key: (row: Record<string, string>) => string): Rows {
  const [head, ...lines] = gunzipSync(readFileSync(path))
    .toString()
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map(cells);
  return new Map(
    lines.map((line) => {
      const row = Object.fromEntries(head!.map((name, i) => [name, line[i] ?? '']));
      return [key(row), row];
    }),
  );
}

function cells(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
}

const latency = { quantity: 'latency', unit: 'ms' } as const;

const TIMM = { source: 'timm, published benchmark results', threads: null, date: null };
const cpu = { ...TIMM, runtime: 'PyTorch, compiled', precision: 'float32', batch: 1 };
const gpu = { ...TIMM, batch: null, perImage: true };

export const TIMM_DEVICES: readonly TableDevice[] = [
  {
    name: 'i7-12700h',
    ...latency,
    measured: { device: 'Intel Core i7-12700H', ...cpu },
    columns: { timm: 'i7_12700h_b1_ms' },
  },
  {
    name: 'i9-10940x',
    ...latency,
    measured: { device: 'Intel Core i9-10940X', ...cpu },
    columns: { timm: 'i9_10940x_b1_ms' },
  },
  ...(
    [
      ['rtx4090', 'NVIDIA RTX 4090', 'rtx4090_amp_ms', 'PyTorch', 'mixed float16'],
      ['rtx3090', 'NVIDIA RTX 3090', 'rtx3090_amp_ms', 'PyTorch', 'mixed float16'],
      [
        'rtx4090-compiled',
        'NVIDIA RTX 4090',
        'rtx4090_amp_compiled_ms',
        'PyTorch, compiled',
        'mixed float16',
      ],
      ['rtx5090', 'NVIDIA RTX 5090', 'rtx5090_amp_ms', 'PyTorch', 'mixed float16'],
      [
        'pro6000-compiled',
        'NVIDIA RTX PRO 6000',
        'pro6000_bf16_compiled_ms',
        'PyTorch, compiled',
        'mixed bfloat16',
      ],
    ] as const
  ).map(([name, device, timm, runtime, precision]) => ({
    name,
    ...latency,
    measured: { device, ...gpu, runtime, precision },
    columns: { timm },
  })),
];

const HELP = {
  source: 'HELP (Lee et al. 2021), tables of NAS-Bench-201, FBNet and OFA',
  runtime: null,
  precision: 'float32',
  threads: null,
  date: '2021',
};

/** Devices of HELP: name, chip, and the start of their columns in the tables. */
const CHIPS = [
  ['gtx1080ti', 'NVIDIA GTX 1080 Ti', '1080ti', [1, 32, 64, 256]],
  ['rtx2080ti', 'NVIDIA RTX 2080 Ti', '2080ti', [1, 32, 64, 256]],
  ['titan-rtx', 'NVIDIA Titan RTX', 'titan_rtx', [1, 32, 64]],
  ['titan-x', 'NVIDIA Titan X', 'titanx', [1, 32, 64, 256]],
  ['titan-xp', 'NVIDIA Titan Xp', 'titanxp', [1, 32, 64, 256]],
  ['v100', 'NVIDIA V100', 'v100', [1, 32, 64]],
] as const;
const SINGLE = [
  ['essential-ph1', 'Essential PH-1 (Snapdragon 835)', 'essential_ph_1'],
  ['eyeriss', 'Eyeriss accelerator (simulated)', 'eyeriss'],
  ['fpga', 'Xilinx ZC706 FPGA', 'fpga'],
  ['xeon-gold-6240', 'Intel Xeon Gold 6240', 'gold_6240'],
  ['pixel2', 'Google Pixel 2', 'pixel2'],
  ['samsung-a50', 'Samsung Galaxy A50', 'samsung_a50'],
  ['samsung-s7', 'Samsung Galaxy S7', 'samsung_s7'],
  ['xeon-silver-4114', 'Intel Xeon Silver 4114', 'silver_4114'],
  ['xeon-silver-4210r', 'Intel Xeon Silver 4210R', 'silver_4210r'],
] as const;

/** Columns that are not there are left out when rows are read. */
function helpColumns(column: string): Record<string, string> {
  return { nasbench201: column, fbnet: column, ofa: column.replace('titanxp', 'titan_xp') };
}

export const HELP_DEVICES: readonly TableDevice[] = [
  ...CHIPS.flatMap(([name, device, column, batches]) =>
    batches.map((batch) => ({
      name: `${name}-b${batch}`,
      ...latency,
      measured: { device, ...HELP, batch },
      columns: helpColumns(`${column}_${batch}`),
    })),
  ),
  ...SINGLE.map(([name, device, column]) => ({
    name,
    ...latency,
    measured: { device, ...HELP, batch: 1 },
    columns: helpColumns(column),
  })),
  {
    name: 'pixel3',
    ...latency,
    measured: { device: 'Google Pixel 3', ...HELP, batch: 1 },
    // Rows of NAS-Bench-201 are in other units.
    columns: { fbnet: 'pixel3' },
  },
];

const PI = { device: 'Raspberry Pi 5', batch: 1, threads: null, precision: 'float32', date: '2025' };
const PI_SOURCE = 'HW-NAS-Bench-360, networks of NAS-Bench-201 for CIFAR-100';

export const PI_DEVICES: readonly TableDevice[] = (
  [
    ['onnx', 'ONNX Runtime'],
    ['litert', 'LiteRT'],
    ['torchmobile', 'PyTorch Mobile'],
  ] as const
).flatMap(([key, runtime]): TableDevice[] => [
  {
    name: `pi5-${key}`,
    ...latency,
    measured: { ...PI, runtime, source: PI_SOURCE },
    columns: { nasbench201: `lat_ms_pi5_${key}_cifar100` },
  },
  {
    name: `pi5-${key}-energy`,
    quantity: 'energy',
    unit: 'mJ',
    measured: { ...PI, runtime, source: PI_SOURCE },
    columns: { nasbench201: `energy_mj_pi5_${key}_cifar100` },
  },
]);

export const PHONE_DEVICES: readonly TableDevice[] = (
  [
    ['cortex-a76', 'Arm Cortex-A76 (Pixel 4 CPU)', 'cortexA76cpu_tflite21'],
    ['adreno-640', 'Qualcomm Adreno 640 (Pixel 4 GPU)', 'adreno640gpu_tflite21'],
    ['adreno-630', 'Qualcomm Adreno 630 (Pixel 3 GPU)', 'adreno630gpu_tflite21'],
  ] as const
).map(([name, device, column]) => ({
  name,
  ...latency,
  measured: {
    device,
    runtime: 'TensorFlow Lite 2.1',
    precision: 'float32',
    batch: 1,
    threads: null,
    date: '2021',
    source: 'nn-Meter, networks of NAS-Bench-201',
  },
  columns: { nasbench201: column },
}));

/** Models of AI Hub that are networks of timm too. */
export const AI_HUB_MODELS: Readonly<Record<string, string>> = {
  densenet121: 'densenet121-224',
  dla102x: 'dla102x-224',
  efficientformer: 'efficientformer_l1-224',
  efficientnet_b0: 'efficientnet_b0-224',
  efficientnet_b4: 'efficientnet_b4-384',
  efficientvit_b2_cls: 'efficientvit_b2-224',
  efficientvit_l2_cls: 'efficientvit_l2-224',
  levit: 'levit_128s-224',
  mnasnet05: 'mnasnet_050-224',
  mobilenet_v2: 'mobilenetv2_100-224',
  mobilenet_v3_large: 'mobilenetv3_large_100-224',
  mobilenet_v3_small: 'mobilenetv3_small_100-224',
  regnet: 'regnetx_032-224',
  regnet_y_800mf: 'regnety_008-224',
  resnet101: 'resnet101-224',
  resnet18: 'resnet18-224',
  resnet50: 'resnet50-224',
  resnext101: 'resnext101_32x8d-224',
  resnext50: 'resnext50_32x4d-224',
  sequencer2d: 'sequencer2d_s-224',
  vit: 'vit_base_patch16_224-224',
  wideresnet50: 'wide_resnet50_2-224',
};

const CHIPS_OF_HUB = [
  ['galaxy-s25', 'Samsung Galaxy S25'],
  ['galaxy-s24', 'Samsung Galaxy S24'],
  ['snapdragon-8-elite-gen5', 'Snapdragon 8 Elite Gen 5 QRD'],
  ['qcs8550', 'QCS8550 (Proxy)'],
  ['dragonwing-iq-9075', 'Dragonwing IQ-9075 EVK'],
  ['qcs8275', 'QCS8275 (Proxy)'],
  ['qcs8450', 'QCS8450 (Proxy)'],
  ['sa8775p', 'SA8775P ADP'],
  ['sa7255p', 'SA7255P ADP'],
  ['snapdragon-7-gen4', 'Snapdragon 7 Gen 4 QRD'],
  ['dragonwing-q-6690', 'Dragonwing Q-6690 MTP'],
  ['dragonwing-rb3-gen2', 'Dragonwing RB3 Gen 2 Vision Kit'],
] as const;

/** Of each chip: float and int8, with the runtime that most models have. The column is device, precision, runtime. */
export const HUB_DEVICES: readonly TableDevice[] = CHIPS_OF_HUB.flatMap(([name, device]) =>
  (
    [
      ['', 'float', 'float16 or float32'],
      ['-int8', 'w8a8', 'int8'],
    ] as const
  ).map(([suffix, key, precision]) => ({
    name: `${name}${suffix}`,
    ...latency,
    measured: {
      device: `${device} (NPU)`,
      runtime: 'TensorFlow Lite',
      precision,
      batch: 1,
      threads: null,
      date: '2025',
      source: 'Qualcomm AI Hub, published models',
    },
    columns: { timm: `${device}|${key}|tflite` },
  })),
);

export const OWN_DEVICE = {
  name: 'epyc-onnxruntime',
  ...latency,
  measured: {
    device: 'AMD EPYC',
    runtime: 'onnxruntime-node 1.30.0',
    precision: 'float32',
    batch: 1,
    threads: 1,
    date: '2026-11-18',
    source: 'measured with auspex: ten families of NNLQP',
  },
};
