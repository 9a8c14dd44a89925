// Measurements for people: one in full, or several in a table, with what makes them doubtful.
import type { MeasureDocument, MeasureRow } from '../../app/documents/measure.js';
import { formatBytes, percent, table, terminalWidth, wrap } from './format.js';
import { fusionLines, profileLines } from './profile.js';
import { joined } from './sections.js';

export interface MeasureTextOptions {
  readonly isFusions: boolean;
  readonly width?: number;
}

export function measurementText(
  document: MeasureDocument,
  { isFusions, width = terminalWidth() }: MeasureTextOptions,
): string {
  const { rows } = document;
  const profiled = rows.filter(({ profile }) => profile !== null);
  const sections = [
    ...(rows.length === 1 ? [single(rows[0]!, width)] : [grid(rows, width)]),
    ...rows.flatMap((row) => regressionLines(row, rows.length > 1)),
    ...profiled.flatMap((row) => {
      const title = rows.length > 1 ? [[caseName(row)]] : [];
      return [
        ...title,
        ...(isFusions ? fusionLines(row.profile!, width) : profileLines(row.profile!, width)),
      ];
    }),
    warnings(rows, width),
    wrap(measuredHow(document), 0, 0, width),
  ];
  return joined(sections, width);
}

function single(row: MeasureRow, width: number): string[] {
  const { wallMs: wall, cpuMs, first, created, memory, predictedMemory } = row;
  const lines: [string, string][] = [
    ['Median', ms(wall.median)],
    ['Interval', intervalText(wall)],
    ['Average', ms(wall.mean)],
    ['Fastest', ms(wall.min)],
    ['p90', ms(wall.p90)],
    ['p99', wall.p99 === null ? 'needs 100 runs' : ms(wall.p99)],
  ];
  if (cpuMs !== null) lines.push(['CPU time', `${ms(cpuMs.median)} (median)`]);
  if (first !== null) lines.push(['First run', ms(first.wallMs)]);
  if (created !== null) lines.push(['Session', `${ms(created.wallMs)} to create`]);
  if (memory !== null) lines.push(['Memory', memoryText(memory, predictedMemory)]);
  lines.push(['Runs', `${wall.runs}, after ${row.warmupRuns} to warm up`]);
  return [
    row.network,
    ...wrap(settingsText(row), 2, 2, width),
    ...lines.map(([title, text]) => `  ${title.padEnd(10)}${text}`),
  ];
}

function intervalText({ interval, median }: MeasureRow['wallMs']): string {
  if (interval === null) return 'needs 6 runs';
  const [low, high] = interval;
  return `${ms(low)} to ${ms(high)}, 95% (±${percent((high - low) / 2 / median)})`;
}

function memoryText(
  { peakBytes, runningBytes }: NonNullable<MeasureRow['memory']>,
  predicted: MeasureRow['predictedMemory'],
): string {
  const running = peakBytes > runningBytes * 1.05 ? `, ${formatBytes(runningBytes)} after loading` : '';
  const told = predicted === null ? '' : `; predicted ${formatBytes(predicted.peakBytes)}`;
  return `${formatBytes(peakBytes)} at peak${running}${told}`;
}

function settingsText(row: MeasureRow): string {
  const { inputs, threads, provider, optimization } = row;
  const shapes = inputs.map(
    ({ name, type, shape, meaning }) => `${name} ${type}[${shape.join('x')}] (${meaning})`,
  );
  const settings = `${threads} thread${threads === 1 ? '' : 's'}, provider ${provider}, graph optimization ${optimization}`;
  return `${[...shapes, settings].join('; ')}`;
}

