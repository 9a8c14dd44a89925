// `auspex evaluate`: how well a predictor agrees with a table.
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { randomSplit } from '../datasets/splits.js';
import type { Table } from '../datasets/table.js';
import { Resolver } from '../networks/resolver.js';
import { readModel, unreadable } from '../onnx/file.js';
import { evaluate } from '../predictors/evaluate.js';
import { tableNetworks } from '../predictors/labelled-rows.js';
import { predictionsOf } from '../predictors/predictions.js';
import type { Predictor, PredictorInfo } from '../predictors/predictor.js';
import { type EvaluatedLabel, evaluationReport } from '../report/evaluation-report.js';
import { readTableFile, writeBeside } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber } from './command.js';
import { evaluationJson, evaluationText } from './evaluate-text.js';
import { loadPredictor } from './predictors.js';
import { version } from './version.js';

const PARTS = ['train', 'validation', 'test'] as const;
type Part = (typeof PARTS)[number];

interface EvaluateFlags {
  data: string;
  label?: string;
  split?: string;
  part?: Part;
  unseen?: true;
  report?: string;
  resamples: number;
  seed: number;
  json?: true;
}

/** Rows of the table that are looked at. */
export interface ChosenRows {
  readonly rows: Uint32Array;
  readonly split: string | undefined;
  readonly part: Part | undefined;
}

/** Rows that are predicted without a line of progress. */
const FEW = 4096;

