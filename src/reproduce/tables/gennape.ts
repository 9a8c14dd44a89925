// GENNAPE's tables for the families that have labels: cost alone (Table 1), NAS-Bench-101 (3), and other families without and
// with 50 labels (4, 5, 6, 8, 9, 10).
import type { Published, ReproducedTable, ResultCell } from '../table.js';
import {
  type Family,
  FURTHER_FAMILIES,
  familyCell,
  GENNAPE_FAMILIES,
  NB101,
  OTHER_FAMILIES,
  sourceOf,
  TESTED_DIFFERS,
} from './family-cells.js';

const GENNAPE = 'GENNAPE (Mills et al., AAAI 2023), Tables 1, 3, 4, 8, 9 and 10';
const ENCODER = 'bundled:gennape';
const ALL_FAMILIES = [...GENNAPE_FAMILIES, ...OTHER_FAMILIES, ...FURTHER_FAMILIES];

function published(by: string, metric: string, value: number, deviation?: number): Published {
  return { by, metric, value, source: GENNAPE, ...(deviation === undefined ? {} : { deviation }) };
}

/** By family, in the order of `COLUMNS`: without labels, with 50 and the deviation. */
type Numbers = Readonly<
  Record<string, readonly (readonly [zero: number, fine: number, deviation: number])[]>
>;
const COLUMNS = ['k-GNN', 'CL', 'CL+T', 'CL+FCM+T', 'CL+Pairwise', 'CL+FCM+Pairwise', 'GENNAPE'] as const;

const TABLES_8_TO_10: Readonly<Record<string, Numbers>> = {
  spearman: {
    nb201: [
      [0.493, 0.8606, 0.0245],
      [0.852, 0.7892, 0.0715],
      [0.7834, 0.8309, 0.041],
      [0.7647, 0.8281, 0.0181],
      [0.8151, 0.8897, 0.0153],
      [0.8503, 0.8896, 0.0179],
      [0.8146, 0.9103, 0.0114],
    ],
    nb301: [
      [0.0642, 0.8584, 0.029],
      [-0.525, 0.6354, 0.0929],
      [-0.1689, 0.7665, 0.0318],
      [0.1349, 0.7227, 0.0275],
      [-0.0702, 0.8301, 0.0335],
      [-0.2462, 0.8445, 0.0093],
      [0.3214, 0.8825, 0.0134],
    ],
    'ofa-mbv3': [
      [0.4345, 0.6862, 0.0253],
      [0.5205, 0.9182, 0.007],
      [0.7122, 0.9302, 0.0021],
      [0.8713, 0.9264, 0.005],
      [0.535, 0.9356, 0.0062],
      [0.5515, 0.9369, 0.008],
      [0.866, 0.9449, 0.0015],
    ],
  },
  'tau-b': {
    nb201: [
      [0.3382, 0.6772, 0.01],
      [0.6554, 0.6004, 0.0739],
      [0.5855, 0.643, 0.0445],
      [0.5719, 0.6376, 0.0205],
      [0.6253, 0.7137, 0.0209],
      [0.6572, 0.7121, 0.0244],
      [0.6202, 0.7415, 0.018],
    ],
    nb301: [
      [0.0431, 0.7125, 0.0143],
      [-0.367, 0.4644, 0.0753],
      [-0.1122, 0.5767, 0.0315],
      [0.0921, 0.534, 0.0257],
      [-0.0484, 0.6474, 0.0346],
      [-0.1673, 0.6614, 0.01],
      [0.2183, 0.7075, 0.0171],
    ],
    'ofa-mbv3': [
      [0.2995, 0.5016, 0.0128],
      [0.3637, 0.7564, 0.0114],
      [0.5221, 0.7754, 0.0036],
      [0.6892, 0.7689, 0.0082],
      [0.3737, 0.7843, 0.0112],
      [0.39, 0.7868, 0.0146],
      [0.6832, 0.8024, 0.0027],
    ],
  },
  'ndcg@10': {
    nb201: [
      [0.927, 0.9751, 0.0082],
      [0.9845, 0.9362, 0.0298],
      [0.9856, 0.9818, 0.0063],
      [0.9868, 0.9834, 0.0054],
      [0.9755, 0.991, 0.0023],
      [0.9858, 0.9902, 0.0063],
      [0.9793, 0.9855, 0.003],
    ],
    nb301: [
      [0.5341, 0.9723, 0.0134],
      [0.3278, 0.8767, 0.0674],
      [0.6411, 0.8979, 0.0518],
      [0.7737, 0.8961, 0.071],
      [0.726, 0.915, 0.0883],
      [0.4046, 0.9666, 0.0102],
      [0.7885, 0.9765, 0.0081],
    ],
    'ofa-mbv3': [
      [0.8464, 0.8859, 0.0536],
      [0.9092, 0.9558, 0.0046],
      [0.9252, 0.9636, 0.007],
      [0.927, 0.962, 0.01],
      [0.8067, 0.9596, 0.0253],
      [0.9079, 0.9697, 0.0132],
      [0.9234, 0.9838, 0.003],
    ],
  },
  'ndcg@50': {
    nb201: [
      [0.9495, 0.9819, 0.0056],
      [0.9848, 0.9434, 0.0214],
      [0.9859, 0.9822, 0.0063],
      [0.9847, 0.9848, 0.004],
      [0.9793, 0.9916, 0.0022],
      [0.9872, 0.9907, 0.0052],
      [0.9836, 0.9885, 0.0025],
    ],
    nb301: [
      [0.7331, 0.9725, 0.0043],
      [0.4175, 0.8912, 0.048],
      [0.6311, 0.9085, 0.043],
      [0.793, 0.9179, 0.0357],
      [0.7235, 0.9302, 0.069],
      [0.5218, 0.9664, 0.0102],
      [0.8184, 0.9764, 0.0045],
    ],
    'ofa-mbv3': [
      [0.8607, 0.8854, 0.0203],
      [0.8893, 0.9653, 0.0028],
      [0.9268, 0.9691, 0.0018],
      [0.9397, 0.966, 0.0053],
      [0.8422, 0.9644, 0.0186],
      [0.9182, 0.9691, 0.011],
      [0.9433, 0.9778, 0.0018],
    ],
  },
};