function grid(rows: readonly MeasureRow[], width: number): string[] {
  const several = new Set(rows.map(({ network }) => network)).size > 1;
  const cells = rows.map((row) => {
    const { wallMs: wall, cpuMs, first, memory, predictedMemory } = row;
    const error =
      wall.interval === null ? '' : `±${percent((wall.interval[1] - wall.interval[0]) / 2 / wall.median)}`;
    const texts = [
      ms(wall.median),
      error,
      ms(wall.p90),
      wall.p99 === null ? '' : ms(wall.p99),
      ms(wall.min),
      cpuMs === null ? '' : ms(cpuMs.median),
      first === null ? '' : ms(first.wallMs),
      memory === null ? '' : formatBytes(memory.peakBytes),
      predictedMemory === null ? '' : formatBytes(predictedMemory.peakBytes),
      row.noise.warnings.length > 0 || row.stopped !== null ? '!' : '',
    ];
    return several ? [row.network, row.label, ...texts] : [row.label, ...texts];
  });
  const right = (title: string, isOptional = false) => ({ title, align: 'right' as const, isOptional });
  const columns = [
    ...(several ? [{ title: 'Network', flexible: 'middle' as const }] : []),
    { title: 'Case', ...(several ? {} : { flexible: 'middle' as const }) },
    right('Median'),
    right('95%'),
    right('p90'),
    right('p99', true),
    right('Fastest', true),
    right('CPU'),
    right('First', true),
    right('Memory'),
    right('Predicted', true),
    { title: '' },
  ];
  return [...(several ? [] : [rows[0]!.network]), ...table(columns, cells, several ? 0 : 2, width)];
}

function regressionLines(row: MeasureRow, isNamed: boolean): string[][] {
  const { regression } = row;
  if (regression === null) return [];
  const { ratio, interval, clock, limit, verdict, blocks } = regression;
  const change = (of: number): string => `${of >= 1 ? '+' : ''}${percent(of - 1)}`;
  const words = {
    slower: `slower by more than ${percent(limit)}`,
    'not slower': `not slower by more than ${percent(limit)}`,
    uncertain: `whether it is slower by more than ${percent(limit)} cannot be told: measure more --processes`,
  };
  const name = isNamed ? `${caseName(row)}: ` : '';
  return [
    wrap(
      `${name}${clock} time against the baseline ${change(ratio)}, 95% interval ${change(interval[0])} to ${change(interval[1])} (${blocks.join(' and ')} processes): ${words[verdict]}.`,
      0,
    ),
  ];
}

const caseName = ({ network, label }: MeasureRow): string =>
  label === '' ? network : `${network}, ${label}`;

function warnings(rows: readonly MeasureRow[], width: number): string[] {
  const lines: string[] = [];
  const busy = rows.filter(({ noise }) => noise.warnings.includes('busy'));
  const most = Math.max(...busy.map(({ noise }) => noise.wallPerCpu ?? 0));
  const of = (some: readonly MeasureRow[]): string =>
    rows.length === 1 ? '' : ` (${some.length} of ${rows.length} measurements)`;
  if (busy.length > 0) {
    lines.push(
      `Warning: the machine was busy${of(busy)}: wall time was ${most.toFixed(2)} times CPU time. Trust CPU time more, or measure again on an idle machine.`,
    );
  }
  const drifting = rows.filter(({ noise }) => noise.warnings.includes('drift'));
  if (drifting.length > 0) {
    const worst = drifting.toSorted((a, b) => Math.abs(b.noise.drift) - Math.abs(a.noise.drift))[0]!;
    lines.push(
      `Warning: times drifted${of(drifting)}: the second half of the runs was ${percent(Math.abs(worst.noise.drift))} ${worst.noise.drift > 0 ? 'slower' : 'faster'} than the first.`,
    );
  }
  for (const row of rows) {
    if (row.stopped !== null)
      lines.push(`${caseName(row)}: stopped after ${row.wallMs.runs} runs: ${row.stopped.message}`);
  }
  const chosen = rows.find(({ chosenSizes }) => chosenSizes !== null);
  if (chosen) lines.push(`Open sizes were chosen: ${chosen.chosenSizes}`);
  return lines.flatMap((line) => wrap(line, 0, 2, width));
}

/** Every number says how it was measured. */
function measuredHow({ machine, runner, rows, rule, processes, date }: MeasureDocument): string {
  const runtime = rows[0]?.runtime;
  const where =
    runner === null
      ? `${machine.processor}, ${machine.cores} cores, ${machine.platform}`
      : `runner ${runner}`;
  const each = processes === 1 ? 'one process' : `${processes} processes`;
  const runs =
    rule.leastRuns === rule.mostRuns
      ? `${rule.mostRuns} runs`
      : `until ±${percent(rule.precision)} or ${rule.seconds} s`;
  return `Measured ${date.slice(0, 10)} on ${where}${runtime ? `, ${runtime}` : ''}; ${each} each, ${runs}.`;
}

/** Milliseconds with three digits that count. */
export function ms(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return `${value.toFixed(digits)} ms`;
}
