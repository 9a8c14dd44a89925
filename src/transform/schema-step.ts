// Steps between versions of an operator that need no rule: the schemas tell that a node means the same in both.
import type { Attribute } from '../graph/graph.js';
import type { AttributeSchema, OperatorSchema } from '../ops/schemas.js';
import type { AttributeChanges, VersionStep } from '../ops/versions.js';

/** Told runtimes of before opset 6 which inputs may be overwritten. */
const FORGOTTEN = 'consumed_inputs';

/** A node of `before` as one of `after`, a newer version that takes all that it says. */
export function asItIs(step: VersionStep, before: OperatorSchema | undefined, after: OperatorSchema): void {
  const { node } = step;
  if (after.deprecated && !before?.deprecated) step.refuse('the operator was withdrawn');
  const changes: Record<string, AttributeChanges[string]> = {};
  for (const [name, attribute] of node.attributes) {
    const [old, now] = [before?.attributes[name], after.attributes[name]];
    if (name === FORGOTTEN && !now) changes[name] = undefined;
    else if (old && !now) step.refuse(`there is no attribute '${name}'`);
    else if (old && now && !isOf(attribute, now)) step.refuse(`attribute '${name}' is of another type`);
  }
  requireAttributes(step, after);
  Object.assign(changes, defaultsWritten(step, before, after));
  checkCounts(step, after);
  if (Object.keys(changes).length === 0) return;
  const isOnlyForgotten = Object.keys(changes).every((name) => name === FORGOTTEN);
  const what = isOnlyForgotten ? `${FORGOTTEN} is left out` : 'defaults that changed are written out';
  step.change({ attributes: changes }, what);
}

/** A node of `after` as one of `before`, an older version. */
export function asBefore(step: VersionStep, before: OperatorSchema | undefined, after: OperatorSchema): void {
  const { node } = step;
  if (before === undefined || before.contrib || (before.deprecated && !after.deprecated)) {
    return step.refuse('the operator does not exist');
  }
  const changes: Record<string, AttributeChanges[string]> = {};
  for (const [name, attribute] of node.attributes) {
    const [old, now] = [before.attributes[name], after.attributes[name]];
    if (old || !now) continue;
    if (!isDefault(attribute, now)) step.refuse(`there is no attribute '${name}'`);
    changes[name] = undefined;
  }
  requireAttributes(step, before);
  Object.assign(changes, defaultsWritten(step, after, before));
  const inputs = [...node.inputs];
  while (inputs.at(-1) === '') inputs.pop();
  checkCounts(step, before, inputs.length);
  if (Object.keys(changes).length === 0) return;
  step.change({ inputs, attributes: changes }, 'defaults of newer attributes are left out');
}

/** Attributes that a node leaves out, and whose default is another. */
function defaultsWritten(
  { node }: VersionStep,
  from: OperatorSchema | undefined,
  to: OperatorSchema,
): AttributeChanges {
  const written: Record<string, AttributeChanges[string]> = {};
  for (const name in from?.attributes) {
    const [old, now] = [from.attributes[name]!.default, to.attributes[name]];
    if (node.attributes.has(name) || old === undefined || now === undefined) continue;
    if (String(old) !== String(now.default)) written[name] = old as number;
  }
  return written;
}

function requireAttributes(step: VersionStep, { attributes }: OperatorSchema): void {
  for (const name in attributes) {
    if (attributes[name]!.required && !step.node.attributes.has(name)) {
      step.refuse(`attribute '${name}' must be given`);
    }
  }
}

function checkCounts(step: VersionStep, schema: OperatorSchema, inputs = step.node.inputs.length): void {
  if (inputs > schema.inputs[1] || inputs < schema.inputs[0]) {
    step.refuse(`it does not take ${inputs} input${inputs === 1 ? '' : 's'}`);
  }
  const outputs = step.node.outputs.length;
  if (outputs > schema.outputs[1]) step.refuse(`it does not give ${outputs} outputs`);
}

function isOf(attribute: Attribute, schema: AttributeSchema): boolean {
  return (attribute.type === 'reference' ? attribute.of : attribute.type) === schema.type;
}

function isDefault(attribute: Attribute, schema: AttributeSchema): boolean {
  if (attribute.type === 'reference') return false;
  if (schema.default !== undefined) return String(attribute.value) === String(schema.default);
  // Left out is as good as 0 where the schema says nothing: axes of nothing, a type that is not set.
  return Array.isArray(attribute.value) && attribute.value.length === 0;
}
