// Latencies of the ten families of NNLQP on a CPU, measured by auspex: one family is left out, and predicted from the others.
import type { DataName } from '../data.js';
import type { Published, ReproducedTable, ResultCell } from '../table.js';

const PAPER =
  'NNLQP (Liu et al., ICPP 2022), NAR-Former V2 (Yi et al., NeurIPS 2023), NN-Former (Xu et al., CVPR 2025)';
const QUOTED = 'out-of-domain tables of NAR-Former V2 and NN-Former, quoted from memory';

/** MAPE in percent as published, the mean of several runs: another device (GTX 1660, TensorRT), 2,000 networks a family. */
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  alexnet: row(44.65, 15.45, 10.64, 24.28, 11.47),
  efficientnet: row(58.36, 53.96, 21.46, 13.2, 5.13),
  googlenet: row(30.76, 32.54, 13.28, 6.61, 6.74),
  mnasnet: row(40.31, 35.96, 12.07, 7.16, 2.71),
  mobilenetv2: row(37.42, 35.27, 8.87, 6.73, 4.17),
  mobilenetv3: row(64.64, 57.13, 14.57, 9.06, 9.07),
  nasbench201: row(80.41, 33.52, 9.6, 9.21, 7.93),
  resnet: row(21.18, 18.91, 7.54, 6.8, 7.49),
  squeezenet: row(29.89, 23.19, 9.84, 7.08, 9.08),
  vgg: row(69.34, 66.63, 7.6, 15.4, 20.12),
};

function row(
  flops: number,
  memory: number,
  nnlp: number,
  v2: number,
  former: number,
): Record<string, number> {
  return {
    flops,
    'flops-memory': memory,
    'nnlp-network': nnlp,
    'nar-former-v2-network': v2,
    'nn-former-network': former,
  };
}

/** Kinds that are compared, and what each is called in the papers. */
const KINDS: Readonly<Record<string, string>> = {
  'nn-former-network': 'NN-Former',
  'nar-former-v2-network': 'NAR-Former V2',
  'nnlp-network': 'NNLP',
  'flops-memory': 'FLOPs + memory access',
  flops: 'FLOPs',
};

const ROWS = 200;
/** Of each training: all thirty take half an hour of one core. */
const STEPS = 600;
const BATCH = 8;

function mape(kind: string, family: string): Published {
  const value = PUBLISHED[family]![kind]! / 100;
  return { by: KINDS[kind]!, metric: 'mape', value, source: QUOTED, isUnverified: true };
}

function cell(family: string, kind: string): ResultCell {
  const others = Object.keys(PUBLISHED).filter((name) => name !== family);
  const label = 'latency';
  return {
    id: `${family}-${kind}`,
    series: KINDS[kind]!,
    data: dataOf(family),
    kind,
    rows: 0,
    sources: others.map((name) => ({ data: dataOf(name), rows: ROWS, labels: [label] })),
    isOneUnit: true,
    validation: 0,
    labels: [{ train: label, test: label }],
    scale: 'log',
    ...(kind.endsWith('-network')
      ? { recipe: { members: 1, isFromScratch: true, steps: STEPS, batch: BATCH } }
      : {}),
    metrics: ['mape', 'acc@0.1', 'acc@0.05', 'spearman'],
    published: [mape(kind, family)],
    others: Object.keys(KINDS).flatMap((other) => (other === kind ? [] : mape(other, family))),
    differs: [],
  };
}

function dataOf(family: string): DataName {
  return `nnlqp_${family}` as DataName;
}

export const NNLQP_FAMILIES: ReproducedTable = {
  id: 'nnlqp-families',
  title: 'Latency of a family of networks that was never measured',
  paper: PAPER,
  shows:
    'How close predicted latencies of a family are if only the nine others were measured. Ten families of NNLQP, one left out after the other.',
  differs: [
    'Another device: a server CPU (AMD EPYC, one core) with ONNX Runtime 1.30, one thread, batch 1; the papers measured a GTX 1660 with TensorRT.',
    `${ROWS} networks of each family instead of 2,000; their latencies were measured by auspex.`,
    `Models are narrower than in the papers, and trained for ${STEPS} steps of ${BATCH} networks, on logarithms: less than three passes. The papers train 50 epochs and keep the weights that are best on the test family; here the last ones are tested.`,
  ],
  plot: 'bars',
  cells: Object.keys(PUBLISHED).flatMap((family) => Object.keys(KINDS).map((kind) => cell(family, kind))),
};
