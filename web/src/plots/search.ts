// Plots of a search: the best so far, the Pareto front, parallel coordinates, what matters.
import type * as Plot from '@observablehq/plot';
import type { Report } from '../engine/protocol.js';
import { formatNumber } from '../state/format.js';

export type SearchReport = Extract<Report, { kind: 'search' }>;

interface TrialPoint {
  readonly trial: number;
  readonly value: number;
  readonly best: number;
  readonly arch: string;
}

export function titleOf({ name, unit }: SearchReport['objectives'][number]): string {
  return unit === '' ? name : `${name} (${unit})`;
}

/** More points than this are drawn as a sample that keeps the improvements. */
const MOST_POINTS = 4000;

export function bestSoFarPlot(
  plot: typeof Plot,
  width: number,
  report: SearchReport,
): SVGSVGElement | HTMLElement {
  const { trials, objectives } = report;
  const isHigher = objectives[0]!.better === 'higher';
  let best = isHigher ? -Infinity : Infinity;
  const points: TrialPoint[] = [];
  const steps: TrialPoint[] = [];
  const every = Math.ceil(trials.arch.length / MOST_POINTS);
  trials.values[0]!.forEach((value, i) => {
    const isBetter = isHigher ? value > best : value < best;
    if (isBetter) best = value;
    const point = { trial: trials.index[i]!, value, best, arch: trials.arch[i]! };
    if (isBetter) steps.push(point);
    if (isBetter || i % every === 0) points.push(point);
  });
  const last = points.at(-1);
  if (last) steps.push({ ...last, trial: trials.index.at(-1)! });
  return plot.plot({
    width,
    height: 300,
    marginLeft: 60,
    x: { label: 'trial' },
    y: { label: titleOf(objectives[0]!), grid: true, nice: true, tickFormat: formatNumber },
    marks: [
      plot.dot(points, { x: 'trial', y: 'value', r: 2, fill: 'var(--muted)', fillOpacity: 0.5 }),
      plot.line(steps, {
        x: 'trial',
        y: 'best',
        curve: 'step-after',
        stroke: 'var(--accent)',
        strokeWidth: 2,
      }),
      plot.tip(
        points,
        plot.pointer({
          x: 'trial',
          y: 'value',
          title: ({ trial, value, arch }: TrialPoint) =>
            `trial ${trial}: ${formatNumber(value)}\n${arch.slice(0, 80)}`,
          fill: 'var(--surface)',
        }),
      ),
    ],
  });
}

/** Trials that no other beats in two objectives, in order of the first. */
export function frontOf(report: SearchReport, first: number, second: number): number[] {
  const { trials, objectives } = report;
  const [x, y] = [trials.values[first]!, trials.values[second]!];
  const sign = (o: number): number => (objectives[o]!.better === 'higher' ? -1 : 1);
  const [sx, sy] = [sign(first), sign(second)];
  const order = Array.from(x, (_, i) => i)
    .filter((i) => !Number.isNaN(x[i]!) && !Number.isNaN(y[i]!))
    .sort((a, b) => sx * (x[a]! - x[b]!) || sy * (y[a]! - y[b]!));
  let best = Infinity;
  return order.filter((i) => {
    const isFront = sy * y[i]! < best;
    if (isFront) best = sy * y[i]!;
    return isFront;
  });
}

export function frontPlot(
  plot: typeof Plot,
  width: number,
  report: SearchReport,
  first: number,
  second: number,
): SVGSVGElement | HTMLElement {
  const { trials, objectives } = report;
  const front = frontOf(report, first, second);
  const point = (i: number): { x: number; y: number; arch: string } => ({
    x: trials.values[first]![i]!,
    y: trials.values[second]![i]!,
    arch: trials.arch[i]!,
  });
  const every = Math.ceil(trials.arch.length / MOST_POINTS);
  const points = Array.from(trials.arch, (_, i) => i)
    .filter((i) => i % every === 0)
    .map(point);
  const best = front.map(point);
  return plot.plot({
    width,
    height: 320,
    marginLeft: 60,
    x: { label: titleOf(objectives[first]!), labelAnchor: 'center', grid: true, nice: true },
    y: { label: titleOf(objectives[second]!), grid: true, nice: true },
    marks: [
      plot.dot(points, { x: 'x', y: 'y', r: 2, fill: 'var(--muted)', fillOpacity: 0.5 }),
      plot.line(best, {
        x: 'x',
        y: 'y',
        curve: 'step-after',
        stroke: 'var(--accent)',
        strokeDasharray: '4 3',
      }),
      plot.dot(best, {
        x: 'x',
        y: 'y',
        r: 4,
        fill: 'var(--accent)',
        title: ({ x, y, arch }: ReturnType<typeof point>) =>
          `${formatNumber(x)}, ${formatNumber(y)}\n${arch.slice(0, 80)}`,
        tip: { fill: 'var(--surface)' },
      }),
    ],
  });
}

