// The arguments of `auspex predict`: which are predictors, and which are networks.

import type { Model } from '../graph/graph.js';
import { INFO_KEY } from '../predictors/file.js';
import type { SessionOptions } from '../runtime/session.js';
import { loadPredictor } from '../store/predictor-file.js';
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
  const files: { readonly name: string; readonly model?: Model }[] = [];
  const refs: string[] = [];
  for (const name of inputs) {
    const model = !isBundledReference(name) && isPath(name) ? resolver.network(name).model() : undefined;
    if (isBundledReference(name)) files.push({ name });
    else if (model?.metadata.has(INFO_KEY)) files.push({ name, model });
    else refs.push(name);
  }
  if (refs.length === 0 && references.input === undefined && references.table === undefined) {
    throw new AuspexError('NOTHING_TO_PREDICT', 'no network was given', {
      hint: 'give ONNX files, architectures of a space, or --input FILE; --list shows the bundled predictors',
    });
  }
  const networks = await openReferences(refs, { ...references, resolver });
  const options = threads === undefined ? {} : { threads };
  const predictors: NamedPredictor[] = [];
  for (const { name, model } of files) {
    const predictor = await (model ? loadPredictor(name, options, model) : openPredictor(name, options));
    predictors.push({ name, predictor });
  }
  return { predictors, networks };
}
