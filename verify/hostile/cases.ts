// The cases of a run. A case is made from the seed of the run and its own number alone, so that any one of
// them can be made again: `--seed 1 --only 4711`.
import { encodeModel } from '../../src/onnx/write.js';
import { Random } from '../../src/util/random.js';
import { BOMBS } from './bombs/index.js';
import { BYTE_MUTATIONS } from './byte-mutations.js';
import { modelOf, pickSeed, type Seed } from './corpus.js';
import { MODEL_MUTATIONS } from './model-mutations.js';
import { randomGraph, randomNode } from './random-nodes.js';

export interface HostileCase {
  readonly index: number;
  /** The kind of mutation, as the table of results has it. */
  readonly kind: string;
  /** What it was made from. */
  readonly from: string;
  readonly bytes: Uint8Array;
}

type Maker = (random: Random, corpus: readonly Seed[]) => { from: string; bytes: Uint8Array };

const MAKERS: ReadonlyMap<string, Maker> = new Map([
  ...Object.entries(BYTE_MUTATIONS).map(([name, mutate]): [string, Maker] => [
    `bytes: ${name}`,
    (random, corpus) => {
      const seed = pickSeed(corpus, random);
      return { from: seed.name, bytes: mutate(seed.bytes, random) };
    },
  ]),
  ...Object.entries(MODEL_MUTATIONS).map(([name, mutate]): [string, Maker] => [
    `model: ${name}`,
    (random, corpus) => {
      const seed = pickSeed(corpus, random);
      return { from: seed.name, bytes: encodeModel(mutate(modelOf(seed), random)) };
    },
  ]),
  ['random: node', (random) => ({ from: 'nothing', bytes: encodeModel(randomNode(random)) })],
  [
    'random: graph',
    (random) => ({ from: 'nothing', bytes: encodeModel(randomGraph(random, random.between(2, 12))) }),
  ],
  ...Object.entries(BOMBS).map(([name, make]): [string, Maker] => [
    `bomb: ${name}`,
    (random) => ({ from: 'nothing', bytes: make(random) }),
  ]),
]);

/** Kinds by how often they come up: random operators find most, bombs are few but heavy. */
const ROUND: readonly string[] = [...MAKERS.keys()].flatMap((kind) =>
  new Array<string>(
    kind.startsWith('random') ? 40 : kind.startsWith('model') ? 4 : kind.startsWith('bytes') ? 5 : 1,
  ).fill(kind),
);

export const KINDS: readonly string[] = [...MAKERS.keys()];

/** The kind of a case, by its number. */
export function kindOf(index: number): string {
  return ROUND[index % ROUND.length]!;
}

/** Makes a case. The same arguments and corpus give the same bytes. */
export function makeCase(seed: number, index: number, corpus: readonly Seed[]): HostileCase {
  const kind = kindOf(index);
  return { index, kind, ...MAKERS.get(kind)!(Random.seeded(seed, index), corpus) };
}
