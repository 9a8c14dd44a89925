// Which definition an operator name has. A family of operators is a file that exports an `OperatorTable`;
// index.ts lists the families.
import { isDefaultDomain, type Node } from '../graph/graph.js';
import type { Operator } from './operator.js';

/** Definitions by operator name; names outside ai.onnx carry their domain: `com.microsoft.Gelu`. */
export type OperatorTable = Readonly<Record<string, Operator>>;

const definitions = new Map<string, Operator>();

/** Adds operators. A name that is taken is a mistake of the program. */
export function registerOperators(table: OperatorTable): void {
  for (const [name, operator] of Object.entries(table)) {
    if (definitions.has(name)) throw new Error(`operator ${name} is defined twice`);
    definitions.set(name, operator);
  }
}

/** The definition of a node's operator, or undefined for one auspex does not know. */
export function operatorFor(node: Pick<Node, 'opType' | 'domain'>): Operator | undefined {
  return definitions.get(isDefaultDomain(node.domain) ? node.opType : `${node.domain}.${node.opType}`);
}

/** All definitions, by name. */
export function allOperators(): ReadonlyMap<string, Operator> {
  return definitions;
}
