// A space whose values are known everywhere: lists of digits. With it, what strategies must do can be computed.

import { archError } from '../spaces/arch-error.js';
import { elementChoices } from '../spaces/choice.js';
import type { AnySpace, Space } from '../spaces/space.js';
import type { Evaluator, Scorer, Strategy } from './contract.js';
import { runSearch, type SearchOptions, type SearchResult } from './search.js';

export type Digits = readonly number[];

/** `1,0,2`: as many digits as places, each below `options`. */
export function digitSpace(places: number, options: number): Space<Digits> {
  const digits = Array.from({ length: options }, (_, i) => i);
  return {
    name: 'digits',
    title: 'Digits',
    paper: 'none',
    notation: 'digits',
    example: digits.map(() => 0).join(','),
    size: BigInt(options) ** BigInt(places),
    defaults: { resolution: 1, classes: 1, input: 'image' },
    sample: (random) => Array.from({ length: places }, () => random.below(options)),
    choices: (arch) =>
      elementChoices(
        (i) => `digit ${i + 1}`,
        digits,
        arch,
        (changed) => changed,
      ),
    parse: (text) => {
      const arch = text.split(',').map(Number);
      if (arch.length !== places || !arch.every((digit) => digits.includes(digit))) {
        throw archError('digits', text, 'no such digits');
      }
      return arch;
    },
    format: (arch) => arch.join(','),
    network: () => {
      throw new Error('there are no networks of digits');
    },
  };
}

/** The same for lists with the same digits in another order. */
export function unordered(space: Space<Digits>): Space<Digits> {
  return { ...space, hash: (arch) => [...arch].sort().join(',') };
}

/** Every text of a space of digits. */
export function allTexts(places: number, options: number): string[] {
  let texts = [''];
  for (let i = 0; i < places; i++) {
    texts = texts.flatMap((text) =>
      Array.from({ length: options }, (_, d) => (i === 0 ? `${d}` : `${text},${d}`)),
    );
  }
  return texts;
}

export const sumOf = (text: string): number => text.split(',').reduce((sum, digit) => sum + Number(digit), 0);

export interface Counted extends Evaluator {
  /** What was evaluated, in order. */
  readonly asked: string[];
}

export function evaluatorOf(value: (arch: string) => number, better: 'higher' | 'lower' = 'higher'): Counted {
  const asked: string[] = [];
  return {
    name: 'known',
    better,
    asked,
    evaluate: async (arch) => {
      asked.push(arch);
      return value(arch);
    },
  };
}

export function scorerOf(score: (arch: string) => number, better: 'higher' | 'lower' = 'higher'): Scorer {
  return { name: 'known', better, score: async (list) => Float64Array.from(list, score) };
}

/** A search in six digits below 4 unless told otherwise. */
export function searchDigits(
  strategy: Strategy,
  budget: number,
  seed: number,
  more: Partial<SearchOptions> & { readonly space?: AnySpace } = {},
): Promise<SearchResult> {
  return runSearch({
    space: digitSpace(6, 4),
    evaluator: evaluatorOf(sumOf),
    strategy,
    budget,
    seed,
    ...more,
  });
}
