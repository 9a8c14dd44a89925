// Accuracy from embeddings of cells: a random forest on embeddings of Kadlecová et al. (Tables 6 and 7), a Gaussian process as
// in arch2vec, and predictors that see the same cells and labels without an embedding.
import type { Published, ReproducedTable, ResultCell } from '../table.js';

const IO_PAPER = 'Kadlecová et al. 2023, Tables 6 and 7';
const ARCH2VEC = 'arch2vec (Yan et al., NeurIPS 2020), Table 2';
/** Below, networks have failed to train; papers leave them out. */
const ABOVE = 0.8;
const TESTED = 10_000;

type Rows = 608 | 2500 | 10_000;

/** Pearson's r and RMSE of 608, 2,500 and 10,000 rows, each with its deviation. */
const PUBLISHED: Readonly<Record<string, Readonly<Record<Rows, readonly [number, number, number, number]>>>> =
  {
    'Accuracy Model 1': {
      608: [0.669, 0.004, 0.0164, 0.0001],
      2500: [0.724, 0.012, 0.0174, 0.001],
      10000: [0.758, 0.005, 0.0177, 0.0006],
    },
    'Accuracy Model 2': {
      608: [0.683, 0.004, 0.0174, 0.0002],
      2500: [0.679, 0.015, 0.0203, 0.0013],
      10000: [0.686, 0.01, 0.0211, 0.001],
    },
    'IO Model 1': {
      608: [0.686, 0.005, 0.0167, 0.0001],
      2500: [0.713, 0.011, 0.0184, 0.0012],
      10000: [0.732, 0.009, 0.0191, 0.0008],
    },
    'IO Model 2': {
      608: [0.653, 0.011, 0.0201, 0.0007],
      2500: [0.685, 0.017, 0.0208, 0.0016],
      10000: [0.69, 0.008, 0.0214, 0.0009],
    },
    arch2vec: {
      608: [0.699, 0.005, 0.017, 0.0002],
      2500: [0.688, 0.011, 0.0204, 0.0013],
      10000: [0.701, 0.008, 0.0209, 0.0009],
    },
    'arch2vec original': {
      608: [0.615, 0.011, 0.0183, 0.0003],
      2500: [0.66, 0.015, 0.0197, 0.0012],
      10000: [0.688, 0.009, 0.0201, 0.0009],
    },
  };

function printed(by: string, rows: Rows): Published[] {
  const [r, rDeviation, rmse, rmseDeviation] = PUBLISHED[by]![rows];
  return [
    { by, metric: 'pearson', value: r, deviation: rDeviation, source: IO_PAPER },
    { by, metric: 'rmse', value: rmse, deviation: rmseDeviation, source: IO_PAPER },
  ];
}

/** Of the six embeddings of the paper, those that do not need IO data; arch2vec is the released variant. */
interface Embedding {
  readonly id: string;
  /** As the paper calls it. */
  readonly by: string;
  readonly from: string;
  readonly of: 'embedding' | 'nodes';
}
const EMBEDDINGS: readonly Embedding[] = [
  {
    id: 'accuracy-1',
    by: 'Accuracy Model 1',
    from: 'bundled:nasbench101-accuracy-model',
    of: 'nodes',
  },
  {
    id: 'accuracy-2',
    by: 'Accuracy Model 2',
    from: 'bundled:nasbench101-accuracy-model',
    of: 'embedding',
  },
  { id: 'arch2vec', by: 'arch2vec original', from: 'bundled:nasbench101-arch2vec', of: 'embedding' },
];

const COMMON = {
  data: 'nasbench101',
  validation: 0,
  above: ABOVE,
  tested: TESTED,
  labels: [{ train: 'test_accuracy', test: 'test_accuracy' }],
  scale: 'linear',
  metrics: ['pearson', 'rmse', 'spearman'],
  differs: [],
} as const satisfies Partial<ResultCell>;

const DEMANDS: Readonly<Partial<Record<Rows, Pick<ResultCell, 'floor' | 'goal'>>>> = {
  608: { floor: 0.69, goal: 0.75 },
  10000: { floor: 0.75, goal: 0.82 },
};

function forestCell(
  { id, by, from, of }: Embedding,
  rows: Rows,
  learns: 'value' | 'log-error' = 'value',
): ResultCell {
  const others = Object.keys(PUBLISHED).filter((name) => name !== by);
  const isLog = learns === 'log-error';
  return {
    ...COMMON,
    id: `${rows}-${id}${isLog ? '-log' : ''}`,
    series: `forest on ${by}${isLog ? ', log errors' : ''}`,
    kind: 'embedding-forest',
    from,
    rows,
    recipe: {
      model: { of, ...(rows === 10_000 ? { minSamplesLeaf: 2 } : {}), ...(isLog ? { learns } : {}) },
    },
    published: printed(by, rows),
    others: others.flatMap((name) => printed(name, rows)),
    // What is demanded is of the best embedding.
    ...(isLog ? DEMANDS[rows] : {}),
  };
}

function plainCell(kind: string, rows: Rows | 250, more: Partial<ResultCell> = {}): ResultCell {
  return {
    ...COMMON,
    id: `${rows}-${kind}`,
    series: kind,
    kind,
    rows,
    published: [],
    others: [],
    ...more,
  };
}

