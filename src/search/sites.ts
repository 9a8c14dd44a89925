// Where two architectures differ, told from their texts. A space only says what a neighbour is; how many choices an
// architecture has, and which of them was made differently, is found by looking.
import type { Space } from '../spaces/space.js';
import { Random } from '../util/random.js';

/** Fields of a text: `192:12:r3,4`, `|a~0|+|b~0|`, `k3e6-k5e3`, `conv3x3/conv1x1`. */
const FIELDS = /[:;|/+-]/;
const ITEMS = /[,\s]+/;
/** Several choices without anything between them: `k3e4k5e6`. */
const RUN_OF_CHOICES = /^(?:[a-z]\d+(?:\.\d+)?)+[a-z]?$/;
const ONE_CHOICE = /[a-z](?:\d+(?:\.\d+)?)?/g;

/** The parts of a text, field by field. */
export function partsOf(text: string): string[][] {
  return text
    .split(FIELDS)
    .map((field) =>
      field.split(ITEMS).flatMap((item) => (RUN_OF_CHOICES.test(item) ? item.match(ONE_CHOICE)! : [item])),
    );
}

/** The place of the first difference; undefined for texts that are the same in all parts. */
export function firstDifference(
  a: readonly (readonly string[])[],
  b: readonly (readonly string[])[],
): string | undefined {
  if (a.length !== b.length) return 'fields';
  for (let field = 0; field < a.length; field++) {
    const [x, y] = [a[field]!, b[field]!];
    if (x.length !== y.length) return `${field} length`;
    const item = x.findIndex((part, i) => part !== y[i]);
    if (item >= 0) return `${field} ${item}`;
  }
  return undefined;
}

/** Draws without anything new that end a collection: with n found of n + 1 equally likely, one is missed in e^10. */
const patienceFor = (found: number): number => 10 * (found + 2);

/** All texts one choice away, as far as drawing finds them, in the order in which they are found. */
export function neighbours<A>(space: Pick<Space<A>, 'mutate' | 'format'>, arch: A, random: Random): A[] {
  const found = new Map<string, A>();
  for (let misses = 0; misses < patienceFor(found.size); misses++) {
    const neighbour = space.mutate(arch, random);
    const text = space.format(neighbour);
    if (found.has(text)) continue;
    found.set(text, neighbour);
    misses = 0;
  }
  return [...found.values()];
}

/**
 * How many choices an architecture has: the number of places at which neighbours first differ from it. For
 * AutoFormer that is 2 + 2·depth, for NAS-Bench-201 it is 6. Always the same for an architecture.
 */
export function choiceCount<A>(space: Pick<Space<A>, 'mutate' | 'format'>, arch: A): number {
  const random = Random.seeded(0);
  const parts = partsOf(space.format(arch));
  const places = new Set<string>();
  for (let misses = 0; misses < patienceFor(places.size); misses++) {
    const place = firstDifference(parts, partsOf(space.format(space.mutate(arch, random)))) ?? '';
    if (places.has(place)) continue;
    places.add(place);
    misses = 0;
  }
  return places.size;
}

/** Draws of a place that was not changed yet; after that, a place is changed twice. */
const PLACE_TRIES = 64;

/** Makes choices differently, one after another, each at a place of its own as long as there is one. */
export function withChanges<A>(
  space: Pick<Space<A>, 'mutate' | 'format'>,
  arch: A,
  changes: number,
  random: Random,
): A {
  const changed = new Set<string>();
  let present = arch;
  let parts = partsOf(space.format(arch));
  for (let i = 0; i < changes; i++) {
    for (let tries = 0; ; tries++) {
      const next = space.mutate(present, random);
      const nextParts = partsOf(space.format(next));
      const place = firstDifference(parts, nextParts) ?? '';
      if (changed.has(place) && tries < PLACE_TRIES) continue;
      changed.add(place);
      present = next;
      parts = nextParts;
      break;
    }
  }
  return present;
}

/** How many of n independent choices are made differently, each with a probability. */
export function binomial(n: number, probability: number, random: Random): number {
  let count = 0;
  for (let i = 0; i < n; i++) count += Number(random.chance(probability));
  return count;
}
