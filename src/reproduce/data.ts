// The benchmark tables that results are made from: what their files are called, and where they come from.

interface DataSource {
  readonly title: string;
  readonly space: string;
  /** How one comes by the file, for who has not got it. */
  readonly origin: string;
  /** Architectures in the whole space, where papers speak of shares of them. */
  readonly all?: number;
}

export type DataName =
  | 'nasbench101'
  | 'nasbench101_validation'
  | 'nasbench201'
  | 'nasbench201_latency'
  | 'fbnet_latency'
  | 'ofa_latency'
  | 'nasbench301_sample'
  | 'ofa_mbv3_mit_ofa'
  | 'accel_nasbench'
  | 'natsbench_sss'
  | 'transnas_micro'
  | 'ofa_mbv3_dynast'
  | `nnlqp_${NnlqpFamily}`;

/** Their latencies were measured by auspex: verify/nnlqp. */
const NNLQP_FAMILIES = [
  'alexnet',
  'efficientnet',
  'googlenet',
  'mnasnet',
  'mobilenetv2',
  'mobilenetv3',
  'nasbench201',
  'resnet',
  'squeezenet',
  'vgg',
] as const;
type NnlqpFamily = (typeof NNLQP_FAMILIES)[number];

const HELP_LATENCIES =
  'from https://github.com/HayeonLee/HELP: a CSV with a column `arch` and one column per device';

/** By the stem of the file's name. */
export const DATA: Readonly<Record<DataName, DataSource>> = {
  nasbench101: {
    title: 'NAS-Bench-101',
    space: 'nasbench101',
    origin:
      'from https://github.com/google-research/nasbench: `auspex data import nasbench_only108.tfrecord -o nasbench101.csv.gz`',
    all: 423_624,
  },
  nasbench101_validation: {
    title: 'cells of NAS-Bench-101 with validation accuracy and training seconds',
    space: 'nasbench101',
    origin:
      'from https://github.com/google-research/nasbench: a CSV as `nasbench101`, with `val_accuracy_one_run` and `train_seconds`',
  },
  nasbench201: {
    title: 'NAS-Bench-201',
    space: 'nasbench201',
    origin:
      'from https://github.com/D-X-Y/NATS-Bench: `auspex data import NATS-tss-v1_0-3ffb9-simple/ -o nasbench201.csv.gz`',
    all: 15_625,
  },
  nasbench201_latency: {
    title: 'latencies of NAS-Bench-201 (HELP)',
    space: 'nasbench201',
    origin: HELP_LATENCIES,
  },
  fbnet_latency: { title: 'latencies of FBNet (HELP)', space: 'fbnet', origin: HELP_LATENCIES },
  nasbench301_sample: {
    title: 'architectures of DARTS with accuracies of the surrogate NAS-Bench-301',
    space: 'darts',
    origin: 'from https://github.com/automl/NASLib: JSON lines with `arch` and `val_accuracy`',
  },
  ofa_mbv3_mit_ofa: {
    title: 'subnets of Once-for-All MobileNetV3 with ImageNet accuracies',
    space: 'ofa-mobilenetv3',
    origin: 'JSON lines with `arch` (ks, e, d, image_size), `accuracy` and `peak_memory`',
  },
  accel_nasbench: {
    title: 'Accel-NASBench',
    space: 'accel-mnasnet',
    origin: 'from https://github.com/afzalxo/Accel-NASBench: its JSON file, one object a line',
  },
  natsbench_sss: {
    title: 'NATS-Bench, size space',
    space: 'nats-size',
    origin: 'from https://github.com/D-X-Y/NATS-Bench: a CSV with `channels`, `cifar10`, …',
    all: 32_768,
  },
  transnas_micro: {
    title: 'TransNAS-Bench-101, micro cells',
    space: 'transnas-micro',
    origin: 'from https://github.com/automl/NASLib: a CSV with `arch` and a column for each task',
    all: 4096,
  },
  ofa_mbv3_dynast: {
    title: 'subnets of Once-for-All MobileNetV3 with ImageNet accuracies, found by DyNAS-T',
    space: 'ofa-mobilenetv3',
    origin:
      'from https://github.com/IntelLabs/DyNAS-T: a CSV with `arch`, `params`, `macs` and `imagenet_top1`',
  },
  ofa_latency: {
    title: 'latencies of Once-for-All MobileNetV3 (HELP)',
    space: 'ofa-mobilenetv3',
    origin: HELP_LATENCIES,
  },
  ...nnlqpSources(),
};

function nnlqpSources(): Record<`nnlqp_${NnlqpFamily}`, DataSource> {
  const sources = NNLQP_FAMILIES.map((family): [string, DataSource] => [
    `nnlqp_${family}`,
    {
      title: `latencies of the NNLQP family ${family} on a CPU`,
      space: `nnlqp-${family}`,
      origin: 'in the repository of auspex: `--data verify/nnlqp`',
    },
  ]);
  return Object.fromEntries(sources) as Record<`nnlqp_${NnlqpFamily}`, DataSource>;
}

/** What a file may be called, in the order in which they are looked for. */
export function fileNames(name: DataName): string[] {
  return ['.csv.gz', '.csv', '.jsonl.gz', '.jsonl'].map((end) => `${name}${end}`);
}
