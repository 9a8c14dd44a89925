// NAS-Bench-201 on the other two data sets.
import type { ReproducedTable } from '../table.js';
import { RECIPE_DIFFERS, SPLIT_DIFFERS } from './sources.js';

export const NB201_DATASETS: ReproducedTable = {
  id: 'nb201-datasets',
  title: 'Accuracy on CIFAR-100 and ImageNet16-120 (NAS-Bench-201)',
  paper: 'NAS-Bench-201 (Dong & Yang, ICLR 2020)',
  shows: 'Whether the CIFAR-10 results hold on harder data sets, from 3% of the architectures.',
  differs: [
    'NN-Former and NAR-Former V2 publish only CIFAR-10, so there are no numbers to compare with.',
    'One predictor has an output for each data set.',
    'Trained on test accuracy, as T in nb201-accuracy.',
    ...SPLIT_DIFFERS,
    RECIPE_DIFFERS,
  ],
  plot: 'bars',
  cells: [
    {
      id: '469-nn-former',
      series: 'nn-former',
      data: 'nasbench201',
      kind: 'nn-former',
      isPretrained: true,
      rows: 469,
      validation: 200,
      labels: ['cifar100_test', 'imagenet16_test'].map((label) => ({ train: label, test: label })),
      scale: 'linear',
      metrics: ['tau-b', 'spearman', 'mae', 'acc@0.1'],
      published: [],
      others: [],
      differs: [],
    },
  ],
};
