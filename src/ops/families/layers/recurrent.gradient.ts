// What recurrent layers are made of, to differentiate them: their steps, one after the other. The products with
// the input are one for all steps; in each step remains one with the state.
import type { Value } from '../../build.js';
import type { Decomposition, Expansion } from '../../gradient.js';

/** What a cell carries from step to step, (B, H) each; cells other than LSTM leave the memory alone. */
interface State {
  readonly hidden: Value;
  readonly memory: Value;
}

type Activation = (value: Value) => Value;

/** One direction of a layer. */
interface Layer {
  readonly size: number;
  /** (gates·H, H), in the cell's blocks of gates. */
  readonly recurrence: readonly Value[];
  /** Biases (gates·H) of what comes from the state, in the same blocks, if the cell adds them itself. */
  readonly stateBias: readonly Value[];
  /** Weights (H) from the memory to the gates i, o and f. */
  readonly peepholes: readonly Value[] | undefined;
  readonly activations: readonly Activation[];
}

interface Cell {
  /** How many gates are multiplied with the state at once, in order. */
  readonly blocks: readonly number[];
  readonly activations: readonly string[];
  readonly hasMemory?: true;
  readonly addsStateBias?: (node: Expansion) => boolean;
  /** One step, given the product (B, gates·H) with the input, to which biases are added already. */
  step(node: Expansion, layer: Layer, input: Value, state: State): State;
}

/** state·Rᵀ + what is added. */
function product(state: Value, recurrence: Value, added?: Value): Value {
  return state.builder.op('Gemm', [state, recurrence, added], { transB: 1 });
}

const LSTM_CELL: Cell = {
  blocks: [4],
  activations: ['Sigmoid', 'Tanh', 'Tanh'],
  hasMemory: true,
  step: (node, { size, recurrence, peepholes, activations }, input, { hidden, memory }) => {
    const [f, g, h] = activations as [Activation, Activation, Activation];
    const sums = product(hidden, recurrence[0]!, input).split([size, size, size, size], 1);
    const [toInput, toOutput, toForget, candidate] = sums as [Value, Value, Value, Value];
    const see = (sum: Value, from: Value, which: number): Value =>
      peepholes ? sum.add(from.mul(peepholes[which]!)) : sum;
    const kept = f(see(toInput, memory, 0));
    const isCoupled = node.call.int('input_forget', 0) !== 0;
    const forget = isCoupled ? kept.rsub(1) : f(see(toForget, memory, 2));
    const next = forget.mul(memory).add(kept.mul(g(candidate)));
    return { hidden: f(see(toOutput, next, 1)).mul(h(next)), memory: next };
  },
};

/** Whether the reset gate is applied after the product with the state. */
function isLinearFirst({ call }: Expansion): boolean {
  return call.int('linear_before_reset', 0) !== 0;
}

const GRU_CELL: Cell = {
  blocks: [2, 1],
  activations: ['Sigmoid', 'Tanh'],
  addsStateBias: isLinearFirst,
  step: (node, { size, recurrence, stateBias, activations }, input, { hidden, memory }) => {
    const [f, g] = activations as [Activation, Activation];
    const [forGates, forCandidate] = input.split([2 * size, size], 1) as [Value, Value];
    const [gateWeights, candidateWeights] = recurrence as [Value, Value];
    const [gateBias, candidateBias] = stateBias;
    const sums = product(hidden, gateWeights, gateBias ? forGates.add(gateBias) : forGates);
    const [update, reset] = sums.split([size, size], 1).map(f) as [Value, Value];
    const candidate = isLinearFirst(node)
      ? forCandidate.add(reset.mul(product(hidden, candidateWeights, candidateBias)))
      : product(reset.mul(hidden), candidateWeights, forCandidate);
    const fresh = g(candidate);
    return { hidden: fresh.add(update.mul(hidden.sub(fresh))), memory };
  },
};

const RNN_CELL: Cell = {
  blocks: [1],
  activations: ['Tanh'],
  step: (_, { recurrence, activations }, input, { hidden, memory }) => ({
    hidden: activations[0]!(product(hidden, recurrence[0]!, input)),
    memory,
  }),
};

const KNOWN_ACTIVATIONS = ['HardSigmoid', 'Relu', 'Sigmoid', 'Softplus', 'Softsign', 'Tanh'];

