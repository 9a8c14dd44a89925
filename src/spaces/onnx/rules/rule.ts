// What a rule is: which sequences of a graph it applies to, what it can put in their place, and how that is written. A
// rule looks at traits of operators, shapes and constants, never at names. What it writes has the type of what it replaces.
import type { Sequence } from '../../../analysis/sequences.js';
import type { TensorType } from '../../../graph/types.js';
import type { Value } from '../../../ops/build.js';
import type { EditedGraph } from '../edited-graph.js';
import type { PartWriter } from '../part-writer.js';

/** A sequence of floats, with the types of its input and its output. */
export interface Part extends Sequence {
  readonly from: TensorType;
  readonly to: TensorType;
  readonly graph: EditedGraph;
}

export interface Rule {
  readonly name: string;
  /** What it does, for people. */
  readonly summary: string;
  /** What it replaces is part of what it writes. */
  readonly keepsPart?: true;
  /** What can stand in the place of a part, by names that no other rule has; none where the rule does not apply. */
  options(part: Part): readonly string[];
  /** All names that options can have, for people. */
  readonly notation: readonly string[];
  /** Writes an option and gives its result, the part's input for nothing at all; undefined where it does not fit. */
  write(part: Part, option: string, writer: PartWriter): Value | undefined;
}
