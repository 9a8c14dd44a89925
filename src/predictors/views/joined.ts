// Several views of the same networks side by side: `cell+features`. Inputs that both have under one name get a number
// behind it.
import * as z from 'zod';
import type { Network } from '../../networks/network.js';
import type { Batch } from '../../nn/batch.js';
import { AuspexError } from '../../util/errors.js';
import type { Json, OnBad } from '../predictor.js';
import { type GraphSet, registerJoin, type View } from './view.js';

registerJoin(
  (views): View => ({
    name: views.map(({ name }) => name).join('+'),
    state: z.tuple(views.map(({ state }) => state) as [z.ZodType<Json>]),

    prepare: (networks, options, prior) =>
      Promise.all(views.map((view, i) => view.prepare(networks, at(options, i), prior && at(prior, i)))),

    covers(network, state) {
      return first(views, (view, i) => view.covers(network, at(state, i)));
    },

    inputs: (state) => merged(views.map((view, i) => view.inputs(at(state, i)))),

    /** Every network is asked of all views before the next one is made; one that a view refuses is bad for all. */
    async encode(networks, state, { onBad, signal } = {}) {
      const lead = views.findIndex(({ byRow }) => byRow === undefined);
      if (views.every(({ byRow }, i) => byRow || i === lead))
        return besideRows(views, Math.max(0, lead), networks, state, { onBad, signal });
      const kept: Network[] = [];
      let place = 0;
      for (const network of networks) {
        const error = first(views, (view, i) => view.covers(network, at(state, i)));
        if (error === undefined) kept.push(network);
        else if (onBad === undefined) throw error;
        else onBad(place, error);
        place++;
      }
      const options = signal ? { signal } : {};
      const sets = await Promise.all(views.map((view, i) => view.encode(kept, at(state, i), options)));
      return joinedSet(sets);
    },
  }),
);

/** One view leads; the others read every network before it does, so that none is kept. */
async function besideRows(
  views: readonly View[],
  lead: number,
  networks: Iterable<Network>,
  state: Json,
  { onBad, signal }: { onBad: OnBad | undefined; signal: AbortSignal | undefined },
): Promise<GraphSet> {
  const given: { readonly place: number; readonly rows: readonly ArrayLike<number>[] }[] = [];
  const refused = new Set<number>();
  const each = function* (): Generator<Network> {
    let place = -1;
    for (const network of networks) {
      place++;
      try {
        given.push({
          place,
          rows: views.map((view, i) => (i === lead ? [] : view.byRow!.read(network, at(state, i)))),
        });
      } catch (error) {
        if (!(error instanceof AuspexError) || onBad === undefined) throw error;
        onBad(place, error);
        continue;
      }
      yield network;
    }
  };
  const leading = await views[lead]!.encode(each(), at(state, lead), {
    ...(onBad && {
      onBad: (i: number, error: AuspexError) => {
        refused.add(i);
        onBad(given[i]!.place, error);
      },
    }),
    ...(signal ? { signal } : {}),
  });
  const kept = given.filter((_, i) => !refused.has(i));
  return joinedSet(
    views.map((view, i) =>
      i === lead
        ? leading
        : view.byRow!.set(
            kept.map(({ rows }) => rows[i]!),
            at(state, i),
          ),
    ),
  );
}

function at(list: Json, i: number): Json {
  return (list as readonly Json[])[i];
}

function first(
  views: readonly View[],
  wrong: (view: View, i: number) => AuspexError | undefined,
): AuspexError | undefined {
  for (const [i, view] of views.entries()) {
    const error = wrong(view, i);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Several sets of the same rows; see `partOf`. */
const parts = new WeakMap<GraphSet, readonly GraphSet[]>();

/** The part of a set that one of several views gave. */
export function partOf(set: GraphSet, view: number): GraphSet {
  return parts.get(set)?.[view] ?? set;
}

/** Buckets are those of the first set that has any. */
function joinedSet(sets: readonly GraphSet[]): GraphSet {
  const leading = sets.find(({ bucketOf }) => bucketOf) ?? sets[0]!;
  const joined: GraphSet = {
    count: sets[0]!.count,
    batch: (rows, variant) => merged(sets.map((set) => set.batch(rows, variant))) as Batch,
    bucketOf: (row) => leading.bucketOf?.(row) ?? 0,
    mostOf: (bucket) => leading.mostOf?.(bucket) ?? Number.POSITIVE_INFINITY,
    ...(sets.some(({ outline }) => outline) && {
      outline: (row: number) => sets.flatMap((set) => Array.from(set.outline?.(row) ?? [])),
    }),
    merged: (least) => joinedSet(sets.map((set) => set.merged?.(least) ?? set)),
  };
  parts.set(joined, sets);
  return joined;
}

/** One record of several; a name that is taken gets a number behind it. */
function merged<T>(records: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  const all: Record<string, T> = {};
  records.forEach((record, i) => {
    for (const [name, value] of Object.entries(record)) all[name in all ? `${name}.${i}` : name] = value;
  });
  return all;
}
