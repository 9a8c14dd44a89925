// Which definition an operator name has. A family of operators is a file that exports an `OperatorTable`;
// index.ts lists the families.
import { isDefaultDomain, type Node } from '../graph/graph.js';
import { AuspexError } from '../util/errors.js';
import { FormalInputs, schemaInputs } from './inputs.js';
import type { Operator } from './operator.js';
import { type OperatorSchema, operatorSchemas } from './schemas.js';
import type { Traits } from './traits.js';

/** Definitions by operator name; names outside ai.onnx carry their domain: `com.microsoft.Gelu`. */
export type OperatorTable = Readonly<Record<string, Operator>>;

/** What tells an operator. */
export type OperatorKey = Pick<Node, 'opType' | 'domain'>;

const definitions = new Map<string, Operator>();

/**
 * Adds operators: how shapes follow, what they cost, what their inputs are called.
 *
 * @throws AuspexError OPERATOR_TWICE
 * @example
 * registerOperators({
 *   'my.domain.Double': {
 *     infer: (call) => [call.tensor(0)],
 *     cost: { describe: 'nothing', of: () => ({}) },
 *     inputs: ['X'],
 *   },
 * });
 */
export function registerOperators(table: OperatorTable): void {
  for (const [name, operator] of Object.entries(table)) {
    if (definitions.has(name)) throw new AuspexError('OPERATOR_TWICE', `operator ${name} is defined twice`);
    definitions.set(name, operator);
  }
}

/** The definition of a node's operator, or undefined for one auspex does not know. */
export function operatorFor({ domain, opType }: OperatorKey): Operator | undefined {
  return definitions.get(isDefaultDomain(domain) ? opType : `${domain}.${opType}`);
}

/** All definitions, by name. */
export function allOperators(): ReadonlyMap<string, Operator> {
  return definitions;
}

const NO_TRAITS: Traits = {};

/** What is known of a node's operator beside shapes and costs; nothing of an operator that auspex does not know. */
export function traitsOf(node: OperatorKey): Traits {
  return operatorFor(node)?.traits ?? NO_TRAITS;
}

const UNKNOWN = new FormalInputs([]);
const bySchema = new Map<OperatorSchema, FormalInputs>();
const byOperator = new Map<Operator, FormalInputs>();

/**
 * The names and roles of a node's inputs.
 *
 * @param opset the version of the operator set of the node's domain; the latest by default.
 */
export function inputsOf(node: OperatorKey, opset = Number.POSITIVE_INFINITY): FormalInputs {
  const operator = operatorFor(node);
  if (operator?.inputs !== undefined) {
    return kept(byOperator, operator, () => new FormalInputs(operator.inputs!, operator.roles));
  }
  const key = isDefaultDomain(node.domain) ? node.opType : `${node.domain}::${node.opType}`;
  const versions = operatorSchemas(key);
  if (versions === undefined) return UNKNOWN;
  let at = versions.length - 1;
  while (at > 0 && versions[at]!.since > opset) at--;
  const schema = versions[at]!;
  return kept(bySchema, schema, () => schemaInputs(schema, operator?.roles));
}

function kept<K extends object, V>(cache: Pick<Map<K, V>, 'get' | 'set'>, key: K, make: () => V): V {
  let value = cache.get(key);
  if (value === undefined) {
    value = make();
    cache.set(key, value);
  }
  return value;
}
