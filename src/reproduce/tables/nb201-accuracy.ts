// NAS-Bench-201: accuracy on CIFAR-10 from 1% to 10% of the architectures.
import type { Published, ReproducedTable, ResultCell } from '../table.js';
import {
  beginning,
  NN_FORMER,
  PINAT,
  PRETRAINING_DIFFERS,
  RECIPE_DIFFERS,
  recalledTau,
  SPLIT_DIFFERS,
  tau,
  V2_SUPPLEMENT,
} from './sources.js';

type Rows = 156 | 469 | 781 | 1563;

/** By the kind of predictor that is the same method. */
const PUBLISHED: Readonly<Record<string, Readonly<Partial<Record<Rows, Published>>>>> = {
  'nn-former': {
    156: tau('NN-Former', 0.804, NN_FORMER),
    469: recalledTau('NN-Former', 0.86),
    781: recalledTau('NN-Former', 0.879),
    1563: tau('NN-Former', 0.89, NN_FORMER),
  },
  'nar-former-v2': {
    156: tau('NAR-Former V2', 0.752, NN_FORMER),
    469: recalledTau('NAR-Former V2', 0.846),
    781: tau('NAR-Former V2', 0.8735, V2_SUPPLEMENT, 0.0026),
    1563: tau('NAR-Former V2', 0.8875, V2_SUPPLEMENT, 0.0013),
  },
};

const OTHERS: Readonly<Record<Rows, readonly Published[]>> = {
  156: [
    recalledTau('NAR-Former', 0.66),
    tau('PINAT', 0.631, PINAT),
    tau('TNASP', 0.589, PINAT),
    tau('NP', 0.413, PINAT),
  ],
  469: [
    recalledTau('NAR-Former', 0.79),
    tau('PINAT', 0.706, PINAT),
    tau('TNASP', 0.64, PINAT),
    tau('NP', 0.584, PINAT),
  ],
  781: [
    tau('NAR-Former', 0.8631, V2_SUPPLEMENT, 0.008),
    tau('PINAT', 0.761, PINAT),
    tau('TNASP', 0.689, PINAT),
    tau('NP', 0.634, PINAT),
  ],
  1563: [
    tau('NAR-Former', 0.8967, V2_SUPPLEMENT, 0.0029),
    tau('PINAT', 0.784, PINAT),
    tau('TNASP', 0.724, PINAT),
    tau('NP', 0.646, PINAT),
  ],
};

type Demands = Pick<ResultCell, 'floor' | 'goal'>;

/** `V`: the papers' protocol, learned from validation accuracy. `T`: learned from test accuracy. */
function cell(
  kind: string,
  rows: Rows,
  protocol: 'V' | 'T',
  demands: Demands = {},
  start?: 'scratch',
): ResultCell {
  const own = PUBLISHED[kind]?.[rows];
  const methods = Object.entries(PUBLISHED).flatMap(([name, byRows]) =>
    name === kind ? [] : [byRows[rows]!],
  );
  return {
    id: [rows, protocol.toLowerCase(), kind, ...(start ? [start] : [])].join('-'),
    series: `${kind}${start ? ' from scratch' : ''} (${protocol})`,
    data: 'nasbench201',
    kind,
    rows,
    validation: 200,
    labels: [{ train: protocol === 'V' ? 'cifar10_valid' : 'cifar10_test', test: 'cifar10_test' }],
    scale: 'linear',
    ...beginning(kind, start),
    metrics: ['tau-b', 'spearman', 'mae', 'acc@0.1'],
    published: own ? [own] : [],
    others: [...methods, ...OTHERS[rows]],
    ...demands,
    differs:
      protocol === 'V'
        ? []
        : ['T: trained on test accuracy; the papers train on validation accuracy, as V does.'],
  };
}

export const NB201_ACCURACY: ReproducedTable = {
  id: 'nb201-accuracy',
  title: 'Accuracy on NAS-Bench-201 (CIFAR-10) from few trained architectures',
  paper:
    'NN-Former (Xu et al., CVPR 2025); NAR-Former V2 (Yi et al., NeurIPS 2023); PINAT (Lu et al., AAAI 2023)',
  shows:
    'How well NN-Former, other graph networks and fast baselines rank architectures after training on 1%, 3%, 5% or 10% of them.',
  differs: [
    ...SPLIT_DIFFERS,
    RECIPE_DIFFERS,
    PRETRAINING_DIFFERS,
    'The supplement of NAR-Former V2 labels its 5% column with 424 rows, which is 0.1% of NAS-Bench-101; we read it as 781 rows.',
  ],
  plot: 'rows',
  cells: [
    cell('nn-former', 156, 'V', { floor: 0.8, goal: 0.83 }),
    cell('nn-former', 156, 'T'),
    cell('nn-former', 156, 'V', {}, 'scratch'),
    cell('nn-former', 469, 'V'),
    cell('nn-former', 469, 'T', { floor: 0.84, goal: 0.87 }),
    cell('nn-former', 781, 'V'),
    cell('nn-former', 781, 'T', { floor: 0.86, goal: 0.885 }),
    cell('nn-former', 1563, 'V'),
    cell('nn-former', 1563, 'T', { floor: 0.88, goal: 0.905 }),
    ...['nar-former-v2', 'gcn', 'forest', 'linear', 'params', 'flops'].flatMap((kind) => [
      cell(kind, 156, 'T'),
      cell(kind, 781, 'T'),
    ]),
  ],
};