const PROCESS = [
  { by: 'arch2vec', metric: 'pearson', value: 0.67, deviation: 0.02, source: ARCH2VEC },
  { by: 'arch2vec', metric: 'rmse', value: 0.018, deviation: 0.001, source: ARCH2VEC },
];

const ROWS: readonly Rows[] = [608, 2500, 10_000];

export const EMBEDDINGS_TABLE: ReproducedTable = {
  id: 'embeddings-accuracy',
  title: 'Accuracy from embeddings of NAS-Bench-101',
  paper: 'Kadlecová et al. 2023, Tables 6 and 7; arch2vec (Yan et al., NeurIPS 2020)',
  shows:
    'How much of the accuracy of a cell is in its embedding, learned without labels or from 608 of them, and what predictors without an embedding learn from as many labels.',
  differs: [
    `Tested on ${TESTED.toLocaleString('en')} other cells with an accuracy above ${ABOVE}, as in the papers; the table has 344,483 of 423,624 cells.`,
    'The Accuracy model has learned from 608 labels that are not drawn again: its own rows are among those of training and test by chance.',
    'Of 10,000 rows, leaves have at least two rows (scikit-learn’s default is one): trees of all rows would be too large for a file.',
    'Cells named log learn the logarithm of the error, 1 − accuracy; the papers learn the accuracy, which a few failed networks dominate.',
    'IO models need IO data of all networks, which are not complete; their published numbers are beside ours.',
    'The Gaussian process has an exponential kernel of the Euclidean distance; the authors do not say which kernel they used.',
  ],
  plot: 'rows',
  cells: [
    ...ROWS.flatMap((rows) => EMBEDDINGS.map((embedding) => forestCell(embedding, rows))),
    ...ROWS.flatMap((rows) => EMBEDDINGS.map((embedding) => forestCell(embedding, rows, 'log-error'))),
    plainCell('nn-former', 608, { isPretrained: true, validation: 100 }),
    ...ROWS.map((rows) => plainCell('forest', rows)),
    ...EMBEDDINGS.filter(({ of }) => of === 'embedding').flatMap(({ id, from }) =>
      (['value', 'log-error'] as const).map((learns) =>
        plainCell('embedding-process', 250, {
          id: `250-process-${id}${learns === 'value' ? '' : '-log'}`,
          from,
          published: PROCESS,
          ...(learns === 'value' ? {} : { recipe: { model: { learns } }, floor: 0.65, goal: 0.7 }),
        }),
      ),
    ),
  ],
};

const DECODED = {
  'Accuracy Model': [0.466, 0.993, 0.978, 0.983],
  'IO Model': [0.474, 0.993, 0.978, 0.985],
  arch2vec: [0.467, 0.994, 0.978, 0.986],
} as const;
const DECODING_SOURCE = 'Kadlecová et al. 2023, Table 4';

function decoded(by: keyof typeof DECODED): Published[] {
  return (['validity', 'uniqueness', 'operators-all', 'adjacency'] as const).map((metric, i) => ({
    ...{ by, metric, value: DECODED[by][i]!, source: DECODING_SOURCE },
  }));
}

function decodingCell(id: string, by: keyof typeof DECODED, more: Partial<ResultCell> = {}): ResultCell {
  const others = (Object.keys(DECODED) as (keyof typeof DECODED)[]).filter((name) => name !== by);
  return {
    ...{
      id,
      series: by,
      data: 'nasbench101_validation',
      kind: by === 'arch2vec' ? 'arch2vec' : 'accuracy-model',
    },
    ...{ from: `bundled:nasbench101-${id}`, rows: 0, validation: 0, decodes: 10_000, tested: TESTED },
    labels: COMMON.labels,
    scale: 'linear',
    metrics: [
      ...([
        'validity',
        'uniqueness',
        'unique-networks',
        'operators',
        'operators-all',
        'adjacency',
        'cells',
      ] as const),
      ...(['constrained-validity', 'constrained-uniqueness', 'constrained-networks'] as const),
    ],
    published: decoded(by),
    others: others.flatMap(decoded),
    differs: [],
    ...more,
  };
}

export const DECODING_TABLE: ReproducedTable = {
  id: 'embeddings-decoding',
  title: 'Decoding cells of NAS-Bench-101',
  paper: 'Kadlecová et al. 2023, Table 4; arch2vec (Yan et al., NeurIPS 2020)',
  shows:
    'How many random latents are architectures and how many of those differ, and how much of known cells comes back from their latents.',
  differs: [
    'Reconstruction is of 10,000 cells of another table, none of which was learned from; the papers take the last tenth of all cells.',
    'Uniqueness counts cells as they are decoded, which is what the published numbers agree with. Many of them are the same network once vertices without a part in the result are removed: “Unique networks”.',
    'Cells end where the output is decoded. The released code takes cells of seven nodes only.',
    '“Operations, padding counted” is what the papers print: a row of padding counts as right if the first operation is the likeliest. 2.3% of the rows are padding, so that 0.978 means that all nodes are right and all padding is wrong.',
  ],
  plot: 'bars',
  cells: [
    decodingCell('arch2vec', 'arch2vec', { floor: 0.45, goal: 0.467 }),
    decodingCell('accuracy-model', 'Accuracy Model'),
  ],
};