/** Lines of trials through their settings; the best tenth stands out. */
export function parallelPlot(
  plot: typeof Plot,
  width: number,
  report: SearchReport,
): SVGSVGElement | HTMLElement {
  const { settings, importance, trials, objectives } = report;
  const axes = importance
    .slice(0, Math.max(3, Math.floor(width / 90)))
    .map(({ name }) => settings.find((one) => one.name === name)!);
  const value = trials.values[0]!;
  const count = axes[0]?.values.length ?? 0;
  const sorted = Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => (objectives[0]!.better === 'higher' ? -1 : 1) * (value[a]! - value[b]!),
  );
  const MOST = 400;
  const best = new Set(sorted.slice(0, Math.ceil(count / 10)));
  const every = Math.ceil(count / MOST);
  const drawn = sorted.filter((_, i) => i % every === 0).reverse();
  const options = axes.map(({ values }) =>
    [...new Set(values)].sort((a, b) => Number(a) - Number(b) || a.localeCompare(b)),
  );
  const places = drawn.flatMap((i) =>
    axes.map(({ name, values }, a) => {
      const list = options[a]!;
      const at = list.length < 2 ? 0.5 : list.indexOf(values[i]!) / (list.length - 1);
      // Lines of one option are spread a little, so that their number is seen.
      return { trial: i, axis: name, at: at + 0.03 * Math.sin(i * 12.9898), isBest: best.has(i) };
    }),
  );
  const ticks = axes.flatMap(({ name }, a) =>
    options[a]!.map((text, k) => ({
      axis: name,
      at: options[a]!.length < 2 ? 0.5 : k / (options[a]!.length - 1),
      text: text.slice(0, 14),
    })),
  );
  return plot.plot({
    width,
    height: 320,
    marginBottom: 40,
    marginTop: 16,
    marginLeft: 20,
    marginRight: 90,
    x: {
      type: 'point',
      domain: axes.map(({ name }) => name),
      label: null,
      tickFormat: (name: string) => name.slice(0, 16),
      tickRotate: width < 700 ? -20 : 0,
    },
    y: { axis: null, domain: [-0.05, 1.05] },
    marks: [
      plot.line(
        places.filter(({ isBest }) => !isBest),
        { x: 'axis', y: 'at', z: 'trial', stroke: 'var(--muted)', strokeOpacity: 0.12 },
      ),
      plot.line(
        places.filter(({ isBest }) => isBest),
        { x: 'axis', y: 'at', z: 'trial', stroke: 'var(--accent)', strokeOpacity: 0.35 },
      ),
      plot.text(ticks, {
        x: 'axis',
        y: 'at',
        text: 'text',
        dx: 4,
        textAnchor: 'start',
        fill: 'currentColor',
        stroke: 'var(--surface)',
        strokeWidth: 3,
      }),
    ],
  });
}

export function importancePlot(
  plot: typeof Plot,
  width: number,
  report: SearchReport,
): SVGSVGElement | HTMLElement {
  const shown = report.importance.slice(0, 16);
  return plot.plot({
    width,
    height: 60 + 20 * shown.length,
    marginBottom: 40,
    marginLeft: Math.min(200, width / 2.5),
    x: {
      label: 'share of the variance explained alone (%)',
      labelAnchor: 'center',
      percent: true,
      grid: true,
    },
    y: {
      label: null,
      domain: shown.map(({ name }) => name),
      tickFormat: (name: string) => name.slice(0, 28),
    },
    marks: [plot.barX(shown, { x: 'share', y: 'name', fill: 'var(--accent)' }), plot.ruleX([0])],
  });
}
