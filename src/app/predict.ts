// What `auspex predict` does: every network with its cost, what it is known as, and what each predictor that covers it
// says. A network that is wrong does not take the others with it.
import type { Dim } from '../graph/dim.js';
import { isTensor } from '../graph/types.js';
import { listOf, type Network } from '../networks/index.js';
import { groupOf } from '../predictors/intervals.js';
import { weightAt } from '../predictors/pool-order.js';
import type { Neighbour, Prediction } from '../predictors/predictions.js';
import type { LabelInfo, Predictor } from '../predictors/predictor.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { DeviceAnswer, DeviceSource } from './device/answers.js';
import type { Family } from './known-networks.js';
import type { NamedNetworks } from './resolve.js';

/** A network that is asked for: how it was named, and where. */
export interface NamedNetwork {
  readonly ref: string;
  /** Of the file or table that names it, from 1. */
  readonly line?: number;
  /** Throws what is wrong with it. */
  open(): Network;
}

/** Networks of a list, line by line. */
export function* eachNamed(networks: NamedNetworks): Generator<NamedNetwork> {
  for (let row = 0; row < networks.count; row++) {
    yield { ref: networks.name(row), line: row + 1, open: () => networks.at(row) };
  }
}

export interface Answer {
  readonly label: LabelInfo;
  readonly prediction: Prediction;
  /** The predictor's name. */
  readonly predictor: string;
  /** How far the network is from those of its training: up to 1 within them. Unknown of files of earlier versions. */
  readonly distance?: number | undefined;
  /** Of an ensemble, what each member says by itself; see `MemberAnswers`. */
  readonly members?: readonly MemberAnswer[] | undefined;
  /** Networks of the training that are nearest, nearest first, and how wrong predictions are at that distance. */
  readonly rests?: Foundation | undefined;
  /** What was assumed of the network, in sentences. */
  readonly assumed: readonly string[];
  /** Of what a device needs. */
  readonly device?: DeviceAnswer;
}

/** What an answer rests on. */
export interface Foundation {
  readonly neighbours: readonly KnownNeighbour[];
  /** Of networks of families that were left out, as far from known ones: the mean error, and what 90% are below. */
  readonly errors?: { readonly mean: number; readonly most: number; readonly coverage: number } | undefined;
}

export interface KnownNeighbour extends Neighbour {
  /** What a table that the user gave has for it. */
  readonly published?: number | undefined;
}

interface MemberAnswer {
  readonly name: string;
  readonly weight: number;
  readonly value: number;
}

export interface Cost {
  readonly parameters: number;
  readonly macs: Dim;
  readonly flops: Dim;
}

/** A predictor that does not cover a network. */
export interface Refusal {
  readonly predictor: string;
  readonly error: AuspexError;
}

/** What is known of a network, or what is wrong with it. */
export type PredictedNetwork =
  | {
      readonly ref: string;
      readonly line?: number | undefined;
      readonly network: Network;
      readonly answers: readonly Answer[];
      readonly refused: readonly Refusal[];
      readonly cost: Cost | undefined;
      readonly family: Family | undefined;
      /** What would be needed, where no predictor covers the network. */
      readonly needed: string | undefined;
    }
  | {
      readonly ref: string;
      readonly line?: number | undefined;
      readonly network: undefined;
      readonly error: AuspexError;
    };

/** A predictor, by the name that a user knows it by. */
export interface NamedPredictor {
  readonly name: string;
  readonly predictor: Predictor;
}

/** Predictors that are found by network, such as those of the package. */
export interface PredictorSource {
  /** Those that may cover a network; whether they do, they say themselves. */
  for(network: Network): Promise<readonly NamedPredictor[]>;
  /** Names of all that they predict. */
  labels(): string[];
  /** Ways to train networks that some of them know. */
  recipes(): string[];
  dispose(): Promise<void>;
}

