// Scores for people, within 80 columns, and as JSON (docs/proxy-json.md).
import { type Explanation, proxyNamed } from '../proxies/index.js';
import { printable } from '../util/printable.js';
import { broken, fit, formatExact, table, WIDTH, wrap } from './format.js';
import { columnValues, type ProxyColumn, type ScoringPlan } from './proxy-plan.js';
import type { NetworkRecord } from './proxy-pool.js';
import type { Problem } from './proxy-scoring.js';

/** What `auspex proxy` found. */
export interface PoolFound {
  readonly plan: ScoringPlan;
  readonly columns: readonly ProxyColumn[];
  /** How many networks were given; fewer have a record if the work was stopped. */
  readonly networks: number;
  readonly records: readonly NetworkRecord[];
  readonly explanations?: ReadonlyMap<number, Explanation>;
  readonly output?: string;
}

/** Room for the name of a network beside its scores. */
const NAME = 20;
/** Errors that are shown; a log and JSON have all. */
const MOST_ERRORS = 8;

export function poolText(found: PoolFound): string {
  const { columns, records, explanations, output } = found;
  const sections = [
    ...(columns.length === 0 ? [] : records.length === 1 ? [single(found)] : tables(found)),
    ...(columns.length === 0 || records.length === 1 ? [] : [problemLines(found)]),
    ...(explanations ? [...explanations].map(([i, e]) => explanationLines(records[i]!.network, e)) : []),
    ...(output === undefined ? [] : [[`scores written to ${output}`]]),
  ].filter((lines) => lines.length > 0);
  return sections.map((lines) => lines.map((line) => printable(fit(line, WIDTH))).join('\n')).join('\n\n');
}

/** One network: a line for every proxy. What is wrong with the network itself is said elsewhere. */
function single({ columns, records }: PoolFound): string[] {
  const [record] = records as [NetworkRecord];
  if (record.error) return [];
  const values = columnValues(columns, [record.scores]);
  const problems = columns.map((column) => problemOf(column, record));
  const rows = columns.map(({ name, title, better, combine }, i) => {
    const value = combine ? undefined : values[i]![0];
    return [
      name,
      value === undefined ? '–' : scoreText(value),
      better === 'higher' ? '↑' : '↓',
      problems[i]?.code ?? (combine ? 'a rank within a pool: give more networks' : title),
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
    return problem ? wrap(`${name}: ${sentence(problem)}`, 2, 4) : [];
  });
  return [...broken(record.network), ...table(heads, rows), DIRECTIONS, ...lines];
}

/** A problem with what to do about it. */
function sentence({ hint, ...problem }: Problem): string {
  return `${errorText(problem)}${hint === undefined ? '' : `; ${hint}`}`;
}

const DIRECTIONS = '  ↑ higher is better, ↓ lower is better';

/**
 * A line for every network, and as many tables as it takes for all proxies. Those that score none of the networks are
 * named below.
 */
function tables({ columns, records }: PoolFound): string[][] {
  const values = columnValues(
    columns,
    records.map(({ scores }) => scores),
  );
  const cells = columns.flatMap((column, c) => {
    if (values[c]!.every((value) => value === undefined)) return [];
    const title = `${column.name} ${column.better === 'higher' ? '↑' : '↓'}`;
    return [{ title, texts: values[c]!.map((value) => (value === undefined ? '–' : scoreText(value))) }];
  });
  const digits = Math.max(1, String(records.at(-1)?.index ?? 0).length);
  const groups: (typeof cells)[] = [];
  let room = 0;
  for (const cell of cells) {
    const width = 2 + Math.max(cell.title.length, ...cell.texts.map((text) => text.length));
    if (width > room) {
      groups.push([]);
      room = WIDTH - 2 - digits - 2 - NAME;
    }
    groups.at(-1)!.push(cell);
    room -= width;
  }
  return groups.map((group, g) => [
    ...table(
      [
        { title: '#', align: 'right' },
        { title: 'network', flexible: 'end' },
        ...group.map(({ title }) => ({ title, align: 'right' as const })),
      ],
      records.map(({ index, network }, r) => [
        String(index),
        network,
        ...group.map(({ texts }) => texts[r]!),
      ]),
    ),
    ...(g === groups.length - 1 ? [DIRECTIONS] : []),
  ]);
}

/** Whole numbers as they are, others to five digits. */
export function scoreText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e12 ? formatExact(value) : value.toPrecision(5);
}

function problemOf({ members }: ProxyColumn, { errors }: NetworkRecord): Problem | undefined {
  return members.map((member) => errors?.[member]).find((problem) => problem !== undefined);
}

