// Logs and documents that other commands wrote: what a search tried, what a pool scored, how good a predictor is, where a
// network spends its time.
import { evaluateDocument } from '../../../src/app/documents/evaluate.js';
import { type MeasureDocument, measureDocument } from '../../../src/app/documents/measure.js';
import { scoreDocument } from '../../../src/app/documents/score.js';
import { networkRecord } from '../../../src/app/score/record.js';
import { readLog } from '../../../src/search/log.js';
import { spaceNamed } from '../../../src/spaces/index.js';
import type { AnySpace } from '../../../src/spaces/space.js';
import { attempt } from '../../../src/util/attempt.js';
import { AuspexError } from '../../../src/util/errors.js';
import { printableStart } from '../../../src/util/printable.js';
import type { NodeTimes, Report } from './protocol.js';

export type Recognised =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'profile'; readonly profile: NodeTimes };

/** @throws AuspexError REPORT_UNKNOWN, SEARCH_LOG_DAMAGED … */
export function recognised(text: string): Recognised[] {
  const whole = parsed(text);
  if (isObject(whole) && typeof whole.schema === 'string') return ofDocument(whole, whole.schema);
  const records = lines(text);
  const [first] = records;
  const kind = isObject(first) ? first.kind : undefined;
  if (kind === 'search') return [{ kind: 'report', report: ofSearch(records) }];
  if (kind === 'proxy' || kind === 'network') return [{ kind: 'report', report: ofScores(records) }];
  throw unknown('this is neither an ONNX model nor a file that auspex writes');
}

/** Undefined if a text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Records of JSON Lines; the last line of a log that is being written may be half there. */
function lines(text: string): unknown[] {
  const all = text.split('\n').filter((line) => line.trim() !== '');
  return all.flatMap((line, i): unknown[] => {
    const record = parsed(line);
    if (record !== undefined) return [record];
    if (i === all.length - 1 && i > 0) return [];
    throw unknown(`line ${i + 1} is not JSON`);
  });
}

function ofDocument(document: object, schema: string): Recognised[] {
  if (schema === 'auspex.evaluate/1') {
    const { data } = evaluateDocument.safeParse(document);
    if (data === undefined) throw unknown('the evaluation is damaged');
    return [{ kind: 'report', report: { kind: 'evaluation', title: data.predictor.file, document: data } }];
  }
  if (schema === 'auspex.measure/1') {
    const { data } = measureDocument.safeParse(document);
    if (data === undefined) throw unknown('the measurement is damaged');
    return timesOf(data);
  }
  if (schema === 'auspex.proxy/1') {
    const { data } = scoreDocument.safeParse(document);
    if (data === undefined) throw unknown('the scores are damaged');
    const records = data.networks.map(({ index, network, scores }) => ({
      ...{ kind: 'network', index, network },
      scores: Object.fromEntries(Object.entries(scores).filter(([, score]) => score !== null)),
    }));
    return [{ kind: 'report', report: ofScores(records) }];
  }
  throw unknown(`documents of the schema '${printableStart(schema, 40)}' are not shown here`);
}

function unknown(message: string): AuspexError {
  return new AuspexError('REPORT_UNKNOWN', message, {
    hint: 'open an ONNX model, trials.jsonl, scores.jsonl, or the JSON of auspex evaluate, proxy or measure --profile',
  });
}

function timesOf({ rows }: MeasureDocument): Recognised[] {
  const profiled = rows.flatMap(({ network, label, provider, profile }) =>
    profile === null ? [] : [{ network, title: [label, provider].filter(Boolean).join(', '), profile }],
  );
  if (profiled.length === 0) {
    throw unknown('the measurement has no times of nodes; measure with --profile');
  }
  return profiled.map(({ network, title, profile }) => ({
    kind: 'profile',
    profile: {
      network,
      title,
      times: Object.fromEntries(profile.nodes.map(({ name, timeMs }) => [name, timeMs])),
      roofs: profile.roofs,
    },
  }));
}

function ofScores(records: readonly unknown[]): Report {
  const found = records.flatMap((record) => networkRecord.safeParse(record).data ?? []);
  const names = [...new Set(found.flatMap(({ scores }) => Object.keys(scores)))];
  return {
    kind: 'scores',
    title: `${found.length} networks`,
    networks: found.map(({ network }) => printableStart(network, 200)),
    columns: names.map((name) => ({ name, values: found.map(({ scores }) => scores[name] ?? null) })),
    failed: found.filter(({ scores }) => Object.keys(scores).length === 0).length,
  };
}

/** Settings are listed for so many trials at most; importance is that of these. */
const MOST_PARSED = 20_000;

function ofSearch(records: readonly unknown[]): Report {
  const { start, trials: byIndex } = readLog(records);
  const all = [...byIndex.values()].sort((a, b) => a.index - b.index);
  const trials = all.filter(({ value }) => value !== undefined);
  const objectives = start!.objectives;
  const values = objectives.map((_, o) =>
    Float64Array.from(trials, ({ value, objectives: list }) => list?.[o] ?? (o === 0 ? value! : Number.NaN)),
  );
  const arch = trials.map((trial) => trial.arch);
  const space = attempt(() => spaceNamed(start!.space));
  const settings = space === undefined ? [] : settingsOf(space, arch.slice(0, MOST_PARSED));
  return {
    kind: 'search',
    title: printableStart(`${start!.strategy} in ${start!.space}`, 100),
    objectives: objectives.map(({ name, better, unit }) => ({ name, better, unit: unit ?? '' })),
    trials: {
      index: Int32Array.from(trials, ({ index }) => index),
      arch: arch.map((text) => printableStart(text, 300)),
      by: trials.map(({ by }) => printableStart(by, 40)),
      seconds: Float64Array.from(trials, ({ seconds }) => seconds),
      values,
    },
    space: start!.space,
    failed: all.length - trials.length,
    settings,
    importance: importanceOf(settings, values[0]!),
  };
}

/** The choices of architectures, one column per site that all of them have. */
function settingsOf(space: AnySpace, arch: readonly string[]): { name: string; values: string[] }[] {
  const columns = new Map<string, string[]>();
  for (const [row, text] of arch.entries()) {
    const value = attempt(() => space.parse(text));
    if (value === undefined) continue;
    for (const { site, present } of space.choices(value)) {
      if (!columns.has(site)) columns.set(site, new Array<string>(arch.length).fill(''));
      columns.get(site)![row] = String(present);
    }
  }
  return [...columns]
    .filter(([, values]) => new Set(values).size > 1)
    .slice(0, 40)
    .map(([name, values]) => ({ name, values }));
}

/** The share of the variance of a value that each setting explains alone. */
export function importanceOf(
  settings: readonly { readonly name: string; readonly values: readonly string[] }[],
  values: Float64Array,
): { name: string; share: number }[] {
  const mean = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0) / list.length;
  return settings
    .map(({ name, values: groups }) => {
      const known = Array.from(values.subarray(0, groups.length));
      const total = mean(known);
      const variance = known.reduce((sum, x) => sum + (x - total) ** 2, 0);
      const byGroup = new Map<string, number[]>();
      groups.forEach((group, row) => {
        const list = byGroup.get(group);
        if (list) list.push(known[row]!);
        else byGroup.set(group, [known[row]!]);
      });
      const between = [...byGroup.values()].reduce(
        (sum, list) => sum + list.length * (mean(list) - total) ** 2,
        0,
      );
      return { name, share: variance > 0 ? between / variance : 0 };
    })
    .sort((a, b) => b.share - a.share);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
