// What holds for the choices of every space, and for all that follows from them; a part of the conformance suite.
import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { choiceCount, crossover, distance, mutate, mutateEach, neighbours, profile } from './choices.js';
import type { AnySpace } from './space.js';

/** @param samples architectures of the space, the same for the same seed */
export function describeChoices(
  space: AnySpace,
  samples: (count: number, seed?: number) => readonly unknown[],
): void {
  const text = (arch: unknown): string => space.format(arch);
  const expectOfSpace = (arch: unknown): void => expect(space.parse(text(arch))).toEqual(arch);

  describe('its choices', () => {
    it('have sites of their own, and the present option among their options once', () => {
      for (const arch of samples(50)) {
        const choices = space.choices(arch);
        expect(new Set(choices.map(({ site }) => site)).size).toBe(choices.length);
        for (const { present, count, option, set, ordinal } of choices) {
          const options = Array.from({ length: count }, (_, i) => option(i));
          expect(new Set(options).size).toBe(count);
          expect(options).toContain(present);
          expect(set(options.indexOf(present))).toEqual(arch);
          if (ordinal) expect(options.every((each) => typeof each === 'number')).toBe(true);
        }
      }
    });

    it('can be set to every option that is allowed, and then have it', () => {
      for (const arch of samples(10)) {
        const before = text(arch);
        for (const { site, count, option, set } of space.choices(arch)) {
          for (let i = 0; i < count; i++) {
            const made = set(i);
            if (made === undefined) continue;
            expectOfSpace(made);
            // Where choices are edits, sites of another architecture are others.
            if (!space.cross) expect(profile(space, made).get(site)?.value).toBe(option(i));
          }
        }
        expect(text(arch)).toBe(before);
      }
    });

    it('mutate into neighbours, of which none is the architecture itself', () => {
      const random = Random.seeded(3);
      for (const arch of samples(10)) {
        const around = neighbours(space, arch).map(text);
        expect(new Set(around).size).toBe(around.length);
        expect(around).not.toContain(text(arch));
        expect(around.length).toBeGreaterThanOrEqual(choiceCount(space, arch) > 0 ? 1 : 0);
        for (let i = 0; i < 20; i++) expect(around).toContain(text(mutate(space, arch, random)));
      }
    });

    it('mutate at several sites', () => {
      const random = Random.seeded(4);
      for (const arch of samples(20)) {
        for (const probability of [1e-9, 0.1, 0.5, 1]) {
          const mutant = mutateEach(space, arch, probability, random);
          expect(text(mutant)).not.toBe(text(arch));
          expectOfSpace(mutant);
        }
      }
    });

    it('lead from every architecture to every other', () => {
      const random = Random.seeded(5);
      const pool = samples(20, 2);
      pool.slice(1).forEach((target, i) => {
        expect(text(walked(space, pool[i], target, random))).toBe(text(target));
      });
    });

    it('make children of two', () => {
      const random = Random.seeded(6);
      const pool = samples(40);
      pool.forEach((a, i) => {
        const b = pool[(i + 1) % pool.length];
        expectOfSpace(crossover(space, a, b, random));
        expect(text(crossover(space, a, a, random))).toBe(text(a));
      });
      const pairs = pool.map((a, i) => [a, pool[(i + 1) % pool.length]] as const);
      const children = pairs.map(([a, b]) => crossover(space, a, b, random));
      const isNew = children.some((child, i) => !pairs[i]!.some((parent) => text(parent) === text(child)));
      expect(isNew).toBe(true);
    });

    it('say how far apart two are', () => {
      const pool = samples(20);
      for (const a of pool) {
        for (const b of pool) {
          const apart = distance(space, a, b);
          expect(apart === 0).toBe(text(a) === text(b));
          expect(distance(space, b, a)).toBeCloseTo(apart, 10);
        }
        for (const near of neighbours(space, a).slice(0, 50))
          expect(distance(space, a, near)).toBeGreaterThan(0);
      }
    });
  });
}

/** Steps that may lead away from the target, where rules are in the way of the straight one. */
const MAX_DETOURS = 2000;

/** From one architecture to another: the neighbour that is nearest to it, or else, where none is nearer, any one. */
function walked(space: AnySpace, start: unknown, target: unknown, random: Random): unknown {
  let present = start;
  let left = distance(space, present, target);
  for (let detours = 0; left > 0 && detours < MAX_DETOURS; ) {
    const around = space.cross ? neighbours(space, present) : towards(space, present, target);
    const nearest = around
      .map((arch) => ({ arch, left: distance(space, arch, target) }))
      .reduce((a, b) => (b.left < a.left ? b : a), { arch: present, left });
    if (nearest.left === left) {
      nearest.arch = mutate(space, present, random);
      nearest.left = distance(space, nearest.arch, target);
      detours++;
    }
    ({ arch: present, left } = nearest);
  }
  return present;
}

/** The neighbours that have at one site what the target has there. */
function towards(space: AnySpace, arch: unknown, target: unknown): unknown[] {
  const wanted = profile(space, target);
  return space.choices(arch).flatMap(({ site, present, count, option, set }) => {
    const value = wanted.get(site)?.value;
    const place = Array.from({ length: count }, (_, i) => option(i)).indexOf(value ?? present);
    const made = value === undefined || value === present || place < 0 ? undefined : set(place);
    return made === undefined ? [] : [made];
  });
}
