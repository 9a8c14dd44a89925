// A network at certain sizes, ready to be measured: the file that the runtime opens, and inputs for it. A user's file is
// opened as it is; other networks, and other batches of files that fix theirs, are written to a folder of their own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKnown } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { isTensor } from '../graph/types.js';
import { describeInputs, drawInputs, givenInputs, type InputBatch, typedArray } from '../inputs/drawn.js';
import { readNpy } from '../inputs/npy.js';
import { type Network, Resolver, type Sizes } from '../networks/index.js';
import { writeModel } from '../onnx/file.js';
import type { TypedArray } from '../runtime/session.js';
import { withBatch } from '../transform/batch.js';
import { AuspexError } from '../util/errors.js';

export interface PreparedNetwork {
  /** As it was given. */
  readonly given: Network;
  /** At all its sizes. */
  readonly network: Network;
  /** What the runtime opens. */
  readonly file: string;
  /** Whether that is the user's own file. */
  readonly isOwnFile: boolean;
  readonly inputs: InputBatch;
  /** What inputs were taken for, by name: 'token ids below 30522', or the file they were read from. */
  readonly meanings: Readonly<Record<string, string>>;
  /** Options that set the sizes that were chosen because nobody gave them; undefined if there were none. */
  readonly chosenFlags: string | undefined;
  /** Removes what was written. */
  dispose(): void;
}

export interface PrepareOptions {
  readonly sizes: Sizes;
  readonly seed: number;
  /** Paths of .npy files, by the input that they are for. */
  readonly feeds?: Readonly<Record<string, string>>;
}

/**
 * @throws AuspexError BATCH_FIXED, BATCH_NONE, INPUT_SIZES, INPUT_KIND, NPY_FORMAT, MEASURE_FEED if a file does not fit an
 * input, and what reading the network throws
 */
export function prepareNetwork(given: Network, { sizes, seed, feeds = {} }: PrepareOptions): PreparedNetwork {
  const arrays = readFeeds(given, feeds);
  const shapes = Object.fromEntries(Object.entries(arrays).map(([name, { dims }]) => [name, dims]));
  const wanted =
    Object.keys(shapes).length === 0 ? sizes : { ...sizes, shapes: { ...sizes.shapes, ...shapes } };
  const { network, chosenFlags, isOwn } = sized(given, wanted);
  const model = network.model();
  const { types } = network.inference().graph;
  const inputs: Record<string, InputBatch[string]> = { ...drawnExcept(model, { seed, types }, arrays) };
  const meanings: Record<string, string> = {};
  for (const { name, text } of describeInputs(model, { types })) {
    const array = arrays[name];
    meanings[name] = array === undefined ? text : feeds[name]!;
    const type = types.get(name);
    if (array === undefined || !isTensor(type) || type.dtype === undefined) continue;
    inputs[name] = {
      type: type.dtype,
      dims: array.dims,
      data: typedArray(
        name,
        type.dtype,
        array.dims,
        Float64Array.from(array.data as ArrayLike<number | bigint>, Number),
      ),
    };
  }
  const isOwnFile = isOwn && network.file === network.ref && accepts(given.model(), inputs);
  const folder = isOwnFile ? undefined : mkdtempSync(join(tmpdir(), 'auspex-measure-'));
  const file = folder === undefined ? network.file! : join(folder, 'network.onnx');
  if (folder !== undefined) writeModel(model, file);
  return {
    given,
    network,
    file,
    isOwnFile,
    inputs,
    meanings,
    chosenFlags,
    dispose: () => folder && rmSync(folder, { recursive: true, force: true }),
  };
}

/** The network with all sizes known; rewritten for a batch that its file does not leave open. */
function sized(
  given: Network,
  sizes: Sizes,
): { network: Network; chosenFlags: string | undefined; isOwn: boolean } {
  const settled = (network: Network) => {
    const chosen = network.chosenSizes();
    return {
      network: network.settled(),
      chosenFlags: chosen?.isChecked ? chosen.flags : undefined,
    };
  };
  try {
    return { ...settled(given.at(sizes)), isOwn: true };
  } catch (error) {
    const isFixed = error instanceof AuspexError && error.code === 'SIZE_FIXED' && sizes.batch !== undefined;
    if (!isFixed) throw error;
    const { batch, ...others } = sizes;
    const { network, chosenFlags } = settled(given.at(others));
    const { model } = withBatch(network.model(), batch!);
    return { network: new Resolver().network(model), chosenFlags, isOwn: false };
  }
}

interface FeedArray {
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

function readFeeds(network: Network, feeds: Readonly<Record<string, string>>): Record<string, FeedArray> {
  const names = Object.keys(feeds);
  if (names.length === 0) return {};
  const known = givenInputs(network.model()).map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new AuspexError('MEASURE_FEED', `the network has no input '${name}'`, {
      where: network.file === undefined ? {} : { file: network.file },
      hint: `its inputs are ${known.join(', ')}: --feed ${known[0]}=file.npy`,
    });
  }
  return Object.fromEntries(names.map((name) => [name, readNpy(feeds[name]!)]));
}

/** Drawn inputs; those that files are given for are replaced later, and need not be drawable. */
function drawnExcept(
  model: Model,
  drawing: Parameters<typeof drawInputs>[1],
  arrays: Readonly<Record<string, FeedArray>>,
): InputBatch {
  const missing = model.graph.inputs.filter(({ name }) => !Object.hasOwn(arrays, name));
  const rest = { ...model, graph: { ...model.graph, inputs: missing } };
  return drawInputs(missing.length === model.graph.inputs.length ? model : rest, drawing);
}

/** Whether a file takes these inputs as it is: it leaves their sizes open, or fixes them so. */
function accepts(model: Model, inputs: InputBatch): boolean {
  return givenInputs(model).every(({ name, type }) => {
    const dims = inputs[name]?.dims;
    if (!isTensor(type) || type.shape === undefined || dims === undefined) return true;
    return type.shape.length === dims.length && type.shape.every((d, i) => !isKnown(d) || d === dims[i]);
  });
}
