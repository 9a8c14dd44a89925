// The arguments of `auspex predict`: which are predictors, and which are networks.

import { INFO_KEY } from '../predictors/file.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { isBundledReference, openPredictor } from './bundled.js';
import type { NamedPredictor } from './predict.js';
import {
  diskResolver,
  isPath,
  type OpenedReferences,
  openReferences,
  type ReferenceOptions,
} from './resolve.js';

interface PredictInputs {
  /** None where the bundled ones are used. */
  readonly predictors: readonly NamedPredictor[];
  readonly networks: OpenedReferences;
}

/** @throws AuspexError NOTHING_TO_PREDICT, and what opening predictors throws; networks say what is wrong when opened. */
export async function sortedInputs(
  inputs: readonly string[],
  { threads, ...references }: ReferenceOptions & Pick<SessionOptions, 'threads'>,
): Promise<PredictInputs> {
  const resolver = diskResolver();
  const files: string[] = [];
  const refs: string[] = [];
  for (const input of inputs) {
    const isPredictor =
      isBundledReference(input) || (isPath(input) && resolver.network(input).model().metadata.has(INFO_KEY));
    (isPredictor ? files : refs).push(input);
  }
  if (refs.length === 0 && references.input === undefined && references.table === undefined) {
    throw new AuspexError('NOTHING_TO_PREDICT', 'no network was given', {
      hint: 'give ONNX files, architectures of a space, or --input FILE; --list shows the bundled predictors',
    });
  }
  const networks = await openReferences(refs, { ...references, resolver });
  const options = threads === undefined ? {} : { threads };
  const predictors: NamedPredictor[] = [];
  for (const file of files) predictors.push({ name: file, predictor: await openPredictor(file, options) });
  return { predictors, networks };
}
