// How the versions of an operator differ: a rule writes a node of one version as the next (or the one before) has it.
// A step between versions that has no rule changes nothing but what may be left out: see src/transform/opset.ts.
import type { DataType } from '../graph/dtype.js';
import type { Node } from '../graph/graph.js';
import type { AttributeValue } from './build.js';
import type { Call } from './operator.js';
import type { OperatorTable } from './registry.js';

/** A version of an operator, and how to come to it from the one before, and back. */
export interface VersionChange {
  /** The opset that brought it. */
  readonly since: number;
  /** Writes a node of the version before in this one. A rule that writes nothing says that the node is right as it is. */
  readonly upgrade?: VersionRule;
  /** Writes a node of this version in the one before. */
  readonly downgrade?: VersionRule;
}

export type VersionRule = (step: VersionStep) => void;

/** Attributes to set; undefined takes one away. */
export type AttributeChanges = Readonly<Record<string, AttributeValue | undefined>>;

/** What becomes of a node; what is not given stays. */
export interface NodeChange {
  readonly opType?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly attributes?: AttributeChanges;
}

/** One node on its way to the next version. Values have names; what is written is of the version it comes to. */
export interface VersionStep {
  readonly node: Node;
  /** The node with the types of its inputs, in the version it comes from. */
  readonly call: Call;
  /** Whether anything reads an output. */
  isUsed(output: number): boolean;
  /** A constant, a vector of whole numbers by default. */
  constant(values: readonly (number | bigint)[], dtype?: DataType, dims?: readonly number[]): string;
  /** What an attribute holds, as a constant. Undefined where the node does not have it. */
  held(attribute: string): string | undefined;
  /** A node in front of the last one; gives the name of its output. */
  write(opType: string, inputs: readonly string[], attributes?: AttributeChanges): string;
  /** A name nobody has. */
  freshName(hint: string): string;
  /** A node behind the one that was changed. */
  append(node: Node): void;
  /** The node itself, changed: the one that gives the outputs. `what` says so in a sentence without a full stop. */
  change(change: NodeChange, what: string): void;
  /** Another operator gives the outputs, with these attributes only. */
  become(opType: string, inputs: readonly string[], attributes: AttributeChanges, what: string): void;
  /** There is no such node in the other version. */
  refuse(why: string): never;
}

/** Operators with their changes. */
export function withVersions(
  table: OperatorTable,
  changes: Readonly<Record<string, readonly VersionChange[]>>,
): OperatorTable {
  for (const name in changes) if (!(name in table)) throw new Error(`there is no operator ${name}`);
  return Object.fromEntries(
    Object.entries(table).map(([name, operator]) => {
      const versions = changes[name];
      return [name, versions ? { ...operator, versions } : operator];
    }),
  );
}

/** A node of the version before is one of this version: what it may say means the same. */
export const asItIs: VersionRule = () => undefined;

/** Attributes became inputs, which follow one another from `slot` on; those after the last that is given are left out. */
export function attributesToInputs(slot: number, attributes: readonly string[]): VersionRule {
  return (step) => {
    const { inputs } = step.node;
    const given = attributes.filter((name) => step.node.attributes.has(name));
    if (given.length === 0) return;
    const held = attributes.map((name) => step.held(name) ?? '');
    while (held.at(-1) === '') held.pop();
    const gone = Object.fromEntries(given.map((name) => [name, undefined]));
    const verb = given.length === 1 ? 'is an input' : 'are inputs';
    step.change(
      { inputs: [...inputs.slice(0, slot), ...held], attributes: gone },
      `${given.join(', ')} ${verb}`,
    );
  };
}
