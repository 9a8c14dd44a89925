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
  | 'nasbench201'
  | 'nasbench201_latency'
  | 'fbnet_latency'
  | 'ofa_latency';

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
  ofa_latency: {
    title: 'latencies of Once-for-All MobileNetV3 (HELP)',
    space: 'ofa-mobilenetv3',
    origin: HELP_LATENCIES,
  },
};

/** What a file may be called, in the order in which they are looked for. */
export function fileNames(name: DataName): string[] {
  return ['.csv.gz', '.csv', '.jsonl.gz', '.jsonl'].map((end) => `${name}${end}`);
}
