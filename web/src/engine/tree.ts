// The tree that is drawn: operators in the modules that the exporter's names tell, bodies of control flow inside their
// nodes, and runs of equal siblings as one group ("12 × this block").
import { blockPath } from '../../../src/analysis/blocks.js';
import type { NodeCost } from '../../../src/analysis/cost.js';
import type { InferredGraph, InferredNode } from '../../../src/analysis/infer.js';
import { formatType } from '../../../src/graph/types.js';
import { traitsOf } from '../../../src/ops/index.js';
import { printableStart } from '../../../src/util/printable.js';
import { classOf, detailOf } from './node-detail.js';
import type { ItemKind, Tree } from './protocol.js';
import { findRepeats } from './repeats.js';

/** More operators than this are not drawn. */
const MOST_ITEMS = 200_000;
/** Groups are opened at first until so many items are seen. */
const SEEN_AT_FIRST = 48;
export const TITLE_LENGTH = 60;

/** An item while the tree is made. */
export interface Draft {
  readonly kind: ItemKind;
  title: string;
  detail: string;
  readonly row: number;
  /** What kind of operator it is; see `OPERATOR_CLASSES`. */
  readonly of: number;
  /** Equal for items that are built alike. */
  label: string;
  order: number;
  parent: Draft | undefined;
  children: Draft[];
  id: number;
}

export function draftOf(
  kind: ItemKind,
  title: string,
  parent: Draft | undefined,
  more: Partial<Draft> = {},
): Draft {
  const draft = {
    kind,
    title,
    detail: '',
    row: -1,
    of: 0,
    label: '',
    order: -1,
    parent,
    children: [],
    id: -1,
    ...more,
  };
  parent?.children.push(draft);
  return draft;
}

interface Edge {
  readonly from: Draft;
  readonly to: Draft;
  readonly value: string;
}

/** @param rowOf rows of the table of nodes */
export function treeOf(graph: InferredGraph, costs: readonly NodeCost[]): Tree {
  const rowOf = new Map<InferredNode, number>();
  const costOf = new Map<InferredNode, NodeCost>();
  costs.forEach((cost, row) => {
    rowOf.set(cost.inferred, row);
    costOf.set(cost.inferred, cost);
  });
  const root = draftOf('root', '', undefined);
  const edges: Edge[] = [];
  let items = 0;
  let omitted = 0;
  let order = 0;

  const addGraph = (
    of: InferredGraph,
    into: Draft,
    outer: ReadonlyMap<string, Draft>[],
    isMain: boolean,
  ): void => {
    const producers = new Map<string, Draft>();
    const scopes = [producers, ...outer];
    const modules = new Map<string, Draft>();
    const typeText = (name: string): string => formatType(of.types.get(name));
    if (isMain) {
      for (const name of of.inputNames) {
        if (of.initializers.has(name)) continue;
        const title = printableStart(name, TITLE_LENGTH);
        const detail = printableStart(typeText(name), TITLE_LENGTH);
        producers.set(
          name,
          draftOf('input', title, into, { detail, order: order++, label: `input ${detail}` }),
        );
      }
    }
    for (const inferred of of.nodes) {
      const { node, call } = inferred;
      if (traitsOf(node)?.isConstant) continue;
      if (items >= MOST_ITEMS) {
        omitted++;
        continue;
      }
      items++;
      const cost = costOf.get(inferred);
      const path = isMain && cost !== undefined ? blockPath(cost) : [];
      const parent = moduleAt(into, path, modules);
      const hasBodies = call.bodies.length > 0;
      const detail = printableStart(detailOf(inferred), TITLE_LENGTH);
      const item = draftOf(
        hasBodies ? 'body' : 'operator',
        printableStart(node.opType, TITLE_LENGTH),
        parent,
        {
          detail,
          row: rowOf.get(inferred) ?? -1,
          of: classOf(inferred),
          order: order++,
          label: `${node.domain} ${node.opType} ${detail} ${formatType(call.outputs[0])}`,
        },
      );
      const target = item;
      for (const name of new Set(node.inputs)) {
        if (name === '') continue;
        const from = scopes.find((scope) => scope.has(name))?.get(name);
        if (from !== undefined) edges.push({ from, to: target, value: valueText(name, typeText(name)) });
      }
      for (const name of node.outputs) if (name !== '') producers.set(name, item);
      for (const body of call.bodies) addGraph(body.graph as InferredGraph, item, scopes, false);
    }
    if (isMain) {
      of.outputNames.forEach((name, i) => {
        const detail = printableStart(formatType(of.outputTypes[i]), TITLE_LENGTH);
        const title = printableStart(name, TITLE_LENGTH);
        const item = draftOf('output', title, into, { detail, order: order++, label: `output ${detail}` });
        const from = producers.get(name);
        if (from !== undefined) edges.push({ from, to: item, value: valueText(name, detail) });
      });
    }
  };
  addGraph(graph, root, [], true);
  finish(root);
  return flat(root, edges, omitted);
}

