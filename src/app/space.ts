// What `auspex space` does: samples, describes and exports networks of a space, or of the neighbourhood of a file.

import { ArchNetwork, ONNX, type Sizes } from '../networks/index.js';
import { writeModel } from '../onnx/file.js';
import { type Description, describedHash } from '../spaces/describe.js';
import { ARCH_KEY } from '../spaces/network-builder.js';
import type { AnySpace } from '../spaces/space.js';
import { checkOutputs } from '../store/outputs.js';
import { AuspexError } from '../util/errors.js';
import { diskResolver } from './resolve.js';

/** Of exported networks: the seed that their weights were drawn with. */
const SEED_KEY = 'auspex.seed';

/** The space of a name; `onnx:net.onnx` is the neighbourhood of a file. */
export function openSpace(name: string): AnySpace {
  return diskResolver().space(name);
}

/** What can be said of an architecture, at the space's sizes or at others. */
function describeIn(space: AnySpace, text: string, sizes: Sizes): Description {
  return descriptionOf(new ArchNetwork(space, space.parse(text), sizes));
}

/** A line of a list of architectures: described, or what is wrong with it. */
interface DescribedLine {
  readonly line: number;
  readonly result: Description | AuspexError;
}

/** Each line is judged by itself: one that is wrong does not take the others with it. */
export async function* describeLines(
  space: AnySpace,
  lines: Iterable<string> | AsyncIterable<string>,
  sizes: Sizes,
  file?: string,
): AsyncGenerator<DescribedLine> {
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() === '') continue;
    let result: Description | AuspexError;
    try {
      result = describeIn(space, text.trim(), sizes);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      result = error.within({ ...(file === undefined ? {} : { file }), path: `line ${line}` });
    }
    yield { line, result };
  }
}

interface ExportOptions {
  readonly sizes: Sizes;
  /** Of the weights. */
  readonly seed: number;
  readonly file: string;
  readonly force: boolean;
}

/** Writes the network of an architecture; its metadata say which it is. */
export function exportNetwork(
  name: string,
  text: string,
  { sizes, seed, file, force }: ExportOptions,
): Description & { readonly space: string } {
  const inputs = name.startsWith(`${ONNX}:`) ? [name.slice(ONNX.length + 1)] : [];
  checkOutputs({ outputs: [{ path: file, kind: 'network' }], inputs, force });
  const space = openSpace(name);
  const network = new ArchNetwork(space, space.parse(text), { ...sizes, seed });
  const model = network.model();
  const metadata = new Map([...model.metadata, [ARCH_KEY, network.arch.text], [SEED_KEY, String(seed)]]);
  writeModel({ ...model, metadata }, file);
  return { space: space.name, ...descriptionOf(network) };
}

function descriptionOf(network: ArchNetwork): Description {
  const { space, value, text } = network.arch;
  return { arch: text, hash: describedHash(space, value), ...network.counts() };
}
