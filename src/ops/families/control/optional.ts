// Values that may be missing. Since opset 18 what asks for the element also takes a value that is not optional.
import { formatType, optionalType, TensorType, UNKNOWN, type ValueType } from '../../../graph/types.js';
import { counted, FREE } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';

/** Wraps its input; without one, makes an empty optional of the type that the attribute tells. */
const Optional: Operator = {
  infer: (call) => {
    const input = call.input(0);
    if (input) return [optionalType(input, true)];
    const attribute = call.node.attributes.get('type');
    if (attribute?.type !== 'type_proto') return call.fail(`attribute 'type' is missing`, 'OP_ATTRIBUTE');
    return [optionalType(attribute.value, false)];
  },
  cost: FREE,
  traits: { isView: true },
};

const OptionalHasElement: Operator = {
  infer: (call) => {
    const present = isPresent(call.input(0));
    return [new TensorType('bool', [], present === undefined ? undefined : [Number(present)])];
  },
  cost: counted('0', () => ({ memoryBytes: 0 })),
};

/** Whether a value is there; undefined when only running the network can tell. */
function isPresent(type: ValueType | undefined): boolean | undefined {
  if (type === undefined) return false;
  if (type.kind === 'optional') return type.present;
  return type.kind === 'unknown' ? undefined : true;
}

const OptionalGetElement: Operator = {
  infer: (call) => [elementOf(call)],
  cost: FREE,
  traits: { isView: true },
};

function elementOf(call: Call): ValueType {
  const type = call.input(0);
  if (type === undefined) return call.fail('input 0 is missing', 'OP_INPUT');
  if (type.kind === 'unknown') return UNKNOWN;
  if (type.kind !== 'optional') {
    return call.opset >= 18
      ? type
      : call.fail(`input 0 must be optional, not ${formatType(type)}`, 'OP_INPUT');
  }
  return type.present === false ? call.fail(`input 0 is an empty ${formatType(type)}`) : type.element;
}

export const optionalOperators: OperatorTable = { Optional, OptionalGetElement, OptionalHasElement };
