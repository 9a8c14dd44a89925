// A search space: a set of networks that are written down as short texts. What every space can do; one file a
// space, one conformance suite (`conformance.testing.ts`) for all of them.
import type { Model } from '../graph/graph.js';
import type { Random } from '../util/random.js';

/** Sizes of a network that are not part of its architecture; the paper's own unless told. */
export interface NetworkOptions {
  /** Height and width of input images; for language models the number of tokens. */
  readonly resolution?: number;
  /** Widths of all hidden layers are this many times the paper's. */
  readonly width?: number;
  /** Outputs: classes of images, or the vocabulary of a language model. */
  readonly classes?: number;
  /** Images (or texts) at once. */
  readonly batch?: number;
  /** Seeds the weights. */
  readonly seed?: number;
}

/** A network as a small graph of operations, as predictors of cells see it. */
export interface Cell {
  /** Operations in topological order, the input first and the output last. */
  readonly ops: readonly string[];
  /** `adjacency[i][j]` is 1 where i feeds j. */
  readonly adjacency: readonly (readonly number[])[];
}

/** The sizes a space's networks have by default. */
export interface SpaceDefaults {
  readonly resolution: number;
  readonly classes: number;
  /** The shape of the input for a batch of 1: images (1, C, H, W) or tokens (1, n). */
  readonly input: 'image' | 'tokens';
}

/**
 * A set of architectures of type A.
 *
 * @example
 * const random = Random.seeded(1);
 * const arch = nasBench201.sample(random);
 * nasBench201.format(arch); // '|nor_conv_3x3~0|+|…'
 * const model = nasBench201.network(arch);
 */
export interface Space<A> {
  /** As commands take it, such as `nasbench201`. */
  readonly name: string;
  /** As people write it, such as `NAS-Bench-201`. */
  readonly title: string;
  /** Where it was published. */
  readonly paper: string;
  /** How its texts read, in one or two sentences. */
  readonly notation: string;
  /** A text of the space. */
  readonly example: string;
  /** How many architectures there are, texts that mean the same network counted once each. */
  readonly size: bigint | undefined;
  readonly defaults: SpaceDefaults;
  sample(random: Random): A;
  /** A neighbour: one choice made differently. Never the architecture itself. */
  mutate(arch: A, random: Random): A;
  /** A child that takes every choice from one of its parents. */
  crossover(a: A, b: A, random: Random): A;
  /** Throws an AuspexError `ARCH_TEXT` that says what is wrong, and where in the text. */
  parse(text: string): A;
  format(arch: A): string;
  /** The same for architectures that are the same network up to the order of their parts; the text unless given. */
  hash?(arch: A): string;
  cell?(arch: A): Cell;
  /** The cell without operations that have no part in the result; `cell` where there is none of this. */
  prunedCell?(arch: A): Cell;
  /** Every name that an operation of `cell` can have, in a fixed order; there is one where there are cells. */
  readonly vocabulary?: readonly string[];
  /** The most nodes that a cell has; given where there are cells. */
  readonly largestCell?: number;
  network(arch: A, options?: NetworkOptions): Model;
}

/** A space whatever its architectures are. */
// biome-ignore lint/suspicious/noExplicitAny: spaces are kept in one list, each with architectures of its own
export type AnySpace = Space<any>;