/** The activations of one direction, of arguments that may be limited first. */
function activationsOf({ builder, call }: Expansion, cell: Cell, direction: number): Activation[] {
  const count = cell.activations.length;
  const given = call.strings('activations')?.slice(direction * count, (direction + 1) * count) ?? [];
  const limit = call.float('clip');
  const limited = (value: Value): Value =>
    limit === undefined ? value : builder.op('Clip', [value, value.operand(-limit), value.operand(limit)]);
  return cell.activations.map((usual, i) => {
    const name = KNOWN_ACTIVATIONS.find(
      (known) => known.toLowerCase() === String(given[i] ?? usual).toLowerCase(),
    );
    const isChanged = ['activation_alpha', 'activation_beta'].some((parameter) =>
      call.hasAttribute(parameter),
    );
    if (name === undefined || (name === 'HardSigmoid' && isChanged)) {
      return call.fail(`the gradient of activation '${given[i]}' is not supported`, 'GRADIENT_UNSUPPORTED');
    }
    return (value) => builder.op(name, [limited(value)]);
  });
}

/** The states after each step, in the order in which they are taken. */
function runDirection(
  node: Expansion,
  cell: Cell,
  x: Value,
  direction: number,
  isReversed: boolean,
): State[] {
  const { builder, call } = node;
  const [steps, batch, features] = x.sizes as [number, number, number];
  const own = (index: number): Value | undefined => {
    const value = node.optionalInput(index);
    const isBatchFirst = index >= 5 && index <= 6 && call.int('layout', 0) !== 0;
    return value?.gather(builder.constant(direction, 'int64'), isBatchFirst ? 1 : 0);
  };
  const [weights, recurrence] = [own(1)!, own(2)!];
  const size = recurrence.length(1);
  const blocks = cell.blocks.map((gates) => gates * size);
  const stacked = blocks.reduce((sum, block) => sum + block);
  const inBlocks = (value: Value): readonly Value[] =>
    blocks.length === 1 ? [value] : value.split(blocks, 0);
  const [inputBias, stateBias] = own(3)?.split([stacked, stacked], 0) ?? [];
  const isSeparate = cell.addsStateBias?.(node) ?? false;
  const bias = stateBias && !isSeparate ? inputBias!.add(stateBias) : inputBias;
  const inputs = builder.op('Gemm', [x.reshape([steps * batch, features]), weights, bias], { transB: 1 });
  const perStep = steps === 1 ? [inputs] : inputs.split(Array<number>(steps).fill(batch), 0);
  const layer: Layer = {
    size,
    recurrence: inBlocks(recurrence),
    stateBias: stateBias && isSeparate ? inBlocks(stateBias) : [],
    peepholes: own(7)?.split([size, size, size], 0),
    activations: activationsOf(node, cell, direction),
  };
  const initial = (index: number): Value => own(index) ?? builder.full([batch, size], 0, x.dtype);
  const hidden = initial(5);
  let state: State = { hidden, memory: cell.hasMemory ? initial(6) : hidden };
  const states: State[] = [];
  for (const input of isReversed ? perStep.toReversed() : perStep) {
    state = cell.step(node, layer, input, state);
    states.push(state);
  }
  return states;
}

/** The layer in one or two directions. */
function layer(cell: Cell): Decomposition {
  return (node) => {
    const { builder, call } = node;
    const isBatchFirst = call.int('layout', 0) !== 0;
    const x = isBatchFirst ? node.input(0).transpose([1, 0, 2]) : node.input(0);
    const [steps, batch] = x.sizes as [number, number, number];
    if (call.has('sequence_lens') && !call.numbers('sequence_lens')?.every((length) => length === steps)) {
      call.fail('the gradient for sequences of different lengths is not supported', 'GRADIENT_UNSUPPORTED');
    }
    const direction = call.string('direction', 'forward');
    const reversed = direction === 'bidirectional' ? [false, true] : [direction === 'reverse'];
    const runs = reversed.map((isReversed, i) => runDirection(node, cell, x, i, isReversed));
    const size = runs[0]![0]!.hidden.length(1);
    const all = () => {
      const sequences = runs.map((states, i) => {
        const inTime = reversed[i] ? states.toReversed() : states;
        const rows = inTime.map(({ hidden }) => hidden);
        return builder.concat(rows, 0).reshape([steps, 1, batch, size]);
      });
      const joined = builder.concat(sequences, 1);
      return isBatchFirst ? joined.transpose([2, 0, 1, 3]) : joined;
    };
    const last = (of: (state: State) => Value) => {
      const parts = runs.map((states) => of(states.at(-1)!).unsqueeze([isBatchFirst ? 1 : 0]));
      return builder.concat(parts, isBatchFirst ? 1 : 0);
    };
    return [
      call.wants(0) ? all() : undefined,
      call.wants(1) ? last(({ hidden }) => hidden) : undefined,
      call.wants(2) ? last(({ memory }) => memory) : undefined,
    ];
  };
}

export const recurrentDecompositions = {
  GRU: layer(GRU_CELL),
  LSTM: layer(LSTM_CELL),
  RNN: layer(RNN_CELL),
} satisfies Record<string, Decomposition>;
