// Numbers as people read them.

const THOUSANDS = ['', ' k', ' M', ' G', ' T', ' P'];

/** `1.81 G`; exact below 10,000. */
export function formatCount(count: number | undefined): string {
  if (count === undefined || Number.isNaN(count)) return '–';
  if (!Number.isFinite(count)) return String(count);
  if (Math.abs(count) < 10_000)
    return Number.isInteger(count) ? String(count) : String(Number(count.toPrecision(3)));
  return scaled(count, 1000, THOUSANDS);
}

export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined || Number.isNaN(bytes)) return '–';
  if (bytes < 1024) return `${bytes} B`;
  return scaled(bytes, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB']);
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let [rest, power] = [value, 0];
  while (Math.abs(rest) >= step && power < units.length - 1) {
    rest /= step;
    power++;
  }
  const digits = Math.abs(rest) >= 100 ? 0 : Math.abs(rest) >= 10 ? 1 : 2;
  return `${rest.toFixed(digits)}${units[power]}`;
}

export function formatExact(count: number): string {
  return Number.isNaN(count) ? '–' : count.toLocaleString('en-US');
}

export function formatMs(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms)) return '–';
  if (ms < 1) return `${(1000 * ms).toPrecision(3)} µs`;
  return ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** At most four digits that matter. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 && size < 1e15) return formatCount(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

export function formatPercent(share: number): string {
  if (Number.isNaN(share)) return '–';
  return share > 0 && share < 0.001 ? '<0.1%' : `${(100 * share).toFixed(1)}%`;
}
