// What `auspex compare` does: two networks, or the networks of two folders that have the same names.
import { basename, relative } from 'node:path';
import type { Counts } from '../analysis/cost.js';
import { type CompareOptions, type Comparison, compareNetworks } from '../networks/comparison/compare.js';
import type { Network, Sizes } from '../networks/index.js';
import { AuspexError } from '../util/errors.js';
import { type ComparedProfiles, compareProfiles } from './compare-profile.js';
import { isFolder, onnxFilesIn } from './glob.js';
import { diskResolver } from './resolve.js';
import type { Work } from './work.js';

interface CompareRequest extends CompareOptions {
  readonly a: string;
  readonly b: string;
  readonly sizes?: Sizes;
  /** Whether both are measured and profiled. */
  readonly isProfiled?: boolean;
}

export interface ComparedPair {
  readonly a: string;
  readonly b: string;
  readonly result: Comparison | AuspexError;
  readonly profiles?: ComparedProfiles;
  /** What both cost at the same sizes, chosen for those that the files leave open. */
  readonly settled?: SettledCosts;
}

export interface SettledCosts {
  /** The sizes, as flags. */
  readonly flags: string;
  readonly a: Counts;
  readonly b: Counts;
}

/**
 * Compares two networks, or all networks of two folders whose paths within them are equal. A pair that cannot be compared
 * does not take the others with it.
 *
 * @throws AuspexError COMPARE_PAIRS if the folders have no names in common, or only one of both is a folder
 */
export async function* compareAll(request: CompareRequest, work: Work = {}): AsyncGenerator<ComparedPair> {
  const pairs = pairsOf(request.a, request.b);
  const resolver = diskResolver({ isKeptOpen: true });
  const { sizes = {}, isProfiled = false, a: _, b: __, ...options } = request;
  const open = (ref: string): Network => resolver.network(ref, { sizes });
  for (const [done, [a, b]] of pairs.entries()) {
    work.signal?.throwIfAborted();
    work.progress?.(done, pairs.length);
    try {
      const signal = work.signal ? { signal: work.signal } : {};
      const [left, right] = [open(a), open(b)];
      const result = await compareNetworks(left, right, { ...options, ...signal });
      const { threads = 1, seed = 0 } = options;
      const profiles = isProfiled && (await compareProfiles(left, right, { threads, seed, ...signal }));
      const settled = settledCosts(left, right);
      yield { a, b, result, ...(profiles ? { profiles } : {}), ...(settled ? { settled } : {}) };
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      yield { a, b, result: error };
    }
  }
}

/** Undefined if no sizes are open, or other sizes would be chosen for one network than for the other. */
function settledCosts(left: Network, right: Network): SettledCosts | undefined {
  const [a, b] = [left.chosenSizes(), right.chosenSizes()];
  if (!a?.isChecked || !b?.isChecked || a.flags !== b.flags) return undefined;
  return { flags: a.flags, a: left.settled().cost().totals, b: right.settled().cost().totals };
}

/** Paths of networks that belong together. */
function pairsOf(a: string, b: string): [a: string, b: string][] {
  if (!isFolder(a) && !isFolder(b)) return [[a, b]];
  if (!isFolder(a) || !isFolder(b)) {
    throw new AuspexError(
      'COMPARE_PAIRS',
      `'${isFolder(a) ? b : a}' is not a folder, but '${isFolder(a) ? a : b}' is`,
      {
        hint: 'give two networks, or two folders',
      },
    );
  }
  const within = (folder: string): Map<string, string> =>
    new Map(onnxFilesIn(folder).map((file) => [relative(folder, file), file]));
  const [left, right] = [within(a), within(b)];
  const common = [...left.keys()].filter((name) => right.has(name));
  if (common.length > 0) return common.map((name) => [left.get(name)!, right.get(name)!]);
  throw new AuspexError(
    'COMPARE_PAIRS',
    `no network of '${basename(a)}' has the name of one of '${basename(b)}'`,
    {
      hint: 'networks of two folders are compared by their names',
    },
  );
}
