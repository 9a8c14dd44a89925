// A space whose values are known everywhere: lists of digits. With it, what strategies must do can be computed.

import { ArchNetwork, type Network } from '../networks/index.js';
import { archError } from '../spaces/arch-error.js';
import { elementChoices } from '../spaces/choice.js';
import type { AnySpace, Space } from '../spaces/space.js';
import type { Embedding, Evaluator, Outcome, Scorer, Strategy } from './contract.js';
import { oneByOne } from './evaluating.js';
import { runSearch, type SearchOptions, type SearchResult } from './run.js';

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

/** The text of a network of a search. */
export const textOf = (network: Network): string => network.arch!.text;

/** Networks of texts; of any texts, as what they are of is never looked at. */
export const networksOfTexts = (texts: readonly string[]): Network[] =>
  texts.map((text) => new ArchNetwork({ ...digitSpace(1, 1), format: () => text }, text));

export function evaluatorOf(value: (arch: string) => number, better: 'higher' | 'lower' = 'higher'): Counted {
  const asked: string[] = [];
  const one = oneByOne({ name: 'known', objectives: [{ name: 'known', better }] }, async (network) => {
    asked.push(textOf(network));
    return [value(textOf(network))];
  });
  return { ...one, asked };
}

/** What an evaluator gives for networks, in their order. */
export async function outcomesOf(
  evaluator: Evaluator,
  networks: readonly Network[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const group of evaluator.evaluate(networks, new AbortController().signal)) {
    for (const { place, outcome } of group) outcomes[place] = outcome;
  }
  return outcomes;
}

export function scorerOf(score: (arch: string) => number, better: 'higher' | 'lower' = 'higher'): Scorer {
  return {
    name: 'known',
    better,
    score: async (list) => Float64Array.from(list, (network) => score(textOf(network))),
  };
}

/** The digits themselves; those of a network that cannot be embedded are NaN. */
export const digitEmbedding: Embedding = {
  name: 'digits',
  embed: async (networks) => {
    const rows = networks.map((network) => textOf(network).split(',').map(Number));
    return { rows: rows.length, width: rows[0]!.length, data: Float64Array.from(rows.flat()) };
  },
};

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