/** @param load how a file becomes a predictor, where lines go, and what knows networks: others in tests. */
export function evaluateCommand({
  load = loadPredictor,
  write = print,
  resolver = new Resolver({ open: readModel }),
} = {}): Command {
  return new Command('evaluate')
    .summary('how well a predictor agrees with a table')
    .description(
      'Compares a predictor with a table: correlations, errors and how good the\nbest-predicted are, each with an interval of 95%, and whether the intervals\nof its predictions hold what they promise.',
    )
    .argument('<predictor>', 'an ONNX file that `auspex train` wrote')
    .requiredOption('--data <table>', 'a table with what was measured')
    .option('--label <name>', 'the label to compare with (all that it predicts)')
    .option('--split <file>', 'only rows of a split that `auspex data split` wrote')
    .addOption(new Option('--part <part>', 'with --split: which rows (test)').choices([...PARTS]))
    .option('--unseen', 'only rows that it was neither trained nor validated on')
    .option('--report <file>', 'write plots and metrics as one HTML file')
    .option('--resamples <n>', 'resamples of the bootstrap', wholeNumber, 1000)
    .option('--seed <n>', 'seed of the bootstrap', wholeNumber, 0)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  auspex evaluate p.onnx --data nb201.csv.gz --unseen --report p.html
  auspex evaluate p.onnx --data nb201.csv.gz --split run.split.json
  auspex evaluate p.onnx --data nb201.csv.gz --label cifar10_test --json

A predictor of one label can be compared with another, as one trained on
validation accuracy is with test accuracy.
The JSON is described in docs/evaluate-json.md, the metrics in docs/metrics.md.`,
    )
    .action(async (file: string, flags: EvaluateFlags) => {
      if (flags.part !== undefined && flags.split === undefined) {
        throw new AuspexError('BAD_OPTION', '--part is about a split, which --split names');
      }
      if (flags.unseen && flags.split !== undefined) {
        throw new AuspexError('BAD_OPTION', '--unseen and --split both choose rows: give one of them');
      }
      const table = await readTableFile(flags.data);
      const named = flags.unseen ? undefined : chosenRows(table, flags);
      const predictor = await load(file);
      try {
        const { info } = predictor;
        requireCovered(table, predictor, resolver, flags.data);
        const chosen = named ?? unseenRows(table, info, flags.data);
        const { pairs, absent } = labelPairs(table, info, flags.label);
        const labels = await evaluated(predictor, table, chosen.rows, pairs, resolver, flags);
        const found = { file, info, data: flags.data, tableRows: table.rows, chosen, labels, absent };
        if (flags.report !== undefined) {
          const html = evaluationReport({
            predictor: { file, info },
            data: { file: flags.data, rows: rowsText(table, chosen) },
            labels,
            version: version(),
          });
          await writeBeside(flags.report, [new TextEncoder().encode(html)]);
        }
        write(flags.json ? evaluationJson(found, flags.report) : evaluationText(found, flags.report));
      } finally {
        await predictor.dispose();
      }
    });
}

function rowsText(table: Table, { rows, split, part }: ChosenRows): string {
  return split === undefined
    ? `all ${table.rows}; some may be what it was trained on`
    : `${rows.length}, the ${part} rows of ${split}`;
}

/** A predictor of another space must cover networks of the table's. */
function requireCovered(table: Table, predictor: Predictor, resolver: Resolver, data: string): void {
  const { spaces } = predictor.info.seen;
  if (spaces.includes(table.space) || table.rows === 0) return;
  const uncovered = predictor.covers(tableNetworks(table, [0], resolver).at(0));
  if (uncovered === undefined) return;
  throw new AuspexError(
    'EVALUATE_SPACE',
    `the predictor is for ${spaces.join(', ')}, the table has ${table.space}`,
    {
      where: { file: data },
      hint: `give a table of ${spaces.join(', ')}, or a predictor of ${table.space}`,
      cause: uncovered,
    },
  );
}

/** Which output is compared with which column. */
interface LabelPair {
  readonly output: number;
  readonly column: string;
}

function labelPairs(
  table: Table,
  { labels }: PredictorInfo,
  wanted: string | undefined,
): { pairs: readonly LabelPair[]; absent: readonly string[] } {
  const all = labels.map(({ name }, output) => ({ output, column: name }));
  if (wanted === undefined) {
    const has = (name: string): boolean => table.labels.some((label) => label.name === name);
    const pairs = all.filter(({ column }) => has(column));
    if (pairs.length > 0) return { pairs, absent: all.map((p) => p.column).filter((name) => !has(name)) };
    throw new AuspexError(
      'TABLE_NO_LABEL',
      `the table has none of what the predictor predicts: ${all.map(({ column }) => column).join(', ')}`,
      { hint: `name one with --label: ${table.labels.map(({ name }) => name).join(', ') || 'it has none'}` },
    );
  }
  // Says what the table has, if it does not have this.
  table.column(wanted);
  const same = all.find(({ column }) => column === wanted);
  if (same) return { pairs: [same], absent: [] };
  if (all.length === 1) return { pairs: [{ output: 0, column: wanted }], absent: [] };
  throw new AuspexError('EVALUATE_LABEL', `the predictor predicts several labels, and '${wanted}' is none`, {
    hint: `it predicts ${all.map(({ column }) => column).join(', ')}`,
  });
}

async function evaluated(
  predictor: Predictor,
  table: Table,
  rows: Uint32Array,
  pairs: readonly LabelPair[],
  resolver: Resolver,
  { resamples, seed }: EvaluateFlags,
): Promise<EvaluatedLabel[]> {
  const { labels } = predictor.info;
  const columns = pairs.map(({ column }) => table.column(column));
  // What nothing is known of need not be predicted.
  const known = rows.filter((row) => columns.some((column) => !Number.isNaN(column[row])));
  const found = await predictionsOf(predictor, tableNetworks(table, known, resolver), {
    onProgress: (part) => progress(Math.round(part * known.length), known.length),
  });
  progress(known.length, known.length);
  return pairs.map(({ output, column }, i) => {
    const label = labels[output]!;
    const { unit, higherIsBetter } = table.label(column);
    const truths = Float64Array.from(known, (row) => columns[i]![row]!);
    const evaluation = evaluate(found.column(output), truths, { resamples, seed, higherIsBetter });
    return {
      label: column,
      unit,
      higherIsBetter,
      trainedOn: label.name,
      promised: label.interval?.coverage,
      evaluation: { ...evaluation, withoutTruth: rows.length - evaluation.rows },
      predictions: Array.from(known, (_, k) => found.at(k, output)),
      truths,
    };
  });
}

/** Only on a terminal, and only for many rows. */
function progress(done: number, all: number): void {
  if (!process.stderr.isTTY || all <= FEW) return;
  process.stderr.write(done === all ? '\r\x1b[K' : `\r${done} of ${all} rows predicted`);
}

/** The rows that were left when the predictor's own were drawn from this table. */
function unseenRows(table: Table, { seen: { split }, labels }: PredictorInfo, data: string): ChosenRows {
  const known = new Set(table.labels.map(({ name }) => name));
  const names = labels.map(({ name }) => name);
  const rows = names.every((name) => known.has(name)) ? table.rowsWith(names) : new Uint32Array();
  if (split === undefined || split.of !== rows.length) {
    throw new AuspexError('SPLIT_UNKNOWN', 'it cannot be told which rows of this table were trained on', {
      where: { file: data },
      hint: 'give the table that it was trained on, or a split with --split',
    });
  }
  const { test } = randomSplit(split.of, split);
  return { rows: Uint32Array.from(test, (row) => rows[row]!), split: 'its training', part: 'test' };
}

function chosenRows(table: Table, { split, part = 'test' }: EvaluateFlags): ChosenRows {
  if (split === undefined) {
    return {
      rows: Uint32Array.from({ length: table.rows }, (_, row) => row),
      split: undefined,
      part: undefined,
    };
  }
  const wrong = (message: string, hint: string): AuspexError =>
    new AuspexError('SPLIT_FILE', message, { where: { file: split }, hint });
  const rows = splitRows(split)?.[part];
  const isRow = (row: unknown): row is number => Number.isInteger(row) && (row as number) >= 0;
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw wrong(
      `the file is no split with ${part} rows`,
      'give PREFIX.split.json as `auspex data split` writes it',
    );
  }
  const beyond = rows.find((row) => row >= table.rows);
  if (beyond !== undefined) {
    throw wrong(
      `the split has row ${beyond}, and the table has ${table.rows} rows`,
      'give --data the table that was split, not one of its parts',
    );
  }
  return { rows: Uint32Array.from(rows), split, part };
}

/** Rows by part, if the file is a split; what they are is not looked at. */
function splitRows(file: string): Partial<Record<Part, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    const record = JSON.parse(text) as { schema?: unknown; rows?: Partial<Record<Part, unknown>> } | null;
    return record?.schema === 'auspex.data.split/1' ? (record.rows ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
