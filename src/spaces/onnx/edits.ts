// Lists of edits and the graphs they lead to. Edits that have nodes in common are applied in their order; others in the
// order in which their places run, so that one network has one list.
import type { Edited, EditedGraph, Site } from './edited-graph.js';

/** A sequence that is not as the file has it. */
export interface OnnxEdit {
  /** Its place: the first and the last node, `Conv_4..Relu_5`, or one node. */
  readonly at: string;
  /** The option that stands there: `Gelu`, `skip`, `separable3`. */
  readonly to: string;
}

/** Edits in a canonical order; none is the file itself. */
export type OnnxArch = readonly OnnxEdit[];

/** An edit as it was applied. */
interface Step extends OnnxEdit {
  readonly site: Site;
  readonly edited: Edited;
}

/** Why an edit cannot be applied. */
type Refusal = 'twice' | 'no site' | 'no option';

/** Graphs that are kept; the oldest are forgotten. */
const MOST_KEPT = 400;

export class Edits {
  readonly #base: EditedGraph;
  /** Where nodes of the file run, by label. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #kept = new Map<string, readonly Step[]>();

  constructor(base: EditedGraph) {
    this.#base = base;
    this.#places = new Map(base.nodes.map((node, i) => [base.labelOf(node), i]));
  }

  /** The graph after edits in a canonical order. */
  graph(arch: OnnxArch): EditedGraph {
    return this.steps(arch).at(-1)?.edited.graph ?? this.#base;
  }

  /** Applies edits in a canonical order, one after another. */
  steps(arch: OnnxArch): readonly Step[] {
    const last = arch.at(-1);
    if (last === undefined) return [];
    const key = keyOf(arch);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const before = this.steps(arch.slice(0, -1));
    const step = this.#applied(before, last);
    if (typeof step === 'string')
      throw new Error(`'${last.at}' cannot become '${last.to}' after other edits`);
    const steps = [...before, step];
    this.#keep(steps);
    return steps;
  }

  #applied(before: readonly Step[], { at, to }: OnnxEdit): Step | Refusal {
    if (before.some((step) => step.at === at)) return 'twice';
    const graph = before.at(-1)?.edited.graph ?? this.#base;
    const site = graph.sites.get(at);
    if (site === undefined) return 'no site';
    const edited = graph.edited(site, to);
    return edited === undefined ? 'no option' : { at, to, site, edited };
  }

  /**
   * Edits in a canonical order, without those of which a later one leaves nothing.
   *
   * @param refused called with an edit that cannot be applied, which is then left out
   */
  canonical(
    edits: readonly OnnxEdit[],
    refused?: (edit: OnnxEdit, why: Refusal, site?: Site) => void,
  ): OnnxArch {
    let present = edits;
    // Without an edit that left nothing, another one may leave nothing, too.
    for (;;) {
      const found = this.#ordered(withoutReplaced(this.#appliedInTurn(present, refused)));
      const next = found.map(({ at, to }) => ({ at, to }));
      if (keyOf(next) === keyOf(present)) return next;
      present = next;
    }
  }

  #appliedInTurn(edits: readonly OnnxEdit[], refused?: Parameters<Edits['canonical']>[1]): readonly Step[] {
    let steps: readonly Step[] = [];
    for (let i = 0; i < edits.length; i++) {
      const known = this.#kept.get(keyOf(edits.slice(0, i + 1)));
      if (known !== undefined && known.length === i + 1) {
        steps = known;
        continue;
      }
      const step = this.#applied(steps, edits[i]!);
      if (typeof step !== 'string') steps = [...steps, step];
      else refused?.(edits[i]!, step, (steps.at(-1)?.edited.graph ?? this.#base).sites.get(edits[i]!.at));
      if (steps.length === i + 1) this.#keep(steps);
    }
    return steps;
  }

  #keep(steps: readonly Step[]): void {
    if (this.#kept.size >= MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(keyOf(steps), steps);
  }

  /** Of the steps whose predecessors are placed, the one whose place runs first comes next. */
  #ordered(steps: readonly Step[]): Step[] {
    const left = [...steps];
    const ordered: Step[] = [];
    while (left.length > 0) {
      const ready = left.filter(
        (step) => !left.some((other) => other !== step && isBefore(other, step, steps)),
      );
      const next = ready.reduce((a, b) => (this.#compare(a, b) <= 0 ? a : b));
      ordered.push(next);
      left.splice(left.indexOf(next), 1);
    }
    return ordered;
  }

  #compare(a: Step, b: Step): number {
    const place = ({ at }: Step): number => this.#places.get(rootOf(at, this.#places)) ?? 0;
    return place(a) - place(b) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
  }
}

/** Whether a step works on nodes that another one, before it, wrote. */
function isBefore(one: Step, other: Step, steps: readonly Step[]): boolean {
  if (steps.indexOf(one) > steps.indexOf(other)) return false;
  const written = new Set(one.edited.written);
  return other.edited.replaced.some((label) => written.has(label));
}

/** Without steps of which a later one leaves nothing, unless that is named after their nodes. */
function withoutReplaced(steps: readonly Step[]): Step[] {
  const gone = new Set<Step>();
  for (let last = steps.length - 1; last > 0; last--) {
    const later = steps[last]!;
    if (gone.has(later) || later.edited.rule.keepsPart) continue;
    const replaced = new Set(later.edited.replaced);
    const ends = later.at.split('..');
    for (const step of steps.slice(0, last).reverse()) {
      const { written } = step.edited;
      if (!written.every((label) => replaced.has(label)) || ends.some((end) => written.includes(end)))
        continue;
      gone.add(step);
      for (const label of step.edited.replaced) replaced.add(label);
    }
  }
  return steps.filter((step) => !gone.has(step));
}

/** The node of the file that a label goes back to: labels of written nodes begin with that of the first they replaced. */
function rootOf(at: string, places: ReadonlyMap<string, number>): string {
  let label = at.split('..')[0]!;
  while (!places.has(label) && label.includes('/')) label = label.slice(0, label.lastIndexOf('/'));
  return label;
}

export function keyOf(arch: readonly OnnxEdit[]): string {
  return arch.map(({ at, to }) => `${at}=${to}`).join(';');
}
