// Scores of networks for people: a line for every proxy of one network, or tables of a pool.

import { type Problem, problemText } from '../../app/problem.js';
import { columnValues, type ProxyColumn } from '../../app/score/columns.js';
import type { NetworkRecord, ScoredNetwork } from '../../app/score/record.js';
import type { ScoreFound } from '../../app/score/score.js';
import { explanationLines } from './explanation.js';
import { broken, fit, formatExact, table, wrap } from './format.js';
import { joined } from './sections.js';

/** Room for the name of a network beside its scores. */
const NAME = 20;
/** Errors that are shown; a log and JSON have all. */
const MOST_ERRORS = 8;

const DIRECTIONS = '  ↑ higher is better, ↓ lower is better';

/** @param width of the terminal; without end where nothing is to be cut */
export function scoreText(found: ScoreFound, width: number): string {
  const { columns, records, output } = found;
  const isSingle = records.length === 1;
  return joined(
    [
      ...(columns.length === 0 ? [] : isSingle ? [single(found, width)] : tables(found, width)),
      ...(columns.length === 0 || isSingle ? [] : [problemLines(found, width), sizeLines(records, width)]),
      ...records.flatMap(({ network, explanation, unexplained }) => [
        ...(explanation ? [explanationLines(network, explanation, width)] : []),
        ...(unexplained
          ? [
              [
                ...broken(network, 0, 0, width),
                ...wrap(`cannot be explained: ${sentence(unexplained)}`, 2, 4, width),
              ],
            ]
          : []),
      ]),
      output === null ? [] : [`scores written to ${output}`],
    ],
    width,
  );
}

/** One network: a line for every proxy. What is wrong with the network itself is said elsewhere. */
function single({ columns, records }: ScoreFound, width: number): string[] {
  const [record] = records as [ScoredNetwork];
  if (record.error) return [];
  const values = columnValues(columns, [record]);
  const problems = columns.map((column) => problemIn(column, record));
  const rows = columns.map(({ name, title, better, combine }, i) => {
    const value = combine ? undefined : values[i]![0];
    return [
      name,
      value === undefined ? '–' : numberText(value),
      better === 'higher' ? '↑' : '↓',
      problems[i]?.code ?? (combine ? 'ranks networks against each other: give at least two' : title),
    ];
  });
  const heads = [
    { title: 'proxy' },
    { title: 'score', align: 'right' as const },
    { title: '' },
    { title: '' },
  ];
  const lines = columns.flatMap(({ name, combine }, i) => {
    const problem = combine ? undefined : problems[i];
    return problem ? wrap(`${name}: ${sentence(problem)}`, 2, 4, width) : [];
  });
  const sizes = (record.sizes ?? []).flatMap((size) => wrap(`size ${size}`, 2, 4, width));
  return [
    ...broken(record.network, 0, 0, width),
    ...sizes,
    ...table(heads, rows, 2, width),
    DIRECTIONS,
    ...lines,
  ];
}

/** Of how many networks of a pool sizes were chosen, with the first. */
function sizeLines(records: readonly ScoredNetwork[], width: number): string[] {
  const open = records.filter(({ sizes }) => sizes !== undefined);
  const [first] = open;
  if (first === undefined) return [];
  const which = open.length === 1 ? `of #${first.index}` : `of ${open.length} networks; of #${first.index}`;
  return wrap(`sizes were chosen ${which}: size ${first.sizes!.join('; size ')}`, 2, 4, width);
}

/** A problem with what to do about it. */
function sentence({ hint, ...problem }: Problem): string {
  return `${problemText(problem)}${hint === undefined ? '' : `; ${hint}`}`;
}

/**
 * A line for every network, and as many tables as it takes for all proxies. Those that score none of the networks are
 * named below.
 */
function tables({ columns, records }: ScoreFound, width: number): string[][] {
  const values = columnValues(columns, records);
  const cells = columns.flatMap((column, c) => {
    if (values[c]!.every((value) => value === undefined)) return [];
    const title = `${column.name} ${column.better === 'higher' ? '↑' : '↓'}`;
    return [{ title, texts: values[c]!.map((value) => (value === undefined ? '–' : numberText(value))) }];
  });
  const digits = Math.max(1, String(records.at(-1)?.index ?? 0).length);
  const groups: (typeof cells)[] = [];
  let room = 0;
  for (const cell of cells) {
    const needed = 2 + cell.texts.reduce((most, text) => Math.max(most, text.length), cell.title.length);
    if (needed > room) {
      groups.push([]);
      room = width - 2 - digits - 2 - NAME;
    }
    groups.at(-1)!.push(cell);
    room -= needed;
  }
  return groups.map((group, g) => [
    ...table(
      [
        { title: '#', align: 'right' },
        { title: 'network', flexible: 'middle' },
        ...group.map(({ title }) => ({ title, align: 'right' as const })),
      ],
      records.map(({ index, network }, r) => [
        String(index),
        network,
        ...group.map(({ texts }) => texts[r]!),
      ]),
      2,
      width,
    ),
    ...(g === groups.length - 1 ? [DIRECTIONS] : []),
  ]);
}

/** Whole numbers as they are, others to five digits. */
function numberText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e12 ? formatExact(value) : value.toPrecision(5);
}

function problemIn({ members }: ProxyColumn, { errors }: NetworkRecord): Problem | undefined {
  return members.map((member) => errors?.[member]).find((problem) => problem !== undefined);
}

/** Why scores are missing: networks by themselves, proxies summed up. */
export function problemLines(
  { plan, records }: Pick<ScoreFound, 'plan' | 'records'>,
  width: number,
): string[] {
  const lost = records.filter(({ error }) => error !== undefined);
  const name = Math.max(40, width - 40);
  const lines = lost
    .slice(0, MOST_ERRORS)
    .flatMap(({ index, network, error }) =>
      wrap(`#${index} ${fit(network, name, 'middle')}: ${problemText(error)}`, 2, 4, width),
    );
  if (lost.length > MOST_ERRORS) lines.push(`  … and ${lost.length - MOST_ERRORS} more networks`);
  for (const proxy of plan.proxies) {
    const problems = records.flatMap(({ errors }) => (errors?.[proxy] ? [errors[proxy]] : []));
    if (problems.length === 0) continue;
    const count = `${problems.length} of ${records.length} networks`;
    lines.push(
      ...wrap(`${proxy}: no score for ${count}; first error: ${problemText(problems[0])}`, 2, 4, width),
    );
  }
  return lines;
}
