// What follows from the choices that a space states, once for all spaces: neighbours, mutants, children, distances. Texts
// decide whether two architectures are the same; nothing here reads them.
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import type { Choice, Space } from './space.js';

/** What is needed of a space. */
type Chosen<A> = Pick<Space<A>, 'title' | 'choices' | 'cross' | 'format'>;

/** How many choices an architecture has: 6 in NAS-Bench-201, 2 + 2·depth in AutoFormer. */
export function choiceCount<A>(space: Chosen<A>, arch: A): number {
  return stated(space, arch).open.length;
}

/** What a space states of an architecture. Architectures never change. */
interface Stated<A> {
  readonly text: string;
  readonly choices: readonly Choice<A>[];
  /** Those with more than one option. */
  readonly open: readonly Choice<A>[];
}

/** Architectures that are kept with their choices: a population, whose members have many mutants each. */
const MOST_KEPT = 256;

/** By space. Values are read only with the space and the architecture they were stated for. */
const kept = new WeakMap<object, Map<unknown, Stated<never>>>();

function stated<A>(space: Chosen<A>, arch: A): Stated<A> {
  let known = kept.get(space);
  if (known === undefined) {
    known = new Map();
    kept.set(space, known);
  }
  const before = known.get(arch);
  if (before !== undefined) return before as unknown as Stated<A>;
  const choices = space.choices(arch).map(remembering);
  const found = { text: space.format(arch), choices, open: choices.filter(({ count }) => count > 1) };
  if (known.size >= MOST_KEPT) known.delete(known.keys().next().value);
  known.set(arch, found as unknown as Stated<never>);
  return found;
}

/** The same choice; what it makes of the architecture is made once. */
function remembering<A>(choice: Choice<A>): Choice<A> {
  let made: Map<number, A | undefined> | undefined;
  const set = (index: number): A | undefined => {
    if (made?.has(index)) return made.get(index);
    const arch = choice.set(index);
    made ??= new Map();
    made.set(index, arch);
    return arch;
  };
  return { ...choice, set };
}

/** All architectures that are one choice away, each once, in the order of choices and options. */
export function neighbours<A>(space: Chosen<A>, arch: A): A[] {
  const { text: own, choices } = stated(space, arch);
  const seen = new Set([own]);
  const found: A[] = [];
  for (const { count, set } of choices) {
    for (let i = 0; i < count; i++) {
      const neighbour = set(i);
      if (neighbour === undefined) continue;
      const text = space.format(neighbour);
      if (seen.has(text)) continue;
      seen.add(text);
      found.push(neighbour);
    }
  }
  return found;
}

/**
 * One choice made differently: a site that can change, all equally likely, then one of its other options that are allowed.
 * Throws `SPACE_SINGLE` for an architecture without neighbours.
 */
export function mutate<A>(space: Chosen<A>, arch: A, random: Random): A {
  const mutant = mutantOf(space, arch, random);
  if (mutant !== undefined) return mutant;
  throw new AuspexError('SPACE_SINGLE', `'${space.format(arch)}' has no neighbours in ${space.title}`);
}

/** As `mutate`; undefined for an architecture without neighbours. */
export function mutantOf<A>(space: Chosen<A>, arch: A, random: Random): A | undefined {
  const { text, open } = stated(space, arch);
  return drawnUntil(open, random, (choice) => differently(space, text, choice, random));
}

/** What is made of an item that is drawn; of another one, where nothing can be made of it. */
function drawnUntil<T, R>(
  items: readonly T[],
  random: Random,
  make: (item: T) => R | undefined,
): R | undefined {
  // Copied only where the first one is in vain.
  for (let left = items; left.length > 0; ) {
    const at = random.below(left.length);
    const made = make(left[at]!);
    if (made !== undefined) return made;
    left = left.toSpliced(at, 1);
  }
  return undefined;
}

/** Another option of a choice, those that are allowed being equally likely; undefined if there is none. */
function differently<A>(space: Chosen<A>, before: string, choice: Choice<A>, random: Random): A | undefined {
  const others: number[] = [];
  for (let i = 0; i < choice.count; i++) if (choice.option(i) !== choice.present) others.push(i);
  return drawnUntil(others, random, (option) => {
    const made = choice.set(option);
    return made !== undefined && space.format(made) !== before ? made : undefined;
  });
}

/** Draws of which choices change, while none does; the limit is for probabilities near 0. */
const DRAWS = 100;

