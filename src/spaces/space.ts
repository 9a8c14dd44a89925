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
  /** Cells of a stage, for spaces that stack cells (`defaults.cells`). */
  readonly cells?: number;
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

/** One of the choices that an architecture is made of, with all its options. */
export interface Choice<A> {
  /** Where it is made, such as `stage 2 layer 1 kernel`: the same in all architectures that have it. */
  readonly site: string;
  /** The option that the architecture has; always one of the options. */
  readonly present: string | number;
  /** Options are numbers, of which near ones are alike. */
  readonly ordinal?: true;
  /** It is made as in the space's origin, and does not count in distances. */
  readonly isAsOrigin?: true;
  /** How many options there are, the present one among them. */
  readonly count: number;
  /** @param i from 0 to count − 1 */
  option(i: number): string | number;
  /**
   * The architecture with option i, and what must follow from it: more layers repeat the last one, what no longer fits is
   * changed to what fits. For the present option an equal architecture; undefined where the option is not allowed.
   */
  set(i: number): A | undefined;
}

/** How large an architecture is, as its space counts it: 14 layers, 7 vertices. */
export interface ArchitectureSize {
  /** What is counted, in the plural. */
  readonly unit: string;
  readonly value: number;
}

/** The widths of a transformer, block by block. */
interface TransformerSizes {
  /** Of the residual stream. */
  readonly widths: readonly number[];
  /** Of all heads together. */
  readonly qkvWidths: readonly number[];
  /** How many tokens go through a block. */
  readonly tokens: number;
}

/** What the operations of a space's cells are, and where they stand; features of cells are made from it. */
export interface CellOperations {
  readonly names: readonly string[];
  /** The ends of the edges that have operations, in the order of a cell's nodes; undefined where nodes have them. */
  readonly edges?: readonly (readonly [from: number, to: number])[];
}

/** What an architecture has in the place of a part of the space's origin, or of what an earlier change wrote. */
interface ArchitectureChange {
  /** The rule that was applied, and what it was made into. */
  readonly rule: string;
  readonly to: string;
  /** Names of nodes. */
  readonly replaced: readonly string[];
  readonly written: readonly string[];
}

/** The sizes a space's networks have by default. */
export interface SpaceDefaults {
  readonly resolution: number;
  readonly classes: number;
  /** How often a stage repeats the cell; given where `NetworkOptions.cells` is heeded. */
  readonly cells?: number;
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
  /** The architecture that all others are changes of, for spaces that are made from one network. */
  readonly origin?: A;
  /** How an architecture differs from the origin. */
  changes?(arch: A): readonly ArchitectureChange[];
  sample(random: Random): A;
  /**
   * All choices of an architecture, those that others depend on first. `choices.ts` makes neighbours, mutants, children and
   * distances of them.
   */
  choices(arch: A): readonly Choice<A>[];
  /** A child of two, for spaces whose choices are edits, so that a site means another thing in another architecture. */
  cross?(a: A, b: A, random: Random): A;
  /** Throws an AuspexError `ARCH_TEXT` that says what is wrong, and where in the text. */
  parse(text: string): A;
  format(arch: A): string;
  /** The same for architectures that are the same network up to the order of their parts; the text unless given. */
  hash?(arch: A): string;
  /** What tells networks apart as `hash` does, where there is a faster way; it may change from version to version. */
  key?(arch: A): string;
  /** Texts tell networks apart as well as hashes do, so that nobody has to compute these for it. */
  readonly hasCanonicalTexts?: true;
  /** What splits by size group rows by. */
  sizeOf?(arch: A): ArchitectureSize;
  /** Given for transformers. @param resolution tokens of a text or the side of an image */
  transformerSizes?(arch: A, resolution: number): TransformerSizes;
  cell?(arch: A): Cell;
  /** The architecture of a cell; undefined where it is a cell of none. Undoes `cell`, up to the order of nodes. */
  fromCell?(cell: Cell): A | undefined;
  /**
   * The cell without operations that have no part in the result, the same for cells that compute the same; `cell` where
   * there is none of this.
   */
  prunedCell?(arch: A): Cell;
  /** Every name that an operation of `cell` can have, in a fixed order; there is one where there are cells. */
  readonly vocabulary?: readonly string[];
  /** The most nodes that a cell has; given where there are cells. */
  readonly largestCell?: number;
  /** Operations of the vocabulary that only pass on what they get. */
  readonly identities?: readonly string[];
  /** Given where the operations of cells alone, without their places, make up the vocabulary. */
  readonly cellOperations?: CellOperations;
  network(arch: A, options?: NetworkOptions): Model;
}

/** A space whatever its architectures are. */
// biome-ignore lint/suspicious/noExplicitAny: spaces are kept in one list, each with architectures of its own
export type AnySpace = Space<any>;
