// A cell as a picture: operations as boxes, in columns by how many operations lie before them, edges as curves.
import type { Cell } from '../../spaces/space.js';
import { drawing } from './frame.js';
import { type Point, px, shortened, tag, text } from './svg.js';

const BOX = { width: 118, height: 26 } as const;
const GAP = { x: 42, y: 22 } as const;
const MARGIN = 14;
const TITLE = 28;

/** A node, or the place where an edge passes a column. */
interface Stop {
  readonly node?: number;
  /** What leads to it, in the column before. */
  readonly before: Stop[];
}

/** The cell as a stand-alone SVG document. */
export function cellDiagram({ ops, adjacency }: Cell, title: string): string {
  const { columns, ways } = laidOut(ops.length, adjacency);
  const tallest = Math.max(...columns.map((stops) => stops.length));
  const step = { x: BOX.width + GAP.x, y: BOX.height + GAP.y };
  const width = 2 * MARGIN + columns.length * step.x - GAP.x;
  const height = 2 * MARGIN + TITLE + tallest * step.y - GAP.y;
  const places = new Map<Stop, Point>();
  columns.forEach((stops, column) => {
    const top = MARGIN + TITLE + ((tallest - stops.length) * step.y) / 2;
    for (const [i, stop] of stops.entries()) places.set(stop, [MARGIN + column * step.x, top + i * step.y]);
  });
  const boxes = columns.flat().flatMap((stop) => {
    if (stop.node === undefined) return [];
    const [x, y] = places.get(stop)!;
    const name = shortened(ops[stop.node]!, BOX.width - 8);
    return [
      tag('rect', { class: 'frame', x, y, ...BOX, rx: 4 }),
      text(x + BOX.width / 2, y + BOX.height / 2 + 4, name, { 'text-anchor': 'middle' }),
    ];
  });
  return drawing(
    { width, height, title, description: `A cell of ${ops.length} nodes: ${ops.join(', ')}.` },
    text(MARGIN, 24, shortened(title, width - 2 * MARGIN, 14), { class: 'title' }),
    ...ways.map((way) => edge(way.map((stop) => places.get(stop)!))),
    ...boxes,
  );
}

interface Layout {
  readonly columns: readonly (readonly Stop[])[];
  /** Every edge from its beginning to its end, with where it passes between them. */
  readonly ways: readonly (readonly Stop[])[];
}

/** Nodes in columns by the longest way that leads to them; edges have a place in every column that they pass. */
function laidOut(count: number, adjacency: Cell['adjacency']): Layout {
  const depths = new Array<number>(count).fill(0);
  for (let j = 0; j < count; j++) {
    for (let i = 0; i < j; i++) if (adjacency[i]![j]) depths[j] = Math.max(depths[j]!, depths[i]! + 1);
  }
  const columns = Array.from({ length: Math.max(...depths) + 1 }, (): Stop[] => []);
  const nodes = depths.map((depth, node) => {
    const stop: Stop = { node, before: [] };
    columns[depth]!.push(stop);
    return stop;
  });
  const ways: Stop[][] = [];
  for (const [i, from] of nodes.entries()) {
    for (const [j, to] of nodes.entries()) {
      if (!adjacency[i]![j]) continue;
      const way = [from];
      for (let column = depths[i]! + 1; column < depths[j]!; column++) {
        const passing: Stop = { before: [way.at(-1)!] };
        columns[column]!.push(passing);
        way.push(passing);
      }
      to.before.push(way.at(-1)!);
      ways.push([...way, to]);
    }
  }
  return { columns: untangled(columns), ways };
}

/** Each column in the order of what leads to it, so that fewer edges cross. */
function untangled(columns: readonly (readonly Stop[])[]): Stop[][] {
  const heights = new Map<Stop, number>();
  return columns.map((stops) => {
    const wanted = new Map(
      stops.map((stop, i) => {
        const above = stop.before.map((each) => heights.get(each) ?? 0);
        return [stop, above.length === 0 ? i : above.reduce((sum, h) => sum + h, 0) / above.length];
      }),
    );
    const sorted = stops.toSorted((a, b) => wanted.get(a)! - wanted.get(b)!);
    for (const [i, stop] of sorted.entries()) heights.set(stop, i - (sorted.length - 1) / 2);
    return sorted;
  });
}

/** From the right of a box to the left of another, straight through the columns between them. */
function edge(places: readonly Point[]): string {
  const middle = BOX.height / 2;
  const [first, ...others] = places;
  const parts = [`M${px(first![0] + BOX.width)} ${px(first![1] + middle)}`];
  let [x, y] = [first![0] + BOX.width, first![1] + middle];
  for (const [i, [left, top]] of others.entries()) {
    const half = (left - x) / 2;
    parts.push(
      `C${px(x + half)} ${px(y)} ${px(left - half)} ${px(top + middle)} ${px(left)} ${px(top + middle)}`,
    );
    [x, y] = [left, top + middle];
    if (i === others.length - 1) continue;
    x += BOX.width;
    parts.push(`H${px(x)}`);
  }
  const head = `M${px(x - 6)} ${px(y - 3.5)}L${px(x)} ${px(y)}L${px(x - 6)} ${px(y + 3.5)}`;
  return [
    tag('path', { class: 's0 line', d: parts.join('') }),
    tag('path', { class: 's0 line', d: head }),
  ].join('');
}
