import { describe, expect, it } from 'vitest';
import { cellDiagram } from '../plots/cell-diagram.js';
import { elementsOf, expectPlot, pathPoints, textsOf } from '../plots/plots.testing.js';
import { type SearchReport, searchReport } from './search-report.js';

const CELL = {
  ops: ['input', 'conv', 'skip', 'output'],
  adjacency: [
    [0, 1, 1, 1],
    [0, 0, 0, 1],
    [0, 0, 0, 1],
    [0, 0, 0, 0],
  ],
};

const winner = (trial: number, values: readonly number[]): SearchReport['winners'][number] => ({
  trial,
  arch: `arch<${trial}>`,
  values,
  parameters: 12_345,
  macs: 67_890,
  operators: [{ name: 'Conv', count: 3, macs: 67_000 }],
  cell: CELL,
});

const REPORT: SearchReport = {
  space: 'toy',
  settings: [['strategy', 'random']],
  objectives: [
    { name: 'accuracy', better: 'higher' },
    { name: 'latency', better: 'lower' },
  ],
  trials: [
    { arch: 'a', values: [0.5, 3] },
    { arch: 'b', values: undefined },
    { arch: 'c', values: [0.8, 4] },
    { arch: 'd', values: [0.7, 2] },
  ],
  winners: [winner(2, [0.8, 4]), winner(3, [0.7, 2])],
  hypervolume: 1.25,
  version: '0',
};

const plotsOf = (html: string): string[] => html.match(/<svg[\s\S]*?<\/svg>/g) ?? [];

describe('searchReport', () => {
  const html = searchReport(REPORT);

  it('shows how the best value grew, over trials that failed', () => {
    const [curve] = plotsOf(html);
    expectPlot(curve!);
    const line = elementsOf(curve!).find(({ attributes }) => attributes.class === 's0 line')!;
    const heights = pathPoints(line.attributes.d!).map(([, y]) => y);
    expect(heights).toHaveLength(4);
    expect(heights[1]).toBe(heights[0]);
    expect(heights[2]!).toBeLessThan(heights[1]!);
    expect(heights[3]).toBe(heights[2]);
  });

  it('shows the front, and the winners as they are', () => {
    const plots = plotsOf(html);
    expect(plots).toHaveLength(4);
    expectPlot(plots[1]!);
    expect(textsOf(plots[1]!)).toContain('front');
    expect(html).toContain('Hypervolume: 1.25');
    expect(html).toContain('arch&lt;2&gt;');
    expect(html).not.toContain('arch<2>');
    expect(textsOf(plots[2]!)).toEqual(expect.arrayContaining(CELL.ops));
  });

  it('has no front for one objective, and loads nothing', () => {
    const single = searchReport({
      ...REPORT,
      objectives: REPORT.objectives.slice(0, 1),
      winners: [winner(2, [0.8])],
    });
    expect(single).not.toContain('Front');
    expect(single).not.toMatch(/<script|src=|href=|url\(/);
  });
});

describe('cellDiagram', () => {
  it('has a box for every operation and a curve with a head for every edge', () => {
    const elements = elementsOf(cellDiagram(CELL, 'cell'));
    expect(elements.filter(({ attributes }) => attributes.class === 'frame')).toHaveLength(4);
    expect(elements.filter(({ attributes }) => attributes.class === 's0 line')).toHaveLength(2 * 5);
  });

  it('puts every operation to the right of what feeds it', () => {
    // Every box is followed by its name; no two names of this cell are the same.
    const svg = cellDiagram(CELL, 'cell');
    const boxes = [...svg.matchAll(/<rect class="frame" x="([\d.]+)"[^>]*><text[^>]*>([^<]*)</g)];
    const left = CELL.ops.map((op) => Number(boxes.find(([, , name]) => name === op)![1]));
    CELL.adjacency.forEach((row, i) => {
      row.forEach((isEdge, j) => {
        if (isEdge) expect(left[j]!).toBeGreaterThan(left[i]!);
      });
    });
  });
});
