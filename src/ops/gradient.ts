// How an operator is differentiated: a rule writes, with ordinary operators, the gradients of a node's inputs
// given those of its outputs. So gradients run wherever ONNX runs, and can be differentiated again. A fused
// operator may instead say what it is made of.
import type { Builder, Value } from './build.js';
import type { Call } from './operator.js';

/** The gradients of the inputs, in order; undefined for one that has none (an index) or nobody wants. */
export type GradientRule = (g: Differentiation) => readonly (Value | undefined)[];

/** The outputs, written with other operators; undefined for one that is not asked for or cannot be written. */
export type Decomposition = (node: Expansion) => readonly (Value | undefined)[];

/** One node that is taken apart. */
export class Expansion {
  readonly call: Call;
  readonly builder: Builder;

  constructor(call: Call, builder: Builder) {
    this.call = call;
    this.builder = builder;
  }

  /** An input that must be given. */
  input(index: number): Value {
    return this.optionalInput(index) ?? this.call.fail(`input ${index} is missing`, 'OP_INPUT');
  }

  optionalInput(index: number): Value | undefined {
    const name = this.call.node.inputs[index] ?? '';
    return name === '' ? undefined : this.builder.value(name);
  }

  get inputCount(): number {
    return this.call.node.inputs.length;
  }
}

/** One node that is differentiated. */
export class Differentiation extends Expansion {
  readonly #outputGradients: readonly (Value | undefined)[];
  readonly #wanted: readonly boolean[];

  constructor(
    call: Call,
    builder: Builder,
    outputGradients: readonly (Value | undefined)[],
    wanted: readonly boolean[],
  ) {
    super(call, builder);
    this.#outputGradients = outputGradients;
    this.#wanted = wanted;
  }

  /** An output of the node; it was computed already. */
  output(index = 0): Value {
    return this.builder.value(this.call.node.outputs[index]!);
  }

  /** The gradient of the first output, which is there in a rule for an operator with one output. */
  get dy(): Value {
    return this.outputGradient(0) ?? this.output(0).zerosLike();
  }

  /** The gradient of an output; undefined where nothing depends on it. */
  outputGradient(index: number): Value | undefined {
    return this.#outputGradients[index];
  }

  /** Whether the gradient of an input is asked for. */
  wants(index: number): boolean {
    return this.#wanted[index] ?? false;
  }

  /** The gradient of an input, written only if it is asked for. */
  when(index: number, write: () => Value): Value | undefined {
    return this.wants(index) ? write() : undefined;
  }
}
