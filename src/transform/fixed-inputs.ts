// Inputs that are the same in every run (a sampling rate, a speed, a flag) as constants.
import { isKnown } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { fromNumbers } from '../graph/tensor.js';
import { formatType, isTensor } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import type { Transformed } from './transform.js';

/** A number stands for all elements of its input. */
type FixedValues = Readonly<Record<string, number | readonly number[]>>;

export function withFixedInputs(model: Model, values: FixedValues): Transformed {
  const names = Object.keys(values);
  if (names.length === 0) return { model, changes: [] };
  const { graph } = model;
  const initializers = new Map(graph.initializers);
  const changes = names.map((name) => {
    const input = graph.inputs.find((info) => info.name === name);
    if (input === undefined) {
      throw new AuspexError('UNKNOWN_INPUT', `the model has no input called '${name}'`, {
        hint: `its inputs are ${graph.inputs.map((info) => `'${info.name}'`).join(', ')}`,
      });
    }
    const { type } = input;
    const given = values[name]!;
    const list = typeof given === 'number' ? [given] : given;
    const declared = isTensor(type) ? type.shape : undefined;
    // One number fits any size that is open; a list has the last of them.
    const dims = declared?.map((d) => (isKnown(d) ? d : list.length)) ?? [];
    const size = dims.reduce((n, d) => n * d, 1);
    if (!isTensor(type) || type.dtype === undefined || (list.length !== size && list.length !== 1)) {
      throw new AuspexError(
        'BAD_SHAPE',
        `input '${name}' is ${formatType(type)}: ${list.length} numbers do not fit`,
        { hint: 'give one number, or as many as the input has' },
      );
    }
    const numbers = Array.from({ length: size }, (_, i) => list[i % list.length]!);
    initializers.set(name, fromNumbers(name, type.dtype, dims, numbers));
    return { transform: 'fixed inputs', what: `input '${name}' is always ${list}` };
  });
  const inputs = graph.inputs.filter(({ name }) => !Object.hasOwn(values, name));
  return { model: { ...model, graph: { ...graph, inputs, initializers } }, changes };
}
