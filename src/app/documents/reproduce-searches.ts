// The JSON document of `auspex reproduce` for search experiments, as docs/json/reproduce.md describes it.
import { z } from 'zod';
import type { RegretCurve } from '../../reproduce/searches/summary.js';
import type { ReproducedSearches } from '../reproduce-searches.js';

const curve = z.object({
  seconds: z.array(z.number()),
  mean: z.array(z.number()),
  low: z.array(z.number()),
  high: z.array(z.number()),
});

export const reproduceSearchesDocument = z.object({
  schema: z.literal('auspex.reproduce.searches/1'),
  experiment: z.string(),
  title: z.string(),
  paper: z.string(),
  shows: z.string(),
  differs: z.array(z.string()),
  out: z.string(),
  /** Null where nothing was run. */
  ran: z.number().nullable(),
  searches: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      strategy: z.string(),
      embedding: z.string().nullable(),
      seeds: z.array(z.number()),
      /** Mean evaluations of a run. */
      evaluations: z.number(),
      regret: curve.nullable(),
      /** Of the label that strategies see. */
      seen: curve.nullable(),
      /** By the time that labels of the embedding took as well. */
      shifted: curve.nullable(),
    }),
  ),
});

export function searchesDocumentOf(found: ReproducedSearches): z.input<typeof reproduceSearchesDocument> {
  const { id, title, paper, shows, differs } = found.experiment;
  const curveOf = (given: RegretCurve | undefined) =>
    given
      ? { seconds: [...given.times], mean: [...given.mean], low: [...given.low], high: [...given.high] }
      : null;
  return {
    schema: 'auspex.reproduce.searches/1',
    experiment: id,
    ...{ title, paper, shows },
    differs: [...differs],
    out: found.out,
    ran: found.ran ?? null,
    searches: found.lines.map(({ entry, seeds, evaluations, curve: regret, seen, shifted }) => ({
      id: entry.id,
      name: entry.name,
      strategy: entry.strategy,
      embedding: entry.embedding ?? null,
      seeds: [...seeds],
      evaluations,
      regret: curveOf(regret),
      seen: curveOf(seen),
      shifted: curveOf(shifted),
    })),
  };
}
