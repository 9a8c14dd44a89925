// Which loss fits a head: classes are told from boxes, landmarks, embeddings and maps by what is found in the network.
// Every rule says why it decided, for `--explain`; `--loss` overrides all of them.

/** `binary`: a yes or no for every element. `squares`: distances from drawn targets. */
export type LossKind = 'cross-entropy' | 'binary' | 'squares';

export const LOSS_KINDS = ['cross-entropy', 'binary', 'squares'] as const satisfies readonly LossKind[];

export interface Evidence {
  /** The name of the output. */
  readonly output: string;
  /** Of the value before the end. */
  readonly dims: readonly number[];
  readonly end: 'softmax' | 'sigmoid' | 'tanh' | undefined;
  readonly softmaxAxis: number | undefined;
  /** What computes the value, past rearrangements and a bias. */
  readonly last: 'layer' | 'pooling' | 'normalisation' | 'other';
  /** The network has no other head. */
  readonly isOnly: boolean;
  /** Rows of the tables that tokens are looked up in. */
  readonly tables: ReadonlySet<number>;
  readonly isNamed: boolean;
  readonly hasLabels: boolean;
  readonly wanted: LossKind | undefined;
}

interface Judgement {
  readonly loss: LossKind;
  readonly axis: number;
  readonly why: string;
}

/** Names that people give outputs which are no classes, and such that are. */
const VALUES =
  /embed|feat|landmark|lmk|bbox|box|keypoint|kps|heatmap|coord|offset|regress|delta|hidden|latent/i;
const CLASSES = /logit|prob|class|cls|categor|softmax|label/i;

/** Points of a face, two or three numbers each: 68, 98, 106, 468 and 478 of them are usual. */
const LANDMARKS: ReadonlySet<number> = new Set([136, 196, 212, 936, 956, 1404, 1434]);
/** Widths of embeddings are multiples of this; numbers of classes hardly ever are. */
const EMBEDDING_STEP = 64;

/** The first rule that applies. */
export function judged(evidence: Evidence): Judgement {
  const { dims, end, softmaxAxis, wanted, isNamed, hasLabels } = evidence;
  const axis = softmaxAxis ?? classAxis(dims);
  const classes = dims[axis] ?? 1;
  const as = (loss: LossKind, why: string): Judgement => ({ loss, axis, why });
  const isPossible = dims.length >= 2 && classes >= 2;
  if (wanted !== undefined) return as(wanted, 'asked for with --loss');
  if (end === 'softmax' && isPossible) return as('cross-entropy', 'it goes through a softmax');
  if (end === 'sigmoid' && !hasLabels) return as('binary', 'it goes through a sigmoid');
  if (hasLabels && isPossible) return as('cross-entropy', 'classes of the samples were given');
  if (isNamed && isPossible) return as('cross-entropy', 'it was named as the logits');
  if (end === 'tanh') return as('squares', 'it goes through a tanh, which ends regressors');
  return ofPlain(evidence, as, classes, isPossible);
}

/** Without a softmax or sigmoid at the end. */
function ofPlain(
  { output, dims, last, isOnly, tables }: Evidence,
  as: (loss: LossKind, why: string) => Judgement,
  classes: number,
  isPossible: boolean,
): Judgement {
  if (!isPossible) return as('squares', 'it is one number a sample');
  const isRow = dims.slice(1).filter((d) => d !== 1).length === 1;
  if (tables.has(classes)) return as('cross-entropy', 'it has as many columns as the vocabulary');
  if (VALUES.test(output)) return as('squares', 'its name is not that of classes');
  if (CLASSES.test(output) && dims.length <= 3) return as('cross-entropy', 'its name is that of classes');
  if (!isRow) return as('squares', 'it is a map or a list, and no softmax says that it is of classes');
  if (!isOnly)
    return as('squares', 'it is one of several outputs, and no softmax says that it is of classes');
  if (last === 'normalisation') return as('squares', 'it is normalised, as embeddings and landmarks are');
  if (LANDMARKS.has(classes)) return as('squares', `${classes} columns are coordinates of landmarks`);
  if (classes % EMBEDDING_STEP === 0) return as('squares', `${classes} columns are an embedding`);
  if (last === 'other') return as('squares', 'no layer ends in it');
  return as('cross-entropy', `it is the only output, one row of ${classes} columns a sample behind a layer`);
}

/** 1 for maps (N, C, H, W), otherwise the last, also of (N, 1, 1, C). */
function classAxis(dims: readonly number[]): number {
  const isMap = dims.length >= 4 && dims.slice(1, -1).some((d) => d !== 1);
  return isMap ? 1 : Math.max(0, dims.length - 1);
}
