// The cells of NAS-Bench-201 as a family of NNLQP: the same networks, images of 32², widths as published. nn-Meter has
// the 2,000 cells that score best; which ones NNLQP has is not published, so all are here.
import { nasBench201 } from '../cells/nasbench201.js';
import type { NasBench201 } from '../cells/nasbench201-cell.js';
import type { Space } from '../space.js';

// Without features of its own, as predictors of this space were trained with those that every space has.
const { cellOperations: _, ...same } = nasBench201;

export const nnlqpNasBench201: Space<NasBench201> = {
  ...same,
  name: 'nnlqp-nasbench201',
  title: 'NNLQP NAS-Bench-201',
  paper: 'Liu et al., ICPP 2022; Dong & Yang, ICLR 2020, arXiv:2001.00326',
};