function valueText(name: string, type: string): string {
  return printableStart(`${name}: ${type}`, 2 * TITLE_LENGTH);
}

function moduleAt(into: Draft, path: readonly string[], modules: Map<string, Draft>): Draft {
  let at = into;
  let key = '';
  for (const part of path) {
    key += `/${part}`;
    let next = modules.get(key);
    if (next === undefined) {
      // `body` has the parts 0, 1, 2 …
      const title =
        /^\d+$/.test(part) && at.kind === 'module' ? `${at.title.split('/').at(-1)}.${part}` : part;
      next = draftOf('module', printableStart(title, TITLE_LENGTH), at);
      modules.set(key, next);
    }
    at = next;
  }
  return at;
}

/** From the inside out: groups get their order and label, modules of one part are dissolved, equal siblings folded. */
function finish(draft: Draft): void {
  for (const child of draft.children) finish(child);
  draft.children = draft.children.map((child) => {
    const [only] = child.children;
    if (child.kind !== 'module' || child.children.length !== 1 || only === undefined) return child;
    only.parent = draft;
    if (only.kind === 'module') only.title = printableStart(`${child.title}/${only.title}`, TITLE_LENGTH);
    return only;
  });
  if (draft.children.length > 0) {
    draft.children.sort((a, b) => a.order - b.order);
    draft.children = findRepeats(draft.children, draft);
    if (draft.order < 0 || draft.kind !== 'body') draft.order = draft.children[0]!.order;
    draft.label = shortLabel(`${draft.kind} ${draft.children.map(({ label }) => label).join('|')}`);
  }
}

/** Labels of groups contain those of all that is in them: long ones become a number. */
function shortLabel(text: string): string {
  if (text.length < 200) return text;
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b + text.charCodeAt(i), 0x85ebca6b) ^ (b >>> 13);
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}.${text.length}`;
}

function flat(root: Draft, edges: readonly Edge[], omitted: number): Tree {
  const all: Draft[] = [];
  const queue: Draft[] = [root];
  for (let i = 0; i < queue.length; i++) {
    const draft = queue[i]!;
    draft.id = all.length;
    all.push(draft);
    for (const child of draft.children) queue.push(child);
  }
  const sizes = new Int32Array(all.length);
  for (let id = all.length - 1; id >= 0; id--) {
    const { kind, parent } = all[id]!;
    if (kind === 'operator' || kind === 'body') sizes[id]! += 1;
    if (parent) sizes[parent.id]! += sizes[id]!;
  }
  const kept = edges.filter(({ from, to }) => from.id >= 0 && to.id >= 0 && from !== to);
  return {
    kinds: all.map(({ kind }) => kind),
    titles: all.map(({ title }) => title),
    details: all.map((draft) => draft.detail || groupDetail(draft, sizes[draft.id]!)),
    parents: Int32Array.from(all, ({ parent }) => parent?.id ?? -1),
    rows: Int32Array.from(all, ({ row }) => row),
    classes: Uint8Array.from(all, ({ of }) => of),
    order: Int32Array.from(all, ({ order }) => order),
    sizes,
    edges: Int32Array.from(kept.flatMap(({ from, to }) => [from.id, to.id])),
    values: kept.map(({ value }) => value),
    open: openAtFirst(root),
    omitted,
  };
}

function groupDetail({ kind, children }: Draft, size: number): string {
  if (children.length === 0) return '';
  return kind === 'repeat' ? `${size} operators` : size === 1 ? '1 operator' : `${size} operators`;
}

/** Level by level, those that fit; runs of equal blocks stay closed. */
function openAtFirst(root: Draft): number[] {
  const open = [root.id];
  let seen = root.children.length;
  const queue = [...root.children];
  for (let i = 0; i < queue.length; i++) {
    const draft = queue[i]!;
    if (draft.children.length === 0 || draft.kind !== 'module') continue;
    if (seen + draft.children.length > SEEN_AT_FIRST) continue;
    seen += draft.children.length;
    open.push(draft.id);
    queue.push(...draft.children);
  }
  return open;
}
