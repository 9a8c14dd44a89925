// What longer training brings: τ on the development rows against seconds of one core, for NN-Former as it is shipped.
//
//   node build/verify/tables/trade-off.js run DATA LOG CASE FACTOR [SEED [WIDTH [LAYERS]]]
//   node build/verify/tables/trade-off.js plot LOG PICTURE.svg
//
// `run` trains with the recipe's steps times FACTOR and adds a line to LOG; `plot` draws and lists all lines.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/ops/index.js';
import { kendallTauB } from '../../src/metrics/index.js';
import { kindNamed } from '../../src/predictors/kinds/index.js';
import { labelledRows, tableNetworks } from '../../src/predictors/labelled-rows.js';
import { predictionsOf } from '../../src/predictors/predictions.js';
import type { Predictor } from '../../src/predictors/predictor.js';
import { linePlot } from '../../src/report/index.js';
import { developmentRows, drawRows } from '../../src/reproduce/draw-rows.js';
import type { ResultCell } from '../../src/reproduce/table.js';
import { TABLES } from '../../src/reproduce/tables/index.js';
import { loadPredictor } from '../../src/store/predictor-file.js';
import { readTableFile } from '../../src/store/table-file.js';

/** Cells of the tables, by the names that pictures have room for. */
const CASES = {
  'NB-201, 156 cells (V)': ['nb201-accuracy', '156-v-nn-former'],
  'NB-201, 781 cells (T)': ['nb201-accuracy', '781-t-nn-former'],
  'NB-101, 424 cells (T)': ['nb101-accuracy', '424-t-nn-former'],
} as const;

interface Run {
  readonly case: string;
  readonly width: number;
  readonly layers: number;
  readonly factor: number;
  readonly seed: number;
  readonly steps: number;
  readonly tau: number;
  /** Of one core: what the process computed, however many others it shared the machine with. */
  readonly coreSeconds: number;
}

const [command, ...parts] = process.argv.slice(2);
if (command === 'run') await run(parts);
else if (command === 'plot') plot(parts);
else
  throw new Error(
    'usage: trade-off.js run DATA LOG CASE FACTOR [SEED [WIDTH [LAYERS]]] | plot LOG PICTURE.svg',
  );

async function run([data, log, name, factorText, seedText, widthText, layersText]: string[]): Promise<void> {
  const found = Object.entries(CASES).find(([title]) => title === name);
  if (!data || !log || !found || !factorText) throw new Error(`cases: ${Object.keys(CASES).join('; ')}`);
  const [title, [tableName, cellName]] = found;
  const cell = TABLES.find(({ id }) => id === tableName)!.cells.find(({ id }) => id === cellName)!;
  const [factor, seed] = [Number(factorText), Number(seedText ?? 0)];
  const [width, layers] = [Number(widthText ?? 64), Number(layersText ?? 6)];
  const isShipped = width === 64 && layers === 6;
  const table = await readTableFile(join(data, `${cell.data}.csv.gz`));
  const kind = kindNamed(cell.kind);
  const from = isShipped ? await loadPredictor(`bundled/${table.space}-trunk.onnx`) : undefined;
  const changes = isShipped ? {} : { model: { width, layers } };
  const steps = Math.round(kind.recipe!(cell.rows, changes, from, 'linear').steps * factor);
  const rows = drawRows(table, cell, seed);
  const names = cell.labels.map(({ train }) => train);
  const before = process.cpuUsage();
  const { predictor } = await kind.fit(
    {
      ...labelledRows(table, rows.train, names),
      validation: labelledRows(table, rows.validation, names),
      ...(from ? { from } : {}),
    },
    { ...changes, steps },
    { seed, threads: 1 },
  );
  const { user, system } = process.cpuUsage(before);
  const tau = await developmentTau(cell, table, predictor);
  const line: Run = {
    case: title,
    width,
    layers,
    factor,
    seed,
    steps,
    tau,
    coreSeconds: (user + system) / 1e6,
  };
  appendFileSync(log, `${JSON.stringify(line)}\n`);
  await predictor.dispose();
}

async function developmentTau(
  cell: ResultCell,
  table: Awaited<ReturnType<typeof readTableFile>>,
  predictor: Predictor,
): Promise<number> {
  const truth = table.column(cell.labels[0]!.test);
  const rows = developmentRows(table.rows).filter((row) => Number.isFinite(truth[row]!));
  const { values } = await predictionsOf(predictor, tableNetworks(table, rows));
  return kendallTauB(
    values,
    Array.from(rows, (row) => truth[row]!),
  );
}

function plot([log, picture]: string[]): void {
  if (!log || !picture) throw new Error('usage: trade-off.js plot LOG PICTURE.svg');
  const runs = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Run);
  const series = Object.keys(CASES).flatMap((name) => {
    const own = runs.filter((each) => each.case === name && each.width === 64 && each.layers === 6);
    const factors = [...new Set(own.map(({ factor }) => factor))].sort((a, b) => a - b);
    const at = (factor: number, of: (run: Run) => number) =>
      own.filter((each) => each.factor === factor).map(of);
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    if (own.length === 0) return [];
    return [
      {
        name,
        x: factors.map((factor) => mean(at(factor, ({ coreSeconds }) => coreSeconds))),
        y: factors.map((factor) => mean(at(factor, ({ tau }) => tau))),
        low: factors.map((factor) => Math.min(...at(factor, ({ tau }) => tau))),
        high: factors.map((factor) => Math.max(...at(factor, ({ tau }) => tau))),
      },
    ];
  });
  const svg = linePlot({
    title: 'What longer training brings',
    description: 'Kendall’s τ-b with test accuracy on 1,000 development rows; NN-Former, two members',
    x: { label: 'core-seconds of training', kind: 'log' },
    y: { label: 'τ-b' },
    series,
  });
  writeFileSync(picture, svg);
  console.log('| cells | steps | core-seconds | τ-b on development rows | seed | width × layers |');
  console.log('|---|---:|---:|---:|---:|---|');
  const sorted = runs.toSorted(
    (a, b) => a.case.localeCompare(b.case) || a.steps - b.steps || a.seed - b.seed,
  );
  for (const each of sorted) {
    const { coreSeconds, width, layers, steps, tau, seed } = each;
    console.log(
      `| ${each.case} | ${steps} | ${coreSeconds.toFixed(0)} | ${tau.toFixed(3)} | ${seed} | ${width} × ${layers} |`,
    );
  }
}