/** Table 4, after 50 labels, in per cent of accuracy: k-GNN, CL, CL+T, CL+FCM+T. */
const TABLE_4: Readonly<Record<string, readonly number[]>> = {
  nb201: [1.8, 2.81, 1.93, 2.05],
  nb301: [0.46, 0.85, 0.43, 0.57],
  'ofa-mbv3': [0.61, 0.35, 0.31, 0.27],
};

/** What the paper prints of a family, by all its methods. */
function printed({ id }: Family, rows: number): Published[] {
  const ranks = Object.entries(TABLES_8_TO_10).flatMap(([metric, families]) =>
    (families[id] ?? []).map(([zero, fine, deviation], column) =>
      rows === 0
        ? published(COLUMNS[column]!, metric, zero)
        : published(COLUMNS[column]!, metric, fine, deviation),
    ),
  );
  // The label of Once-for-All is a fraction.
  const scale = id === 'ofa-mbv3' ? 0.01 : 1;
  const errors = rows === 0 ? [] : (TABLE_4[id] ?? []);
  return [...ranks, ...errors.map((value, column) => published(COLUMNS[column]!, 'mae', value * scale))];
}

const METRICS: ResultCell['metrics'] = ['spearman', 'tau-b', 'ndcg@10', 'ndcg-linear@10', 'ndcg@50', 'mae'];
/** Of GENNAPE and of what must be at least as good. */
const DEMANDS: Readonly<Record<string, Pick<ResultCell, 'floor' | 'goal'>>> = {
  'nb201-zero-gennape': { floor: 0.815, goal: 0.85 },
  'nb301-zero-gennape': { floor: 0.5, goal: 0.6 },
  'ofa-mbv3-zero-gennape': { floor: 0.9, goal: 0.96 },
  'nb201-50-few-shot': { floor: 0.93, goal: 0.95 },
  'nb301-50-few-shot': { floor: 0.88, goal: 0.9 },
  'ofa-mbv3-50-few-shot': { floor: 0.975, goal: 0.98 },
};

function transfer(family: Family, kind: string, rows: number): ResultCell {
  const all = printed(family, rows);
  const own = (by: string): boolean => by === 'GENNAPE' && kind === 'gennape';
  const base = familyCell(family, kind, rows, {
    metrics: METRICS,
    ...(kind === 'gennape' ? { from: ENCODER } : rows === 0 ? { sources: [sourceOf(NB101, 1000)] } : {}),
    published: all.filter(({ by }) => own(by)),
    others: all.filter(({ by, metric }) => !own(by) && metric === METRICS[0]),
  });
  return { ...base, ...DEMANDS[base.id] };
}

