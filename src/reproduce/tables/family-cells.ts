// Families of networks that have labels, and cells that carry what was learned from one to another.
import type { DataName } from '../data.js';
import type { CellSource, ResultCell } from '../table.js';

export interface Family {
  readonly id: string;
  readonly title: string;
  readonly data: DataName;
  readonly label: string;
  readonly without?: string;
}

export const NB101: Family = {
  id: 'nb101',
  title: 'NAS-Bench-101',
  data: 'nasbench101',
  label: 'test_accuracy',
};
const NB201 = { data: 'nasbench201', label: 'cifar10_test' } as const;

/** GENNAPE's families with labels; it has cells of NAS-Bench-201 without `none` only. */
export const GENNAPE_FAMILIES: readonly Family[] = [
  { ...NB201, id: 'nb201', title: 'NAS-Bench-201 without none', without: 'none' },
  { ...NB201, id: 'nb201-all', title: 'NAS-Bench-201, all cells' },
  { id: 'nb301', title: 'NAS-Bench-301', data: 'nasbench301_sample', label: 'val_accuracy' },
  { id: 'ofa-mbv3', title: 'OFA-MobileNetV3', data: 'ofa_mbv3_mit_ofa', label: 'accuracy' },
];

/** Families that it did not have. */
export const OTHER_FAMILIES: readonly Family[] = [
  { id: 'accel', title: 'Accel-NASBench', data: 'accel_nasbench', label: 'val_top1' },
  { id: 'nats-size', title: 'NATS-Bench, size space', data: 'natsbench_sss', label: 'cifar10' },
];

/** Further ones, whose labels no bundled predictor has learned. */
export const FURTHER_FAMILIES: readonly Family[] = [
  { id: 'transnas', title: 'TransNAS micro, objects', data: 'transnas_micro', label: 'class_object' },
  { id: 'dynast', title: 'DyNAS-T, OFA-MobileNetV3', data: 'ofa_mbv3_dynast', label: 'imagenet_top1' },
];

/** Test rows: embedding whole networks takes longer than training on them. */
const TESTED = 1000;
export const TESTED_DIFFERS = `At most ${TESTED} rows of each family are tested, drawn at random; the papers test on all others.`;

/** A cell that is tested on a family. */
export function familyCell(
  family: Family,
  kind: string,
  rows: number,
  more: Pick<ResultCell, 'metrics'> & Partial<ResultCell>,
): ResultCell {
  const { id, data, label, without } = family;
  return {
    id: `${id}-${rows === 0 ? 'zero' : rows}-${kind}`,
    series: `${kind}, ${family.title}`,
    data,
    ...(without === undefined ? {} : { without }),
    kind,
    rows,
    validation: 0,
    tested: TESTED,
    labels: [{ train: label, test: label }],
    scale: 'linear',
    published: [],
    others: [],
    differs: [],
    ...more,
  };
}

export function sourceOf({ data, label }: Family, rows: number): CellSource {
  return { data, rows, labels: [label] };
}
