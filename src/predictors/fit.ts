// What fitting labels is for every kind: networks are encoded once, labels become numbers to learn, held-out rows that are
// already encoded make the intervals. How the graph in between is found is the kind's business.
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/network.js';
import type { Networks } from '../networks/networks.js';
import { AuspexError } from '../util/errors.js';
import { encodeRows, rememberingFirst } from './encode.js';
import { outputOf } from './entries.js';
import { conformalInterval, type IntervalRule } from './intervals.js';
import type { FitRun, Fitted, PredictorKind, TrainingData } from './kind.js';
import {
  column,
  knownColumn,
  type LabelScale,
  type Labels,
  labelScale,
  type Standard,
  someLabels,
  transformOf,
} from './labels.js';
import { OnnxPredictor } from './onnx-predictor.js';
import type { Json, LabelInfo, PredictorInfo } from './predictor.js';
import { reachOf } from './reach.js';
import { Runner } from './runner.js';
import { expectGoing } from './stopped.js';
import { diverged, type TrainedMember } from './train.js';
import { type GraphSet, saidOf, viewNamed } from './views/view.js';

/** Encoded rows with their labels. */
interface LabelledSet {
  readonly set: GraphSet;
  /** What the graph is to put out: labels, or what transforms that depend on the network make of them. */
  readonly labels: Labels;
}

/** What a graph is fitted to. */
export interface Prepared extends LabelledSet {
  /** Of each row, the space that its network is of; `onnx` for files. */
  readonly families: readonly string[];
  readonly state: Json;
  readonly scales: readonly LabelScale[];
  readonly validation?: LabelledSet;
}

/** What a kind makes of it. */
export interface FittedGraph {
  readonly model: Model;
  readonly recipe: Json;
  readonly members?: readonly TrainedMember[];
  /**
   * Where the model has learned held-out rows too: the same without them, whose errors on them intervals are made of. More
   * rows do not make a model worse, on average.
   */
  readonly withoutHeldOut?: Model;
  /** What is said of it, where that is more than one entry that gives values. */
  describe?(info: PredictorInfo): PredictorInfo;
}

/** Held-out rows that an interval of 90% needs at least. */
const LEAST_HELD_OUT = 9;

interface LabelFitting {
  readonly kind: Pick<PredictorKind, 'name' | 'title'>;
  readonly view: string;
  readonly viewOptions: Json;
  readonly standard?: Standard;
  /** The state of the view to begin with. Default: that of the predictor to begin with, if it has this view. */
  readonly prior?: Json | undefined;
}

/** Fits labels; see `LabelFitting`. */
export async function fitLabels(
  { kind, view: viewName, viewOptions, standard, prior: given }: LabelFitting,
  data: TrainingData,
  run: FitRun,
  work: (prepared: Prepared) => Promise<FittedGraph>,
): Promise<Fitted> {
  const { labels, validation, from, split, digests } = data;
  if (labels === undefined) {
    throw new AuspexError('LABELS_MISSING', `${kind.title} needs labels, but none were given`);
  }
  // What is wrong with labels is said before networks are read.
  labels.names.forEach((_, i) => {
    if (!transformOf(labels, i).ofNetwork) labelScale(labels, i, transformOf(labels, i).scale, standard);
  });
  const view = viewNamed(viewName);
  const networks = rememberingFirst(data.networks);
  const prior = given ?? from?.info.entries.find((entry) => entry.view === viewName)?.state;
  let state: Json;
  try {
    state = await view.prepare(networks, viewOptions, prior);
  } catch (error) {
    throw error instanceof AuspexError ? saidOf(kind.title, error) : error;
  }
  const read = (of: Networks, values: Labels): Promise<ReadRows> =>
    readRows(of, values, run, kind.title, validation !== undefined, (some, options) =>
      view.encode(some, state, options),
    );
  const train = await read(networks, labels);
  const fitted = fittedTransforms(train);
  const held = validation?.labels && (await read(validation.networks, validation.labels));
  const known = labelledSet(train, fitted);
  const scales = labels.names.map((_, i) =>
    labelScale(
      known.labels,
      i,
      transformOf(labels, i).ofNetwork ? 'linear' : transformOf(labels, i).scale,
      standard,
    ),
  );
  const heldOut = held && held.set.count > 0 ? labelledSet(held, fitted) : undefined;
  const {
    model,
    recipe,
    members = [],
    withoutHeldOut,
    describe = (info) => info,
  } = await work({
    ...known,
    families: train.families,
    state,
    scales,
    ...(heldOut ? { validation: heldOut } : {}),
  });
  const runner = new Runner(model, { threads: run.threads });
  const fresh = held && freshRows(train.keys, held.keys);
  const hasValues = model.graph.outputs.some(({ name }) => name === outputOf({ gives: 'values' }));
  const calibrated = withoutHeldOut ? new Runner(withoutHeldOut, { threads: run.threads }) : runner;
  const intervals = heldOut && hasValues ? await intervalsOf(calibrated, heldOut, fresh!) : undefined;
  if (calibrated !== runner) await calibrated.dispose();
  const reach = reachOf(train.set);
  const info: PredictorInfo = {
    version: 2,
    kind: kind.name,
    entries: [{ view: viewName, state, gives: 'values', ...(reach ? { reach } : {}) }],
    labels: labels.names.map((name, i): LabelInfo => {
      const transform = transformOf(labels, i);
      const better = labels.better?.[i] ?? (transform.scale === 'log' ? 'lower' : 'higher');
      return {
        name,
        unit: labels.units?.[i] ?? '',
        better,
        transform: transform.name,
        ...(fitted[i] === undefined ? {} : { transformState: fitted[i] }),
        ...(intervals?.[i] ? { interval: intervals[i] } : {}),
      };
    }),
    seen: {
      spaces: [...new Set(train.families)].sort(),
      rows: train.set.count,
      seed: run.seed,
      ...(split ? { split } : {}),
      ...(digests === undefined ? {} : { digests }),
    },
    recipe,
  };
  return {
    predictor: new OnnxPredictor(describe(info), runner),
    members,
    excluded: held && fresh ? held.set.count - fresh.length : 0,
  };
}