export const GENNAPE_TRANSFER: ReproducedTable = {
  id: 'gennape-transfer',
  title: 'From NAS-Bench-101 to other families: no labels, and 50',
  paper: 'GENNAPE (Mills et al., AAAI 2023), Tables 4, 5, 6, 8, 9 and 10',
  shows:
    'How predictors rank families that they were not trained on: as they are (zero), and after 50 labels of the family.',
  differs: [
    TESTED_DIFFERS,
    'The paper’s NDCG has the gain 2^rel − 1; the released code calls a function with the gain rel. Both are shown, by name.',
    'The paper has 10,000 networks of NAS-Bench-301 and 7,500 of OFA-MobileNetV3, other ones than the tables here.',
    'Kinds other than gennape that have no labels of the family are trained on 1,000 rows of NAS-Bench-101; those with 50 labels see nothing else.',
    'MAE is in the units of the table: fractions for OFA-MobileNetV3.',
  ],
  plot: 'bars',
  cells: ALL_FAMILIES.flatMap((family) => [
    ...['gennape', 'few-shot', 'family-ranking'].map((kind) => transfer(family, kind, 0)),
    ...['gennape', 'few-shot', 'forest', 'flops'].map((kind) => transfer(family, kind, 50)),
  ]),
};

/** Table 1: Synflow, Jacov, Fisher, Snip, FLOPs. */
const TABLE_1: Readonly<Record<string, readonly number[]>> = {
  nb201: [0.823, 0.859, 0.687, 0.718, 0.001],
  nb301: [-0.21, -0.19, -0.305, -0.336, 0.578],
  'ofa-mbv3': [0.648, 0.035, 0.602, 0.649, 0.614],
};
const PROXIES = ['Synflow', 'Jacov', 'Fisher', 'Snip', 'FLOPs'] as const;

export const GENNAPE_COST: ReproducedTable = {
  id: 'gennape-cost',
  title: 'FLOPs and parameters alone',
  paper: 'GENNAPE (Mills et al., AAAI 2023), Table 1',
  shows: 'How families are ranked by what their networks cost, without any label.',
  differs: [
    'All networks are tested, and ranked by our counts. The direction, more being better, was learned from NAS-Bench-101.',
    'Zero-cost scores were not run on whole families; docs/results/proxies-nasbench201.md has them for 500 cells.',
  ],
  plot: 'bars',
  cells: ALL_FAMILIES.flatMap((family) =>
    ['flops', 'params'].map((kind) => {
      const all = (TABLE_1[family.id] ?? []).map((value, i) => published(PROXIES[i]!, 'spearman', value));
      const { tested: _, ...cell } = familyCell(family, kind, 0, {
        sources: [sourceOf(NB101, 500)],
        metrics: ['spearman', 'tau-b', 'ndcg@10', 'ndcg-linear@10'],
        published: all.filter(({ by }) => by === 'FLOPs' && kind === 'flops'),
        others: all.filter(({ by }) => by !== 'FLOPs'),
      });
      return cell;
    }),
  ),
};

/** Table 3: MAE in per cent, its deviation, SRCC, its deviation. */
const TABLE_3: Readonly<
  Record<string, readonly [by: string, mae: number, maeDeviation: number, rho: number, rhoDeviation: number]>
> = {
  'gcn-graph': ['GCN', 1.78, 0.06, 0.732, 0.034],
  'gin-graph': ['GIN', 1.72, 0.04, 0.735, 0.035],
  'k-gnn': ['k-GNN', 1.61, 0.08, 0.814, 0.02],
  cl: ['CL', 1.51, 0.17, 0.874, 0.009],
  'cl-fcm': ['CL+FCM', 1.19, 0.12, 0.896, 0.003],
  'cl-t': ['CL+T', 0.65, 0.08, 0.921, 0.003],
  'cl-fcm-t': ['CL+FCM+T', 0.59, 0.01, 0.93, 0.002],
};

export const GENNAPE_NB101: ReproducedTable = {
  id: 'gennape-nb101',
  title: 'NAS-Bench-101 from 40,000 labels',
  paper: 'GENNAPE (Mills et al., AAAI 2023), Table 3',
  shows: 'How predictors of whole networks rank NAS-Bench-101 when they are trained on it.',
  differs: [
    '40,000 rows are trained on, as in the paper (80% of 50,000); 5,000 of the others are tested.',
    'Accuracies here are fractions, so that the paper’s MAE is divided by 100. The label is the mean of three runs. Networks below 80% are not left out.',
    'Heads (cl, cl-t, …) are trained on the encoder of the bundled predictor gennape.',
  ],
  plot: 'bars',
  cells: Object.entries(TABLE_3).map(
    ([kind, [by, mae, maeDeviation, rho, rhoDeviation]]): ResultCell => ({
      ...familyCell(NB101, kind, 40_000, {
        metrics: ['spearman', 'mae', 'tau-b'],
        validation: 1000,
        tested: 5000,
        ...(kind.startsWith('cl') ? { from: ENCODER } : {}),
        published: [
          published(by, 'spearman', rho, rhoDeviation),
          published(by, 'mae', mae / 100, maeDeviation / 100),
        ],
      }),
      ...(kind === 'cl-fcm-t' ? { floor: 0.93, goal: 0.95 } : {}),
    }),
  ),
};
