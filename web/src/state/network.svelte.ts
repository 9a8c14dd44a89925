// One network that is open: what is known of it, at which sizes, and what of it is seen.
import type {
  ChosenKnobs,
  CountColumns,
  Described,
  MeasuredHere,
  NodeShares,
  NodeTimes,
  PredictedHere,
  Problem,
  Timeline,
  Totals,
} from '../engine/protocol.js';
import type { Drawing } from '../layout/nested.js';
import { LayoutClient } from './layout-client.js';
import { overlayNamed } from './overlays.js';

export class OpenNetwork {
  readonly id: number;
  readonly described: Described;
  readonly tree: Described['tree'];
  /** Milliseconds of the latest layout. */
  layoutMs = $state(0);
  counts = $state.raw<CountColumns>() as CountColumns;
  outputs = $state.raw<readonly string[]>([]);
  totals = $state.raw<Totals>() as Totals;
  timeline = $state.raw<Timeline | undefined>();
  chosen = $state.raw<ChosenKnobs>({});
  sizesProblem = $state.raw<Problem | undefined>();
  open = $state.raw<ReadonlySet<number>>(new Set());
  drawing = $state.raw<Drawing | undefined>();
  /** An item of the tree. */
  selected = $state<number | undefined>();
  /** The item of the node that the network's error names. */
  readonly faulty: number | undefined;
  overlayName = $state('');
  times = $state.raw<NodeTimes | undefined>();
  /** Overlays that were computed, by name. */
  shares = $state.raw<Readonly<Record<string, NodeShares>>>({});
  /** The device of the overlay of latency. */
  device = $state('');
  predicted = $state.raw<PredictedHere | undefined>();
  /** In this browser, by runtime. */
  measured = $state.raw<readonly MeasuredHere[]>([]);
  readonly #layout: LayoutClient;
  readonly #children: readonly number[][];

  constructor(described: Described) {
    this.id = described.id;
    this.described = described;
    this.tree = described.tree;
    this.counts = described.nodes.counts;
    this.outputs = described.nodes.outputs;
    this.totals = described.totals;
    this.timeline = described.timeline;
    this.#layout = new LayoutClient(described.tree);
    const { parents } = described.tree;
    const children: number[][] = Array.from(parents, () => []);
    for (let id = 1; id < parents.length; id++) children[parents[id]!]!.push(id);
    this.#children = children;
    this.setOpen(new Set(described.tree.open));
    const fault = described.problem?.node;
    const row = fault === undefined ? -1 : described.nodes.names.indexOf(fault);
    this.faulty = row < 0 ? undefined : this.itemOfRow(row);
    if (this.faulty !== undefined) this.reveal(this.faulty);
  }

  get overlay() {
    return overlayNamed(this.overlayName);
  }

  /** The overlay's value of every item; groups have the sum of what is in them. */
  overlayValues = $derived.by(() => {
    const values = this.overlay?.values(this);
    if (values === undefined) return undefined;
    const { parents, rows } = this.tree;
    const sums = new Float64Array(parents.length);
    for (let id = parents.length - 1; id > 0; id--) {
      const value = rows[id]! >= 0 ? values[rows[id]!]! : 0;
      if (!Number.isNaN(value)) sums[id]! += value;
      sums[parents[id]!]! += sums[id]!;
    }
    return sums;
  });

  children(id: number): readonly number[] {
    return this.#children[id]!;
  }

  isGroup(id: number): boolean {
    return this.#children[id]!.length > 0;
  }

  setOpen(open: ReadonlySet<number>): void {
    this.open = open;
    void this.#layout.draw(open).then(({ drawing, milliseconds }) => {
      this.drawing = drawing;
      this.layoutMs = milliseconds;
    });
  }

  toggle(id: number): void {
    if (!this.isGroup(id)) return;
    const open = new Set(this.open);
    if (open.has(id)) open.delete(id);
    else open.add(id);
    this.setOpen(open);
  }

  openAll(): void {
    this.setOpen(new Set(this.#children.flatMap((list, id) => (list.length > 0 ? [id] : []))));
  }

  closeAll(): void {
    this.setOpen(new Set([0]));
  }

  /** Opens all groups around an item, and selects it. */
  reveal(id: number): void {
    const open = new Set(this.open);
    const before = open.size;
    for (let at = this.tree.parents[id]!; at >= 0; at = this.tree.parents[at]!) open.add(at);
    if (open.size !== before) this.setOpen(open);
    this.selected = id;
  }

  /** The item of a row of the table of nodes. */
  itemOfRow(row: number): number | undefined {
    const id = this.tree.rows.indexOf(row);
    return id < 0 ? undefined : id;
  }

  dispose(): void {
    this.#layout.close();
  }
}
