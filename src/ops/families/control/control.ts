// Operators that run other graphs: If, Scan, SequenceMap. (Loop has a file of its own.) What they cost is what
// their bodies cost.
import { type Dim, isKnown, multiply, sameDim, sum } from '../../../graph/dim.js';
import {
  type SequenceType,
  type Shape,
  sameType,
  sequenceLength,
  sequenceType,
  TensorType,
  type ValueType,
} from '../../../graph/types.js';
import { AuspexError } from '../../../util/errors.js';
import { mayEqual } from '../../arguments.js';
import { FREE } from '../../cost.js';
import type { Call, InferredBody, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { mergeTypes } from './merge.js';
import { scanVersions } from './scan.versions.js';
import { sequenceInput, sequenceOf } from './sequence.js';

/**
 * Runs one of two graphs. Where the condition is known only that one is looked at. A branch in which the sizes
 * do not fit together cannot be the one that runs: then it is the other.
 */
const If: Operator = {
  infer: (call) => {
    const condition = call.tensor(0).elements?.[0];
    if (isKnown(condition)) return call.runBody(condition !== 0 ? 'then_branch' : 'else_branch', []);
    const then = tryBranch(call, 'then_branch');
    const otherwise = tryBranch(call, 'else_branch');
    if (then instanceof AuspexError && otherwise instanceof AuspexError) throw then;
    if (then instanceof AuspexError) return record(call, 'else_branch', otherwise as InferredBody);
    if (otherwise instanceof AuspexError) return record(call, 'then_branch', then);
    const types = record(call, 'then_branch', then, true);
    const others = record(call, 'else_branch', otherwise, true);
    if (types.length !== others.length) {
      call.fail(`the branches have ${types.length} and ${others.length} outputs`, 'GRAPH_BODY');
    }
    return types.map((type, i) => mergeTypes(call, type, others[i]!, (axis) => call.unknownSize(i, axis)));
  },
  cost: FREE,
  traits: { controlFlow: 'branch' },
};

/** Errors that tell of sizes, not of a graph that makes no sense. */
const DOES_NOT_FIT = /^(SHAPE_|OP_INPUT$)/;

function tryBranch(call: Call, name: string): InferredBody | AuspexError {
  try {
    return call.inferBody(name, []);
  } catch (error) {
    if (error instanceof AuspexError && DOES_NOT_FIT.test(error.code)) return error;
    throw error;
  }
}

function record(call: Call, name: string, branch: InferredBody, alternative = false): readonly ValueType[] {
  call.recordBody(name, branch, { alternative });
  return branch.outputTypes;
}

/** How a version of Scan finds its inputs and cuts them up for the body. */
interface ScanLayout {
  /** Inputs before the states. */
  readonly first: number;
  /** Dimensions in front that the body does not see: of all inputs the batch (opset 8), since then none. */
  readonly batched: 0 | 1;
  inputAxis(call: Call, index: number, rank: number): number;
  outputAxis(call: Call, index: number, rank: number): number;
}

/** Each element of a batch is scanned on its own, along axis 1. */
const BATCHED_SCAN: ScanLayout = { first: 1, batched: 1, inputAxis: () => 1, outputAxis: () => 1 };

const PLAIN_SCAN: ScanLayout = {
  first: 0,
  batched: 0,
  inputAxis: (call, index, rank) => call.axis(call.ints('scan_input_axes')?.[index] ?? 0, rank),
  outputAxis: (call, index, rank) => call.axis(call.ints('scan_output_axes')?.[index] ?? 0, rank),
};

/**
 * Runs a body for each slice of the scanned inputs. It takes states and slices, and gives new states (of
 * unchanged shape) and slices of the outputs.
 */
const Scan: Operator = {
  infer: (call) => {
    const layout = call.opset < 9 ? BATCHED_SCAN : PLAIN_SCAN;
    const { first, batched } = layout;
    const scanned = call.required(call.int('num_scan_inputs'), 'num_scan_inputs');
    const states = call.inputs.length - first - scanned;
    if (!Number.isInteger(scanned) || scanned < 1 || states < 0) {
      call.fail(`${call.inputs.length} inputs cannot have ${scanned} that are scanned`, 'OP_ATTRIBUTE');
    }
    const sizes = new ScanSizes(call);
    const initial = Array.from({ length: states }, (_, i) => {
      const { dtype, shape } = call.tensor(first + i);
      if (batched) sizes.see('batch', shape?.[0]);
      return new TensorType(dtype, shape?.slice(batched));
    });
    const slices = Array.from({ length: scanned }, (_, i) => {
      const { dtype, shape } = call.tensor(first + states + i);
      if (shape === undefined) return new TensorType(dtype, undefined);
      if (shape.length <= batched)
        call.fail(`input ${first + states + i} of shape [${shape}] cannot be scanned`);
      const axis = layout.inputAxis(call, i, shape.length);
      if (batched) sizes.see('batch', shape[0]);
      sizes.see('length', shape[axis]);
      return new TensorType(dtype, shape.toSpliced(axis, 1).slice(batched));
    });
    const outputs = call.runBody('body', [...initial, ...slices], { times: scanTimes(call, sizes, batched) });
    return outputs.map((type, i) => {
      if (type.kind !== 'tensor') return type;
      const batch = (output: number): Shape => (batched ? [sizes.batch ?? call.unknownSize(output, 0)] : []);
      if (i < states) {
        const shape = sameState(call, initial[i]!.shape, type.shape);
        return new TensorType(type.dtype ?? initial[i]!.dtype, shape && [...batch(i), ...shape]);
      }
      if (type.shape === undefined) return new TensorType(type.dtype, undefined);
      const whole = [...batch(i), ...type.shape];
      const axis = layout.outputAxis(call, i - states, whole.length + 1);
      return new TensorType(type.dtype, whole.toSpliced(axis, 0, sizes.length ?? call.unknownSize(i, axis)));
    });
  },
  cost: FREE,
  traits: { controlFlow: 'loop' },
};

/** The sizes that all scanned inputs must share; a number tells more than a symbol. */
class ScanSizes {
  batch: Dim | undefined;
  length: Dim | undefined;
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  see(which: 'batch' | 'length', size: Dim | undefined): void {
    const known = this[which];
    if (!mayEqual(known, size)) this.#call.fail(`the inputs have a ${which} of ${known} and of ${size}`);
    if (!isKnown(known)) this[which] = isKnown(size) ? size : (known ?? size);
  }
}

/** How often the body runs: for each slice, in opset 8 for each of each sequence, which may end earlier. */
function scanTimes(call: Call, { batch, length }: ScanSizes, batched: 0 | 1): Dim | undefined {
  if (!batched) return length;
  if (call.has(0)) {
    const lengths = call.elements(0);
    return lengths && sum(lengths);
  }
  return batch === undefined || length === undefined ? undefined : multiply(batch, length);
}

/** A state keeps its shape from one run of the body to the next. */
function sameState(call: Call, before: Shape | undefined, after: Shape | undefined): Shape | undefined {
  if (before === undefined || after === undefined) return before ?? after;
  if (before.length !== after.length || !before.every((d, i) => mayEqual(d, after[i]))) {
    call.fail(`a state of shape [${before}] becomes one of shape [${after}]`);
  }
  return before.map((d, i) => (isKnown(d) || sameDim(d, after[i]!) ? d : after[i]!));
}

/** Elements whose types differ are run one by one, up to so many. */
const MAX_SEPARATE_RUNS = 64;

/** Runs a body for each element of a sequence, beside the same element of other sequences, or whole tensors. */
const SequenceMap: Operator = {
  infer: (call) => {
    const first = sequenceInput(call, 0);
    const length = sequenceLength(first);
    const types = call.inputs.map((type) => type ?? call.fail('an input is missing', 'OP_INPUT'));
    for (const type of types) {
      const other = type.kind === 'sequence' ? sequenceLength(type) : length;
      if (!mayEqual(length, other)) call.fail(`the sequences have ${length} and ${other} elements`);
    }
    const isUniform = types.every((type) => type.kind !== 'sequence' || sharedType(type) !== undefined);
    if (first.items === undefined || isUniform || first.items.length > MAX_SEPARATE_RUNS) {
      const inputs = types.map((type) =>
        type.kind === 'sequence' ? (sharedType(type) ?? type.element) : type,
      );
      const outputs = call.runBody('body', inputs, { times: length });
      return outputs.map((type) => sequenceType(type, first.items?.map(() => type) ?? length));
    }
    const inputsAt = (index: number): ValueType[] =>
      types.map((type) => (type.kind === 'sequence' ? (type.items?.[index] ?? type.element) : type));
    const runs = first.items.map((_, index) => call.inferBody('body', inputsAt(index)));
    call.recordRuns('body', runs);
    return runs[0]!.outputTypes.map((_, output) => {
      const results = runs.map((run) => run.outputTypes[output]!);
      return sequenceOf(call, results);
    });
  },
  cost: FREE,
  traits: { controlFlow: 'loop' },
};

/** The type that all elements of a sequence have; undefined when they differ. */
function sharedType({ element, items }: SequenceType): ValueType | undefined {
  const [first] = items ?? [];
  if (first === undefined) return element;
  if (!items!.every((type) => sameType(type, first))) return undefined;
  // Of the same type, but not with the same numbers in it.
  return first.kind === 'tensor' ? new TensorType(first.dtype, first.shape) : first;
}

export const controlOperators: OperatorTable = withVersions({ If, Scan, SequenceMap }, scanVersions);
