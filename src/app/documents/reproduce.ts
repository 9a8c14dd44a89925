// The JSON documents of `auspex reproduce`, as docs/json/reproduce.md describes them.
import { z } from 'zod';
import { differences } from '../../reproduce/table-numbers.js';
import type { Reproduced } from '../reproduce.js';
import type { ReproducedSearches } from '../reproduce-searches.js';

const published = z.object({
  by: z.string(),
  metric: z.string(),
  label: z.string().optional(),
  value: z.number(),
  deviation: z.number().optional(),
  source: z.string(),
  isUnverified: z.boolean().optional(),
});

const mean = z.object({
  mean: z.number(),
  deviation: z.number().optional(),
  values: z.array(z.number()),
});

export const reproduceListDocument = z.object({
  schema: z.literal('auspex.reproduce.list/1'),
  out: z.string(),
  tables: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      paper: z.string(),
      shows: z.string(),
      data: z.array(z.string()),
      done: z.number(),
      draws: z.number(),
      cells: z.array(
        z.object({ id: z.string(), kind: z.string(), rows: z.number(), seeds: z.array(z.number()) }),
      ),
    }),
  ),
  /** Search experiments, and runs that are done of each. */
  searches: z.array(z.object({ id: z.string(), title: z.string(), done: z.number() })).optional(),
});

export const reproduceDocument = z.object({
  schema: z.literal('auspex.reproduce/1'),
  table: z.string(),
  title: z.string(),
  paper: z.string(),
  shows: z.string(),
  differs: z.array(z.string()),
  out: z.string(),
  done: z.number(),
  draws: z.number(),
  otherSettings: z.number(),
  /** Null where nothing was run. */
  ran: z.number().nullable(),
  failures: z.array(
    z.object({
      cell: z.string(),
      seed: z.number(),
      error: z.object({
        code: z.string(),
        message: z.string(),
        where: z.looseObject({}),
        hint: z.string().optional(),
      }),
    }),
  ),
  lines: z.array(
    z.object({
      cell: z.string(),
      label: z.string().nullable(),
      kind: z.string(),
      rows: z.number(),
      seeds: z.array(z.number()),
      metrics: z.record(z.string(), mean),
      seconds: z.number().nullable(),
      published: z.array(published),
      others: z.array(published),
      floor: z.number().nullable(),
      goal: z.number().nullable(),
      verdict: z.enum(['goal', 'floor', 'below']).nullable(),
      problems: z.array(z.string()),
    }),
  ),
});

export function reproduceListOf(
  all: readonly Reproduced[],
  out: string,
  searches: readonly ReproducedSearches[] = [],
): z.input<typeof reproduceListDocument> {
  const tables = all.map(({ table, collected }) => {
    const { id, title, paper, shows, cells } = table;
    return {
      ...{ id, title, paper, shows },
      data: [...new Set(cells.map(({ data }) => data))],
      done: collected.results.length,
      draws: collected.draws.length,
      cells: cells.map(({ id: cell, kind, rows }) => ({
        id: cell,
        kind,
        rows,
        seeds: collected.results.filter((result) => result.cell === cell).map(({ seed }) => seed),
      })),
    };
  });
  return {
    schema: 'auspex.reproduce.list/1',
    out,
    tables,
    ...(searches.length === 0
      ? {}
      : {
          searches: searches.map(({ experiment: { id, title }, lines }) => ({
            ...{ id, title },
            done: lines.reduce((sum, { seeds }) => sum + seeds.length, 0),
          })),
        }),
  };
}

export function reproduceDocumentOf({
  table,
  out,
  collected,
  ran,
}: Reproduced): z.input<typeof reproduceDocument> {
  const { lines, results, draws, others } = collected;
  const { id, title, paper, shows } = table;
  return {
    schema: 'auspex.reproduce/1',
    table: id,
    ...{ title, paper, shows },
    differs: differences(table, lines),
    out,
    done: results.length,
    draws: draws.length,
    otherSettings: others,
    ran: ran ? ran.results.length : null,
    failures: (ran?.failures ?? []).map(({ cell, seed, error: { code, message, where, hint } }) => ({
      cell,
      seed,
      error: { code, message, where: { ...where }, ...(hint === undefined ? {} : { hint }) },
    })),
    lines: lines.map((line) => ({
      cell: line.cell.id,
      label: line.label ?? null,
      kind: line.cell.kind,
      rows: line.cell.rows,
      seeds: [...line.seeds],
      metrics: Object.fromEntries(
        Array.from(line.metrics, ([name, { mean: value, deviation, values }]) => [
          name,
          { mean: value, ...(deviation === undefined ? {} : { deviation }), values: [...values] },
        ]),
      ),
      seconds: line.seconds ?? null,
      published: [...line.published],
      others: [...line.others],
      floor: line.cell.floor ?? null,
      goal: line.cell.goal ?? null,
      verdict: line.verdict ?? null,
      problems: [...line.problems],
    })),
  };
}