/** Rows as they were read: each network was looked at once. */
interface ReadRows extends LabelledSet {
  readonly families: readonly string[];
  /** The same for the same architecture. */
  readonly keys: readonly string[];
  /** By label, for transforms that depend on the network. */
  readonly measures: readonly (Float64Array | undefined)[];
}

async function readRows(
  networks: Networks,
  labels: Labels,
  { onBad, signal }: FitRun,
  subject: string,
  isKeyed: boolean,
  encode: Parameters<typeof encodeRows>[1],
): Promise<ReadRows> {
  if (labels.values.length !== networks.count * labels.names.length) {
    throw new AuspexError(
      'LABELS_COUNT',
      `${networks.count} networks have ${labels.values.length} values of ${labels.names.length} labels`,
    );
  }
  const families: string[] = new Array(networks.count);
  const keys: string[] = new Array(networks.count);
  const transforms = labels.names.map((_, i) => transformOf(labels, i).ofNetwork);
  const measures = transforms.map((of) => of && new Float64Array(networks.count));
  const visit = (row: number, network: Network): void => {
    families[row] = network.arch?.space.name ?? 'onnx';
    if (isKeyed) keys[row] = network.key();
    transforms.forEach((of, i) => {
      if (of) measures[i]![row] = of.measure(network);
    });
  };
  const options = { subject, visit, ...(onBad ? { onBad } : {}), ...(signal ? { signal } : {}) };
  const { set, rows } = await encodeRows(networks, encode, options).catch((error) => {
    expectGoing(signal);
    throw error;
  });
  return {
    set,
    labels: someLabels(labels, rows),
    families: rows.map((row) => families[row]!),
    keys: rows.map((row) => keys[row]!),
    measures: measures.map((all) => all && Float64Array.from(rows, (row) => all[row]!)),
  };
}

/** What transforms were fitted to, by label; undefined for those that are not. */
function fittedTransforms({ labels, measures }: ReadRows): readonly Json[] {
  return labels.names.map((_, i) =>
    measures[i] ? transformOf(labels, i).ofNetwork!.fit(column(labels, i), measures[i]) : undefined,
  );
}

function labelledSet({ set, labels, measures }: ReadRows, fitted: readonly Json[]): LabelledSet {
  const width = labels.names.length;
  if (measures.every((all) => all === undefined)) return { set, labels };
  const values = labels.values.map((y, i) => {
    const all = measures[i % width];
    if (all === undefined) return y;
    const { learned } = transformOf(labels, i % width).ofNetwork!;
    return learned(y, all[Math.floor(i / width)]!, fitted[i % width]);
  });
  return { set, labels: { ...labels, values } };
}

/** The rows of networks that were not trained on. */
function freshRows(trained: readonly string[], held: readonly string[]): number[] {
  const seen = new Set(trained);
  return held.flatMap((key, row) => (seen.has(key) ? [] : [row]));
}

/** Of each label an interval as wide as held-out rows ask for; none where they are too few. */
async function intervalsOf(
  runner: Runner,
  { set, labels }: LabelledSet,
  fresh: readonly number[],
): Promise<(IntervalRule | undefined)[]> {
  const values = await runner.runAll([outputOf({ gives: 'values' })], set);
  if (!values.every(Number.isFinite)) throw diverged('predictions for validation rows are not finite');
  const [found, truths] = [someLabels({ ...labels, values }, fresh), someLabels(labels, fresh)];
  return labels.names.map((_, i) => {
    const { predictions, known } = knownColumn(found.values, truths, i);
    if (known.length < LEAST_HELD_OUT) return undefined;
    const transform = transformOf(labels, i);
    return conformalInterval(predictions, known, { scale: transform.ofNetwork ? 'linear' : transform.scale });
  });
}