interface PredictOptions {
  /** Those that are asked; the package's own where there are none. */
  readonly predictors?: readonly NamedPredictor[];
  readonly bundled: PredictorSource;
  /** Devices that latency is told of, behind what predictors say. */
  readonly devices?: DeviceSource | undefined;
  /** What a network is known as. */
  readonly familyOf?: (network: Network) => Family | undefined;
  /** Only these labels. */
  readonly labels?: readonly string[];
  /** How networks will be trained: one that predictors know, or `all`; by default the first of each. */
  readonly recipe?: string | undefined;
  /** Published values of known networks, by name; see `readKnown`. */
  readonly published?: ReadonlyMap<string, number> | undefined;
  /** Whether networks are counted. */
  readonly withCost: boolean;
  readonly signal?: AbortSignal;
}

/** @throws AuspexError LABEL_UNKNOWN where nothing predicts a label */
export function expectLabels(wanted: readonly string[] | undefined, known: Iterable<string>): void {
  const names = [...new Set(known)];
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AuspexError('LABEL_UNKNOWN', `no predictor predicts '${unknown}'`, {
    hint: `choose from ${names.join(', ')}`,
  });
}

/** Asks for all recipes. */
const ALL_RECIPES = 'all';

/** @throws AuspexError RECIPE_UNKNOWN where no predictor knows a recipe */
export function expectRecipe(wanted: string | undefined, known: Iterable<string>): void {
  const names = [...new Set(known)];
  if (wanted === undefined || wanted === ALL_RECIPES || names.includes(wanted)) return;
  throw new AuspexError('RECIPE_UNKNOWN', `no predictor knows the recipe '${printableStart(wanted, 40)}'`, {
    hint: names.length === 0 ? 'leave out --recipe' : `choose from ${[...names, ALL_RECIPES].join(', ')}`,
  });
}

/** Recipes that predictors know, by name. */
export function recipeNames(predictors: readonly NamedPredictor[]): string[] {
  return predictors.flatMap(({ predictor }) =>
    predictor.info.labels.flatMap(({ recipe }) => (recipe === undefined ? [] : [recipe.name])),
  );
}

/** What predictors predict, by name. */
export function labelNames(predictors: readonly NamedPredictor[]): string[] {
  return predictors.flatMap(({ predictor }) => predictor.info.labels.map(({ name }) => name));
}

/** Networks at once: architectures are small, files are not. */
const CHUNK = { architectures: 4096, files: 16 };

/**
 * Predicts networks in their order.
 *
 * @throws AuspexError LABEL_UNKNOWN where no predictor that was asked has a label
 */
export async function* predictNetworks(
  named: Iterable<NamedNetwork> | AsyncIterable<NamedNetwork>,
  options: PredictOptions,
): AsyncGenerator<PredictedNetwork> {
  let chunk: Opened[] = [];
  let files = 0;
  const isWhole = ({ ref, line, open }: NamedNetwork): boolean => {
    options.signal?.throwIfAborted();
    const opened = attempt(ref, line, open);
    chunk.push(opened);
    if (opened.network?.file !== undefined) files++;
    return chunk.length >= CHUNK.architectures || files >= CHUNK.files;
  };
  const taken = (): Opened[] => {
    const whole = chunk;
    [chunk, files] = [[], 0];
    return whole;
  };
  // Waiting for each of thousands of architectures that are there already would take longer than opening them.
  if (Symbol.iterator in named) {
    for (const one of named) if (isWhole(one)) yield* predictChunk(taken(), options);
  } else {
    for await (const one of named) if (isWhole(one)) yield* predictChunk(taken(), options);
  }
  yield* predictChunk(taken(), options);
}

interface Opened {
  readonly ref: string;
  readonly line: number | undefined;
  readonly network: Network | undefined;
  readonly error: AuspexError | undefined;
}

function attempt(ref: string, line: number | undefined, open: () => Network): Opened {
  try {
    return { ref, line, network: open(), error: undefined };
  } catch (error) {
    return { ref, line, network: undefined, error: userError(error) };
  }
}

/** What a user can mend; anything else is a defect, and is thrown. */
function userError(error: unknown): AuspexError {
  if (error instanceof AuspexError) return error;
  throw error;
}

