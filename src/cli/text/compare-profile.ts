// Two profiles side by side: which kernels make one network faster or slower than the other.
import type { ComparedProfiles, ProfiledSide } from '../../app/compare-profile.js';
import { percent, table, terminalWidth, wrap } from './format.js';
import { ms } from './measure.js';
import { joined } from './sections.js';

/** Rows beyond this many are counted, not listed. */
const LISTED = 12;

export function comparedProfilesText({ a, b }: ComparedProfiles, width = terminalWidth()): string {
  return joined(
    [
      wrap(verdict(a, b), 0, 0, width),
      changes('Kernel', kernelTimes(a), kernelTimes(b), width),
      changes('Node', nodeTimes(a), nodeTimes(b), width, true),
    ],
    width,
  );
}

function verdict(a: ProfiledSide, b: ProfiledSide): string {
  const [before, after] = [timeOf(a), timeOf(b)];
  const isSlower = after > before;
  const ratio = isSlower ? after / before : before / after;
  const clock = isBusy(a) || isBusy(b) ? 'CPU time, because the machine was busy' : 'median';
  const overhead = ({ profile }: ProfiledSide): string =>
    percent(
      profile.nodes.reduce((sum, { roof, timeMs }) => sum + (roof === 'overhead' ? timeMs : 0), 0) /
        profile.kernelMs,
    );
  return (
    `b takes ${ms(after)}, a ${ms(before)} (${clock}): b is ${ratio.toFixed(2)} times ${isSlower ? 'slower' : 'faster'}. ` +
    `Kernels: ${b.profile.kernels.length} and ${a.profile.kernels.length}; inserted by the runtime ${percent(b.profile.inserted)} and ${percent(a.profile.inserted)} of the time; far below both roofs ${overhead(b)} and ${overhead(a)}.`
  );
}

const isBusy = ({ measurement }: ProfiledSide): boolean => measurement.noise.warnings.includes('busy');

function timeOf(side: ProfiledSide): number {
  const { wallMs, cpuMs } = side.measurement;
  return isBusy(side) && cpuMs !== undefined ? cpuMs.median : wallMs.median;
}

type Times = ReadonlyMap<string, number>;

function kernelTimes({ profile }: ProfiledSide): Times {
  return summed(profile.kernels.map(({ operator, timeMs }) => [operator, timeMs]));
}

function nodeTimes({ profile }: ProfiledSide): Times {
  return summed(profile.nodes.map(({ name, timeMs }) => [plainName(name), timeMs]));
}

/** Tools that quantise add this to the names of nodes. */
function plainName(name: string): string {
  return name.replace(/_(?:quant|quantized|qdq)$/i, '');
}

function summed(times: readonly (readonly [string, number])[]): Times {
  const sums = new Map<string, number>();
  for (const [name, timeMs] of times) sums.set(name, (sums.get(name) ?? 0) + timeMs);
  return sums;
}

/** The largest changes first. */
function changes(title: string, a: Times, b: Times, width: number, isShared = false): string[] {
  const names = [...new Set([...a.keys(), ...b.keys()])].filter(
    (name) => !isShared || (a.has(name) && b.has(name)),
  );
  const change = (name: string): number => (b.get(name) ?? 0) - (a.get(name) ?? 0);
  const sorted = names.sort((x, y) => Math.abs(change(y)) - Math.abs(change(x)));
  if (sorted.length === 0) return [];
  const cell = (times: Times, name: string): string => (times.has(name) ? ms(times.get(name)!) : '');
  const rows = sorted.slice(0, LISTED).map((name) => {
    const difference = change(name);
    return [name, cell(a, name), cell(b, name), `${difference >= 0 ? '+' : '-'}${ms(Math.abs(difference))}`];
  });
  const right = (text: string) => ({ title: text, align: 'right' as const });
  const more = sorted.length > LISTED ? [`  … ${sorted.length - LISTED} more`] : [];
  return [
    ...table([{ title, flexible: 'middle' }, right('a'), right('b'), right('Change')], rows, 2, width),
    ...more,
  ];
}
