// Runs of equal siblings: `attention, mlp, attention, mlp, …` becomes one group of equal blocks. Siblings are in the order
// of running; what is equal is told by their labels.
import { type Draft, draftOf, TITLE_LENGTH } from './tree.js';

/** The longest block of siblings that is looked for. */
const LONGEST = 256;
/** Shorter runs are not worth a group. */
const LEAST = { blocks: 3, operators: 6 };

interface Run {
  readonly start: number;
  readonly period: number;
  readonly count: number;
}

/** The children of a group with runs of equal ones folded. Few children are left as they are. */
export function findRepeats(children: readonly Draft[], parent: Draft): Draft[] {
  if (children.length < LEAST.operators) return [...children];
  const runs = chosenRuns(
    children.map(({ label }) => label),
    children,
  );
  if (runs.length === 0) return [...children];
  // A module that is nothing but one run is that run already.
  const [first] = runs;
  if (runs.length === 1 && first!.period === 1 && first!.count === children.length) return [...children];
  const folded: Draft[] = [];
  let at = 0;
  for (const { start, period, count } of runs) {
    folded.push(...children.slice(at, start));
    folded.push(group(children.slice(start, start + period * count), period, count, parent));
    at = start + period * count;
  }
  folded.push(...children.slice(at));
  return folded;
}

function group(members: readonly Draft[], period: number, count: number, parent: Draft): Draft {
  const title = period === 1 ? members[0]!.title : titleOf(members.slice(0, period));
  const run = draftOf('repeat', `${count} × ${title}`.slice(0, TITLE_LENGTH), undefined, {
    order: members[0]!.order,
  });
  run.parent = parent;
  for (let i = 0; i < count; i++) {
    const part = members.slice(i * period, (i + 1) * period);
    let block = part[0]!;
    if (period > 1) {
      block = draftOf('module', `${titleOf(part)} ${i + 1}`.slice(0, TITLE_LENGTH), undefined, {
        order: part[0]!.order,
        label: part.map(({ label }) => label).join('|'),
      });
      for (const one of part) {
        one.parent = block;
        block.children.push(one);
      }
    }
    block.parent = run;
    run.children.push(block);
  }
  run.label = `repeat ${count} ${run.children[0]!.label}`;
  return run;
}

/** The first two kinds in a block. */
function titleOf(members: readonly Draft[]): string {
  const titles = [...new Set(members.map(({ title }) => title))];
  return titles.length > 2 ? `${titles[0]}, ${titles[1]} …` : titles.join(', ');
}

/** The runs that cover most, none of them over another. Of equal cover, the shorter period. */
function chosenRuns(labels: readonly string[], children: readonly Draft[]): Run[] {
  const ids = new Map<string, number>();
  const codes = Int32Array.from(labels, (label) => {
    if (!ids.has(label)) ids.set(label, ids.size);
    return ids.get(label)!;
  });
  const found: Run[] = [];
  const n = codes.length;
  for (let period = 1; period <= Math.min(LONGEST, n >> 1); period++) {
    let equal = 0;
    for (let i = n - period - 1; i >= -1; i--) {
      if (i >= 0 && codes[i] === codes[i + period]) {
        equal++;
        continue;
      }
      const count = Math.floor(equal / period) + 1;
      const start = i + 1;
      if (isWorth(children, start, period, count)) found.push({ start, period, count });
      equal = 0;
    }
  }
  found.sort((a, b) => b.period * b.count - a.period * a.count || a.period - b.period);
  const taken = new Uint8Array(n);
  const chosen: Run[] = [];
  for (const run of found) {
    const end = run.start + run.period * run.count;
    if (taken[run.start] || taken[end - 1] || taken.subarray(run.start, end).includes(1)) continue;
    taken.fill(1, run.start, end);
    chosen.push(run);
  }
  return chosen.sort((a, b) => a.start - b.start);
}

function isWorth(children: readonly Draft[], start: number, period: number, count: number): boolean {
  if (count < LEAST.blocks) return false;
  const isGroup = children[start]!.children.length > 0;
  return period === 1 ? isGroup : period * count >= LEAST.operators;
}