/** By place in the chunk. */
interface Results {
  readonly answers: Answer[][];
  readonly errors: (AuspexError | undefined)[];
  readonly refused: Refusal[][];
}

/** Answers for the networks of one predictor, by place in the chunk. */
interface Asked {
  readonly by: NamedPredictor;
  readonly places: number[];
}

async function* predictChunk(
  chunk: readonly Opened[],
  options: PredictOptions,
): AsyncGenerator<PredictedNetwork> {
  const given = options.predictors?.length ? options.predictors : undefined;
  const asked = new Map<Predictor, Asked>();
  const refused: Refusal[][] = chunk.map(() => []);
  const errors: (AuspexError | undefined)[] = chunk.map(({ error }) => error);
  for (const [place, { network }] of chunk.entries()) {
    if (network === undefined) continue;
    try {
      for (const by of given ?? (await options.bundled.for(network))) {
        const error = refusal(by.predictor, network);
        if (error !== undefined) refused[place]!.push({ predictor: by.name, error });
        else if (asked.has(by.predictor)) asked.get(by.predictor)!.places.push(place);
        else asked.set(by.predictor, { by, places: [place] });
      }
    } catch (error) {
      errors[place] = userError(error);
    }
  }
  const answers: Answer[][] = chunk.map(() => []);
  for (const { by, places } of asked.values()) {
    options.signal?.throwIfAborted();
    await ask(by, chunk, places, { answers, errors, refused }, options);
  }
  for (const [place, { ref, line, network }] of chunk.entries()) {
    const onDevices: Answer[] = [];
    if (network !== undefined && errors[place] === undefined && options.devices !== undefined) {
      try {
        onDevices.push(...(await options.devices.answers(network, options.signal)));
      } catch (error) {
        errors[place] = userError(error);
      }
    }
    const error = errors[place] ?? uncovered(answers[place]!, refused[place]!, options);
    if (network === undefined || error !== undefined) {
      yield { ref, line, network: undefined, error: error! };
      continue;
    }
    yield known(chunk[place]!, network, { by: answers[place]!, onDevices }, refused[place]!, options);
  }
}

/** Somebody who names a predictor wants its answer: there being none is an error. */
function uncovered(
  answers: readonly Answer[],
  [first]: readonly Refusal[],
  { predictors = [] }: PredictOptions,
): AuspexError | undefined {
  return predictors.length > 0 && answers.length === 0 ? first?.error : undefined;
}

/** Why a predictor does not answer for a network. */
function refusal(predictor: Predictor, network: Network): AuspexError | undefined {
  const isCells = predictor.info.entries.every(({ view }) => view === 'cell');
  const sizes = Object.entries(network.sizes).filter(([, value]) => value !== undefined);
  if (isCells && sizes.length > 0) {
    return new AuspexError(
      'PREDICTOR_SIZES',
      `the predictor is for networks at the default sizes of ${predictor.info.seen.spaces.join(', ')}`,
      { hint: `leave out --${sizes.map(([name]) => name).join(', --')}` },
    );
  }
  return predictor.covers(network);
}