/** Every choice made differently with a probability, at least one of them. Throws `SPACE_SINGLE` as `mutate` does. */
export function mutateEach<A>(space: Chosen<A>, arch: A, probability: number, random: Random): A {
  const { text: before, open: choices } = stated(space, arch);
  for (let tries = 0; tries < DRAWS; tries++) {
    const sites = drawnSites(choices, probability, random);
    if (sites.size === 0) continue;
    const changed = changedAt(space, arch, sites, random);
    if (space.format(changed) !== before) return changed;
  }
  return mutate(space, arch, random);
}

/** Every choice made differently with a probability; it may be none. */
export function changeEach<A>(space: Chosen<A>, arch: A, probability: number, random: Random): A {
  return changedAt(space, arch, drawnSites(stated(space, arch).open, probability, random), random);
}

function drawnSites<A>(choices: readonly Choice<A>[], probability: number, random: Random): Set<string> {
  return new Set(choices.filter(() => random.chance(probability)).map(({ site }) => site));
}

/**
 * The choices at some sites made differently, in the order of choices, as far as they are still there and can change. Where
 * this makes new sites, as more layers do, nothing was chosen there before: an option is drawn. Not so where choices are
 * edits, which say themselves what comes.
 */
function changedAt<A>(space: Chosen<A>, arch: A, sites: ReadonlySet<string>, random: Random): A {
  if (sites.size === 0) return arch;
  const known = new Set(stated(space, arch).choices.map(({ site }) => site));
  const isDrawn = (site: string): boolean => space.cross === undefined && !known.has(site);
  const done = new Set<string>();
  let present = arch;
  for (;;) {
    const { text, open } = stated(space, present);
    const next = open.find(({ site }) => !done.has(site) && (sites.has(site) || isDrawn(site)));
    if (next === undefined) return present;
    done.add(next.site);
    const made = isDrawn(next.site)
      ? next.set(random.below(next.count))
      : differently(space, text, next, random);
    present = made ?? present;
  }
}

/**
 * A child that has at every site what one of its parents has there, as far as that is allowed, those that others depend on
 * first: with the depth of one parent it may have layers of both. Spaces may have another rule, `cross`.
 */
export function crossover<A>(space: Chosen<A>, a: A, b: A, random: Random): A {
  if (space.cross !== undefined) return space.cross(a, b, random);
  const [choicesA, choicesB] = [stated(space, a).choices, stated(space, b).choices];
  const [fromA, fromB] = [presentAt(choicesA), presentAt(choicesB)];
  const done = new Set<string>();
  const isA = random.chance(0.5);
  let child = isA ? a : b;
  let choices = isA ? choicesA : choicesB;
  for (let at = 0; at < choices.length; at++) {
    const { site, present, count, option, set } = choices[at]!;
    if (done.has(site)) continue;
    done.add(site);
    const [x, y] = [fromA.get(site), fromB.get(site)];
    const wanted = x === undefined || y === undefined ? (x ?? y) : random.chance(0.5) ? x : y;
    if (wanted === undefined || wanted === present) continue;
    for (let i = 0; i < count; i++) {
      const made = option(i) === wanted ? set(i) : undefined;
      if (made === undefined) continue;
      child = made;
      choices = stated(space, child).choices;
      at = -1;
      break;
    }
  }
  return child;
}

function presentAt<A>(choices: readonly Choice<A>[]): Map<string, string | number> {
  return new Map(choices.map(({ site, present }) => [site, present]));
}

/** What an architecture has at its sites. */
type Profile = ReadonlyMap<string, { readonly value: string | number; readonly ordinal: boolean }>;

export function profile<A>(space: Chosen<A>, arch: A): Profile {
  return new Map(
    stated(space, arch)
      .choices.filter(({ isAsOrigin }) => isAsOrigin !== true)
      .map(({ site, present, ordinal = false }) => [site, { value: present, ordinal }] as const),
  );
}

/**
 * How unlike two architectures are, 0 for the same: the sum over sites of |x − y| / max(|x|, |y|) for ordinal options, and of 1
 * for others that differ; a site that only one of them has counts 1.
 */
export function distance<A>(space: Chosen<A>, a: A, b: A): number {
  const [left, right] = [profile(space, a), profile(space, b)];
  let [sum, shared] = [0, 0];
  for (const [site, { value, ordinal }] of left) {
    const other = right.get(site);
    if (other === undefined) continue;
    shared++;
    if (other.value !== value) sum += ordinal ? relativeDifference(Number(value), Number(other.value)) : 1;
  }
  return sum + (left.size - shared) + (right.size - shared);
}

/** Of two numbers that are not the same. */
export function relativeDifference(x: number, y: number): number {
  return Math.abs(x - y) / Math.max(Math.abs(x), Math.abs(y));
}
