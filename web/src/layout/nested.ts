// The drawing of a tree of groups: an open group is a box around the drawing of what is in it, a closed one a single box.
// Each group is laid out by itself, once for each way in which the groups inside are open, so that opening one costs little.
import type { Tree } from '../engine/protocol.js';
import { layered } from './layered.js';

/** Boxes and lines, ready to be drawn. All of it can be sent between threads. */
export interface Drawing {
  /** Items that are seen, parents before children. */
  readonly items: Int32Array;
  /** For each: left, top, width, height. */
  readonly boxes: Float32Array;
  /** For each: 1 if it is an open group. */
  readonly isOpen: Uint8Array;
  /** Points of all lines, one after another. */
  readonly points: Float32Array;
  /** Where each line begins in `points`, in pairs; one more at the end. */
  readonly starts: Int32Array;
  /** For each line: the items it joins, and how many edges it stands for. */
  readonly joins: Int32Array;
  readonly width: number;
  readonly height: number;
}

const GAP = { x: 24, y: 34 };
const PADDING = { side: 18, top: 34, bottom: 18 };
const CHARACTER = { title: 7.4, detail: 6 };
const NODE = { least: 72, most: 260, height: 38, low: 26 };
/** Of one group, no more children than this are drawn. */
export const MOST_CHILDREN = 30_000;

/** An edge between two children of a group. */
interface Lifted {
  readonly a: number;
  readonly b: number;
  count: number;
}

/** What is inside of an open group: places relative to its content. */
interface Inside {
  readonly key: string;
  readonly children: readonly number[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly widths: Float64Array;
  readonly heights: Float64Array;
  readonly lines: readonly {
    readonly a: number;
    readonly b: number;
    readonly count: number;
    readonly bends: readonly number[];
  }[];
  readonly width: number;
  readonly height: number;
}

export class NestedLayout {
  readonly #tree: Tree;
  readonly #children: number[][];
  readonly #lifted = new Map<number, Map<string, Lifted>>();
  readonly #kept = new Map<number, Inside>();

  constructor(tree: Tree) {
    this.#tree = tree;
    const { parents, edges } = tree;
    this.#children = Array.from(parents, () => []);
    for (let id = 1; id < parents.length; id++) this.#children[parents[id]!]!.push(id);
    const depth = new Int32Array(parents.length);
    for (let id = 1; id < parents.length; id++) depth[id] = depth[parents[id]!]! + 1;
    for (let e = 0; e < edges.length; e += 2) this.#lift(edges[e]!, edges[e + 1]!, depth);
  }

  draw(open: ReadonlySet<number>): Drawing {
    const inside = this.#inside(0, open);
    const items: number[] = [];
    const boxes: number[] = [];
    const isOpen: number[] = [];
    const points: number[] = [];
    const starts: number[] = [];
    const joins: number[] = [];
    const place = (of: Inside, left: number, top: number): void => {
      of.children.forEach((child, i) => {
        const [x, y] = [left + of.x[i]! - of.widths[i]! / 2, top + of.y[i]! - of.heights[i]! / 2];
        items.push(child);
        boxes.push(x, y, of.widths[i]!, of.heights[i]!);
        const isGroup = this.#isOpen(child, open);
        isOpen.push(isGroup ? 1 : 0);
        if (isGroup) place(this.#inside(child, open), x + PADDING.side, y + PADDING.top);
      });
      for (const { a, b, count, bends } of of.lines) {
        starts.push(points.length / 2);
        const isBack = of.y[a]! >= of.y[b]!;
        points.push(left + of.x[a]!, top + of.y[a]! + (isBack ? -1 : 1) * (of.heights[a]! / 2));
        for (let k = 0; k < bends.length; k += 2) points.push(left + bends[k]!, top + bends[k + 1]!);
        points.push(left + of.x[b]!, top + of.y[b]! - (isBack ? -1 : 1) * (of.heights[b]! / 2));
        joins.push(of.children[a]!, of.children[b]!, count);
      }
    };
    place(inside, 0, 0);
    starts.push(points.length / 2);
    return {
      items: Int32Array.from(items),
      boxes: Float32Array.from(boxes),
      isOpen: Uint8Array.from(isOpen),
      points: Float32Array.from(points),
      starts: Int32Array.from(starts),
      joins: Int32Array.from(joins),
      width: inside.width,
      height: inside.height,
    };
  }

  #isOpen(id: number, open: ReadonlySet<number>): boolean {
    return open.has(id) && this.#children[id]!.length > 0;
  }

  /** An edge is drawn between those ancestors of its ends that are siblings. */
  #lift(from: number, to: number, depth: Int32Array): void {
    const { parents } = this.#tree;
    let [a, b] = [from, to];
    while (depth[a]! > depth[b]!) a = parents[a]!;
    while (depth[b]! > depth[a]!) b = parents[b]!;
    while (parents[a] !== parents[b]) [a, b] = [parents[a]!, parents[b]!];
    // Into a group from the node that it belongs to.
    if (a === b) return;
    const group = parents[a]!;
    let lifted = this.#lifted.get(group);
    if (lifted === undefined) {
      lifted = new Map();
      this.#lifted.set(group, lifted);
    }
    const key = `${a} ${b}`;
    const known = lifted.get(key);
    if (known) known.count++;
    else lifted.set(key, { a, b, count: 1 });
  }

  /** Which groups inside are open, as a text. */
  #key(group: number, open: ReadonlySet<number>): string {
    let key = '';
    for (const child of this.#children[group]!) {
      if (this.#isOpen(child, open)) key += `${child}(${this.#key(child, open)})`;
    }
    return key;
  }

  #inside(group: number, open: ReadonlySet<number>): Inside {
    const key = this.#key(group, open);
    const kept = this.#kept.get(group);
    if (kept?.key === key) return kept;
    const children = this.#children[group]!.slice(0, MOST_CHILDREN);
    const widths = new Float64Array(children.length);
    const heights = new Float64Array(children.length);
    children.forEach((child, i) => {
      [widths[i], heights[i]] = this.#size(child, open);
    });
    const place = new Map(children.map((child, i) => [child, i]));
    const lines = [...(this.#lifted.get(group)?.values() ?? [])].flatMap(({ a, b, count }) => {
      const [from, to] = [place.get(a), place.get(b)];
      return from === undefined || to === undefined ? [] : [{ a: from, b: to, count }];
    });
    const order = children.map((child) => this.#tree.order[child]!);
    const found = layered({
      ...{ widths, heights, order, gapX: GAP.x, gapY: GAP.y },
      edges: lines.flatMap(({ a, b }) => [a, b]),
    });
    const made: Inside = {
      ...{ key, children, widths, heights },
      ...{ x: found.x, y: found.y, width: found.width, height: found.height },
      lines: lines.map((line, e) => ({ ...line, bends: found.bends[e]! })),
    };
    this.#kept.set(group, made);
    return made;
  }

  #size(id: number, open: ReadonlySet<number>): [width: number, height: number] {
    const { titles, details, kinds } = this.#tree;
    const wanted =
      Math.max(titles[id]!.length * CHARACTER.title, details[id]!.length * CHARACTER.detail) + 24;
    const width = Math.round(Math.min(NODE.most, Math.max(NODE.least, wanted)));
    if (this.#isOpen(id, open)) {
      const inside = this.#inside(id, open);
      return [
        Math.max(inside.width + 2 * PADDING.side, Math.min(width, NODE.most)),
        inside.height + PADDING.top + PADDING.bottom,
      ];
    }
    return [width, kinds[id] === 'operator' && details[id] === '' ? NODE.low : NODE.height];
  }
}
