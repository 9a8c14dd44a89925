// A log as `auspex search` writes it, of any length.

/** A number from 0 to 1 that looks random, the same for the same place. */
function drawn(place: number): number {
  const x = 1e4 * Math.sin(12.9898 * place + 1);
  return x - Math.floor(x);
}

/** The log of a search of widths that are the better the wider they are. */
export function searchLog(from: number, to: number): string {
  const start = {
    ...{
      kind: 'search',
      version: 2,
      space: 'nats-size',
      strategy: 'random',
      options: {},
      seed: 0,
      evaluator: 'table',
    },
    ...{
      objectives: [
        { name: 'accuracy', better: 'higher', unit: '%' },
        { name: 'latency', better: 'lower', unit: 'ms' },
      ],
      constraints: [],
      files: {},
    },
  };
  const lines: object[] = from === 0 ? [start] : [];
  for (let index = from; index < to; index++) {
    const widths = Array.from({ length: 5 }, (_, i) => 8 * (1 + Math.floor(8 * drawn(5 * index + i))));
    const accuracy = 60 + widths.reduce((sum, width, i) => sum + (width * (i + 1)) / 40, 0);
    const latency = widths.reduce((sum, width) => sum + width / 50, 1 + (index % 7) / 10);
    lines.push({
      kind: 'trial',
      index,
      arch: widths.join(':'),
      by: 'sample',
      value: accuracy,
      objectives: [accuracy, latency],
      seconds: 0.1,
    });
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}
