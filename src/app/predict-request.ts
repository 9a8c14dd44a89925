// What `auspex predict` does: from inputs and options to predictions, with everything that is opened for them closed again.
import type { Sizes } from '../networks/index.js';
import { BundledPredictors } from './bundled.js';
import { askedDevices, NO_PREDICTORS, usualDevices } from './device/asked.js';
import { familyOf } from './families.js';
import { readKnown } from './known-table.js';
import {
  expectLabels,
  expectRecipe,
  labelNames,
  type NamedNetwork,
  type NamedPredictor,
  type PredictedNetwork,
  predictNetworks,
  recipeNames,
} from './predict.js';
import { sortedInputs } from './predict-inputs.js';
import type { OpenedReferences } from './resolve.js';

export interface PredictRequest {
  /** A file with networks, one a line; `-` is standard input. */
  readonly input?: string | undefined;
  /** A table, whose networks are predicted. */
  readonly data?: string | undefined;
  readonly space?: string | undefined;
  readonly sizes?: Sizes | undefined;
  /** All by default. */
  readonly label?: readonly string[] | undefined;
  readonly recipe?: string | undefined;
  /** A table of published accuracies. */
  readonly known?: string | undefined;
  readonly device?: readonly string[] | undefined;
  readonly db?: string | undefined;
  /** Whether networks of a list are counted, too. */
  readonly cost?: boolean | undefined;
  readonly threads?: number | undefined;
}

/** How networks were named: one by itself, several, or as a file or a table. */
export type Named = 'one' | 'several' | 'list';

/**
 * @param inputs predictors and networks, in any order
 * @param use takes the predictions, as they come; everything is closed when it ends
 * @throws AuspexError for what is wrong with the request or its files
 */
export async function predictInputs(
  inputs: readonly string[],
  request: PredictRequest,
  use: (found: (signal: AbortSignal) => AsyncIterable<PredictedNetwork>, named: Named) => Promise<void>,
): Promise<void> {
  const { input, data, space, sizes, label, recipe, known } = request;
  const { devices, close } = await askedDevices(request);
  const threads = request.threads === undefined ? {} : { threads: request.threads };
  const bundled = request.device === undefined ? new BundledPredictors(threads) : NO_PREDICTORS;
  const { predictors, networks } = await sortedInputs(inputs, {
    ...threads,
    input,
    table: data,
    space,
    sizes,
  });
  try {
    expectLabels(label, predictors.length > 0 ? labelNames(predictors) : bundled.labels());
    expectRecipe(recipe, predictors.length > 0 ? recipeNames(predictors) : bundled.recipes());
    const published = known === undefined ? undefined : readKnown(known);
    const isList = input !== undefined || data !== undefined;
    const isPlain = isPlainFile(request, predictors, networks);
    const found = (signal: AbortSignal): AsyncIterable<PredictedNetwork> =>
      predictNetworks(named(networks), {
        predictors,
        bundled,
        devices: devices ?? (isPlain ? usualDevices(networks.at(0)) : undefined),
        familyOf,
        ...(label ? { labels: label } : {}),
        recipe,
        published,
        withCost: !isList || request.cost === true,
        signal,
      });
    await use(found, isList ? 'list' : networks.count === 1 ? 'one' : 'several');
  } finally {
    await close();
    await bundled.dispose();
    for (const { predictor } of predictors) await predictor.dispose();
  }
}

/** One file, and nothing that says what is wanted of it. */
function isPlainFile(
  { label, input, data }: PredictRequest,
  predictors: readonly NamedPredictor[],
  networks: OpenedReferences,
): boolean {
  const isAsked = predictors.length > 0 || [label, input, data].some((flag) => flag !== undefined);
  return !isAsked && networks.count === 1 && networks.kinds().hasFiles;
}

function* named(networks: OpenedReferences): Generator<NamedNetwork> {
  for (let row = 0; row < networks.count; row++) {
    const line = networks.place(row)?.line ?? row + 1;
    yield { ref: networks.name(row), line, open: () => networks.at(row) };
  }
}
