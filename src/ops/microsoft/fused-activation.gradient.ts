// Activations that fused operators carry in their attributes, as operators of their own.
import type { Value } from '../build.js';
import type { Expansion } from '../gradient.js';

/** The ai.onnx operators that occur, with the attributes that parameters become, in order. */
const ACTIVATIONS: Readonly<Record<string, readonly string[]>> = {
  Elu: ['alpha'],
  HardSigmoid: ['alpha', 'beta'],
  HardSwish: [],
  LeakyRelu: ['alpha'],
  Relu: [],
  Selu: ['alpha', 'gamma'],
  Sigmoid: [],
  Softplus: [],
  Softsign: [],
  Tanh: [],
  ThresholdedRelu: ['alpha'],
};

/** Parameters by position, `activation_params`, or by name, `activation_alpha` and the like. */
function parameter({ call }: Expansion, name: string, position: number): number | undefined {
  return call.floats('activation_params')?.[position] ?? call.float(`activation_${name}`);
}

/** The activation of a fused operator, applied to what it computed before; none if it has none. */
export function fusedActivation(node: Expansion, value: Value): Value {
  const { builder, call } = node;
  const activation = call.string('activation', '');
  if (activation === '' || activation === 'Identity') return value;
  if (activation === 'Clip') {
    const [low, high] = call.floats('activation_params') ?? [];
    if (low === undefined || high === undefined) return call.fail('Clip has no bounds', 'OP_ATTRIBUTE');
    return builder.op('Clip', [value, value.operand(low), value.operand(high)]);
  }
  const names = Object.hasOwn(ACTIVATIONS, activation) ? ACTIVATIONS[activation]! : undefined;
  if (names === undefined)
    return call.fail(`the gradient of activation '${activation}' is not supported`, 'GRADIENT_UNSUPPORTED');
  return builder.op(
    activation,
    [value],
    Object.fromEntries(names.map((name, i) => [name, parameter(node, name, i)])),
  );
}