async function ask(
  { name, predictor }: NamedPredictor,
  chunk: readonly Opened[],
  places: readonly number[],
  { answers, errors, refused }: Results,
  { labels, recipe, published }: PredictOptions,
): Promise<void> {
  if (predictor.predict === undefined) return;
  const networks = listOf(places.map((place) => chunk[place]!.network!));
  const found = await predictor.predict(networks, {
    onBad: (row, error) => {
      // That a predictor has no idea is an answer.
      if (error.code === 'NETWORK_TOO_FAR') refused[places[row]!]!.push({ predictor: name, error });
      else errors[places[row]!] = error;
    },
  });
  // Rows that are wrong were told above.
  const parts = await predictor.members?.(networks, { onBad: () => {} });
  const membersOf = (row: number): Answer['members'] =>
    parts?.members.map((member, i) => ({
      ...{ name: member.name, weight: weightAt(member, parts.near?.[row]) },
      value: parts.values[row * parts.members.length + i]!,
    }));
  const assumed = recipe ?? found.labels.find((label) => label.recipe)?.recipe?.name;
  const isAsked = (label: LabelInfo): boolean =>
    labels?.includes(label.name) ??
    (label.recipe === undefined || assumed === ALL_RECIPES || label.recipe.name === assumed);
  const chosen = found.labels.flatMap((label, i) => (isAsked(label) ? [{ label, i }] : []));
  places.forEach((place, row) => {
    const network = chunk[place]!.network!;
    if (refused[place]!.some(({ predictor: other }) => other === name)) return;
    const [distance, neighbours] = [found.distance?.[row], found.neighbours?.[row]];
    const named = neighbours?.map((one) =>
      published?.has(one.name) ? { ...one, published: published.get(one.name) } : one,
    );
    const sentences = predictor.assumes?.(network) ?? [];
    const members = membersOf(row);
    for (const { label, i } of chosen) {
      answers[place]!.push({
        label,
        prediction: found.at(row, i),
        predictor: name,
        distance,
        members,
        rests: named && { neighbours: named, errors: errorsAt(label, distance!) },
        assumed: sentences,
      });
    }
  });
}

/** How wrong predictions were at a distance, where intervals are told by it. */
function errorsAt({ interval }: LabelInfo, distance: number): Foundation['errors'] {
  if (interval?.by !== 'distance') return undefined;
  const { halfWidth, meanError } = groupOf(interval, distance);
  return meanError === undefined
    ? undefined
    : { mean: meanError, most: halfWidth, coverage: interval.coverage };
}

function known(
  { ref, line }: Opened,
  network: Network,
  { by, onDevices }: { readonly by: readonly Answer[]; readonly onDevices: readonly Answer[] },
  refused: readonly Refusal[],
  { withCost, predictors, devices, familyOf }: PredictOptions,
): PredictedNetwork {
  try {
    const isCovered = by.length > 0 || devices?.isAsked === true;
    return {
      ref,
      line,
      network,
      answers: [...by, ...onDevices],
      // Bundled predictors that do not apply are not worth listing once another one answers.
      refused: isCovered && !predictors?.length ? [] : refused,
      cost: withCost ? costOf(network) : undefined,
      family: withCost ? familyOf?.(network) : undefined,
      needed: isCovered ? undefined : neededFor(network),
    };
  } catch (error) {
    return { ref, line, network: undefined, error: userError(error) };
  }
}

function costOf(network: Network): Cost {
  const settled = network.settled();
  if (settled.file === undefined) return settled.counts();
  const { parameters, macs, flops } = settled.cost().totals;
  return { parameters, macs, flops };
}

/** What a user can do to get predictions, one way per line. */
function neededFor(network: Network): string {
  const what = network.arch === undefined ? 'whole networks' : network.arch.space.title;
  const train =
    `To train a predictor for ${what} on at least 30 that you measured, in a table with one column per label: ` +
    'auspex train nnlp-network --data TABLE --label LABEL -o mine.onnx';
  if (network.arch !== undefined) return `No predictor covers this network.\n${train}`;
  return `Its accuracy is not predicted.\n${scoresFor(network)}\n${train}`;
}

/** Which zero-cost scores say something of a network like this one: measured in docs/results/. */
function scoresFor(network: Network): string {
  const { graph } = network.inference();
  const readsTokens = graph.inputNames.some((name) => {
    const type = graph.types.get(name);
    return isTensor(type) && /int(32|64)/.test(type.dtype ?? '') && (type.shape?.length ?? 0) >= 2;
  });
  return readsTokens
    ? 'To rank language models before training (rank correlation 0.97 with the perplexity of GPT-2 variants): ' +
        'auspex proxy a.onnx b.onnx --proxies sept,params:non-embedding'
    : 'To rank networks of one task before training (checked on image classification only): ' +
        'auspex proxy a.onnx b.onnx --proxies params,synflow,naswot';
}