export function errorText(problem: Problem | undefined): string {
  if (problem === undefined) return '';
  const { node, operator } = problem.where ?? {};
  const place = node === undefined ? '' : ` (node '${node}'${operator ? `, ${operator}` : ''})`;
  return `${problem.code}: ${problem.message}${place}`;
}

/** Why scores are missing: networks by themselves, proxies summed up. */
export function problemLines({ plan, records }: Pick<PoolFound, 'plan' | 'records'>): string[] {
  const lost = records.filter(({ error }) => error !== undefined);
  const lines = lost
    .slice(0, MOST_ERRORS)
    .flatMap(({ index, network, error }) =>
      wrap(`#${index} ${fit(network, 40, 'end')}: ${errorText(error)}`, 2, 4),
    );
  if (lost.length > MOST_ERRORS) lines.push(`  … and ${lost.length - MOST_ERRORS} more networks`);
  for (const proxy of plan.proxies) {
    const problems = records.flatMap(({ errors }) => (errors?.[proxy] ? [errors[proxy]] : []));
    if (problems.length === 0) continue;
    const count = `${problems.length} of ${records.length} networks`;
    lines.push(...wrap(`${proxy}: not for ${count}; first ${errorText(problems[0])}`, 2, 4));
  }
  return lines;
}

function explanationLines(network: string, explanation: Explanation): string[] {
  const { inputs, samples, logits, features, blocks, tensors } = explanation;
  const counted = tensors.filter(({ counts }) => counts).length;
  const last = features
    ? `'${features.name}' [${features.dims}]: ${features.channels} channels, ${features.positions} positions`
    : 'none found';
  return [
    ...broken(network),
    ...inputs.flatMap(({ name, type }) => wrap(`input       '${name}' ${type}, ${samples} samples`, 2, 14)),
    ...wrap(`logits      '${logits.name}' [${logits.dims}], ${logits.classes} classes`, 2, 14),
    ...wrap(`last block  ${last}`, 2, 14),
    `  attention   ${blocks.length === 0 ? 'none' : `${blocks.length} blocks`}`,
    ...(blocks.length === 0 ? [] : blockTable(blocks)),
    `  weights     ${counted} of ${tensors.length} constants count`,
    ...table(
      [
        { title: 'constant', flexible: 'end' },
        { title: 'shape' },
        { title: 'is' },
        { title: 'counts' },
        { title: 'of' },
      ],
      tensors.map(({ name, dims, role, counts, part }) => [
        name,
        dims.join('x'),
        role,
        counts ? 'yes' : '',
        part ?? '',
      ]),
      4,
    ),
  ];
}

function blockTable(blocks: Explanation['blocks']): string[] {
  return table(
    [
      { title: 'applied by', flexible: 'end' },
      { title: 'width', align: 'right' },
      { title: 'of heads', align: 'right' },
      { title: 'tokens', align: 'right' },
    ],
    blocks.map(({ node, width, qkvWidth, tokens }) => [node, ...[width, qkvWidth, tokens].map(String)]),
    4,
  );
}

export function poolJson(found: PoolFound): string {
  const { plan, columns, networks, records, explanations, output } = found;
  const values = columnValues(
    columns,
    records.map(({ scores }) => scores),
  );
  const { proxies: _, space, ...options } = plan;
  return JSON.stringify(
    {
      schema: 'auspex.proxy/1',
      space,
      options,
      proxies: columns.map(columnJson),
      given: networks,
      scored: records.filter(isScored).length,
      failed: records.filter((record) => !isScored(record)).length,
      networks: records.map(({ index, network, errors, error }, r) => ({
        index,
        network,
        scores: Object.fromEntries(columns.map(({ name }, c) => [name, values[c]![r] ?? null])),
        ...(errors ? { errors } : {}),
        ...(error ? { error } : {}),
        ...(explanations?.has(r) ? { explanation: explanations.get(r) } : {}),
      })),
      output: output ?? null,
    },
    null,
    2,
  );
}

export function columnJson({ name, title, better, members, combine }: ProxyColumn): object {
  const about = { name, title, better, higherIsBetter: better === 'higher' };
  return combine ? { ...about, members } : { ...about, scale: proxyNamed(name.split(':')[0]!).scale };
}

/** Whether a network has a score, be it one. */
export function isScored({ scores }: NetworkRecord): boolean {
  return Object.keys(scores).length > 0;
}

/** Where nothing was scored: 2 if every network that was given is at fault itself, 1 otherwise. */
export function exitCodeOf(records: readonly NetworkRecord[]): 1 | 2 {
  return records.every(({ error }) => error !== undefined && !error.isFailure) ? 2 : 1;
}
