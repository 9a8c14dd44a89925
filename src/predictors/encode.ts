// From networks to encoded rows: one by one, with the bad ones named by row and reference, and skipped if asked.
import type { Network } from '../networks/network.js';
import { lazily, type Networks } from '../networks/networks.js';
import { AuspexError } from '../util/errors.js';
import { Pace } from '../util/pauses.js';
import { printableStart } from '../util/printable.js';
import { type EncodeOptions, type GraphSet, saidOf } from './views/view.js';

interface RowOptions extends EncodeOptions {
  /** Who cannot use a network that is not covered: a kind's title. */
  readonly subject?: string;
  /** The rows from here, and before there; all of them by default. */
  readonly start?: number;
  readonly end?: number;
  /** Networks of the same key are encoded once; the others are twins of the first. */
  readonly keyOf?: (network: Network) => string;
  /** Called for each network before it is encoded; what it throws makes the row a bad one. */
  readonly visit?: (row: number, network: Network) => void;
}

interface EncodedRows {
  readonly set: GraphSet;
  /** Of every graph of the set, the row of its network. */
  readonly rows: readonly number[];
  /** Rows that were not encoded, and the row that each is a twin of. */
  readonly twins: readonly (readonly [row: number, first: number])[];
}

/** Encodes networks; see `RowOptions`. */
export async function encodeRows(
  networks: Networks,
  encode: (networks: Iterable<Network>, options: EncodeOptions) => Promise<GraphSet>,
  {
    subject = 'the predictor',
    start = 0,
    end = networks.count,
    onBad,
    signal,
    keyOf,
    visit,
  }: RowOptions = {},
): Promise<EncodedRows> {
  const given: { readonly row: number; network: Network | undefined }[] = [];
  const bad = new Set<number>();
  const firsts = new Map<string, number>();
  const twins: [row: number, first: number][] = [];
  const errors = new Map<number, AuspexError>();
  const refuse = (row: number, network: Network | undefined, error: unknown): void => {
    if (!(error instanceof AuspexError)) throw error;
    const place = networks.count > 1 ? (networks.rowName?.(row) ?? `row ${row}`) : undefined;
    const named = inRow(saidOf(subject, error), place, network);
    if (onBad === undefined) throw named;
    errors.set(row, named);
    onBad(row, named);
  };
  const each = function* (): Generator<Network> {
    for (let row = start; row < end; row++) {
      let network: Network | undefined;
      try {
        network = networks.at(row);
        visit?.(row, network);
        const key = keyOf?.(network);
        const first = key === undefined ? undefined : firsts.get(key);
        if (first !== undefined) {
          twins.push([row, first]);
          continue;
        }
        if (key !== undefined) firsts.set(key, row);
      } catch (error) {
        refuse(row, network, error);
        continue;
      }
      // Kept only while it is encoded: networks may be large.
      const place: (typeof given)[number] = { row, network };
      given.push(place);
      yield network;
      place.network = undefined;
    }
  };
  const set = await encode(each(), {
    onBad: (place, error) => {
      const { row, network } = given[place]!;
      bad.add(place);
      refuse(row, network, error);
    },
    ...(signal ? { signal } : {}),
  });
  for (const [row, first] of twins) if (errors.has(first)) onBad?.(row, errors.get(first)!);
  return { set, rows: given.flatMap(({ row }, place) => (bad.has(place) ? [] : [row])), twins };
}

/** An error with the row and the network it is about. */
function inRow(error: AuspexError, row: string | undefined, network: Network | undefined): AuspexError {
  const ref = network && network.file === undefined ? printableStart(network.ref, 120) : undefined;
  const path = [row, ref, error.where.path].filter((part) => part !== undefined);
  const { path: _, ...where } = error.where;
  error.where = { ...where, ...(path.length > 0 ? { path: path.join(', ') } : {}) };
  return network?.file === undefined ? error : error.within({ file: network.file });
}

/** What a view reads of each network. A pause now and then lets others work. */
export async function readEach<R>(
  networks: Iterable<Network>,
  read: (network: Network) => R,
  { onBad, signal }: EncodeOptions = {},
): Promise<R[]> {
  const pace = new Pace(signal);
  const found: R[] = [];
  let place = 0;
  for (const network of networks) {
    try {
      found.push(read(network));
    } catch (error) {
      if (!(error instanceof AuspexError) || onBad === undefined) throw error;
      onBad(place, error);
    }
    place++;
    if (pace.isDue) await pace.turn();
  }
  return found;
}

/** Networks of which the first ones are kept: they are looked at to prepare a view, and encoded afterwards. */
export function rememberingFirst(networks: Networks, count = 64): Networks {
  const kept = new Map<number, Network>();
  const at = (row: number): Network => {
    let network = kept.get(row);
    if (network === undefined) {
      network = networks.at(row);
      if (row < count) kept.set(row, network);
    }
    return network;
  };
  return lazily(networks.count, at, networks.rowName);
}
