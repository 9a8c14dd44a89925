// The accuracy order of a family that was never seen, learned from five others.
import type { ReproducedTable, ResultCell } from '../table.js';
import {
  type Family,
  familyCell,
  GENNAPE_FAMILIES,
  NB101,
  OTHER_FAMILIES,
  sourceOf,
  TESTED_DIFFERS,
} from './family-cells.js';

const SIX: readonly Family[] = [
  NB101,
  ...GENNAPE_FAMILIES.filter(({ without }) => without === undefined),
  ...OTHER_FAMILIES,
];
const ROWS = 800;

function cell(family: Family, kind: string): ResultCell {
  const sources = SIX.filter(({ data }) => data !== family.data).map((other) => sourceOf(other, ROWS));
  return familyCell(family, kind, 0, {
    sources,
    metrics: ['spearman', 'tau-b', 'ndcg@10', 'ndcg-linear@10'],
  });
}

export const FAMILIES: ReproducedTable = {
  id: 'families',
  title: 'Ranking a family of networks that was never seen',
  paper: 'none; the question is that of GENNAPE (Mills et al., AAAI 2023), which learns from one family',
  shows:
    'How well predictors rank networks of a family from the labels of five other families: none of the tested family is seen.',
  differs: [
    `Trained on ${ROWS} rows of each of the five other families, labels being ranks within each.`,
    TESTED_DIFFERS,
    'The terms of family-ranking and their signs were composed with all six families in sight; their weights come from the five others. Chosen anew on five families for each one left out, subsets of such terms had 0.75 to 0.79 on average. Two terms that repeat others were left out with 800 rows of each family in sight; TransNAS micro (0.599 to 0.606) and DyNAS-T (0.982 to 0.985), which nothing is fitted to, became no worse.',
  ],
  plot: 'bars',
  cells: SIX.flatMap((family) =>
    ['family-ranking', 'few-shot', 'flops', 'params'].map((kind) => cell(family, kind)),
  ),
};
