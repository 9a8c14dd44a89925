// What becomes of quantised networks: an operator between DequantizeLinear and QuantizeLinear is one kernel of integers, and a
// product of integers with the rescaling after it is one kernel.
import { DONE_BY_ROUNDING, KERNEL_NAMES, ON_INTEGERS, TAKES_SIGNED } from '../../ops/microsoft/fusions.js';
import type { Step, Steps } from './steps.js';

export function joinQuantised(steps: Steps): void {
  const unsigned = unsignedValues(steps);
  for (const step of [...steps.list]) {
    if (!steps.list.includes(step)) continue;
    if (step.operator === KERNEL_NAMES.integerProduct) joinProduct(steps, step);
    else joinOperator(steps, step, unsigned);
  }
}

/** Values of integers that are unsigned, or made so: those that one node reads, and one node after it. */
function unsignedValues(steps: Steps): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { operator, outputs } of steps.list) {
    const [name] = outputs as [string];
    if (operator !== KERNEL_NAMES.quantise) continue;
    const type = steps.graph.types.get(name);
    const isUnsigned = type?.kind === 'tensor' && type.dtype === 'uint8';
    const reader = steps.onlyReader(name);
    const isAlone =
      reader?.operator === KERNEL_NAMES.dequantise && steps.onlyReader(reader.outputs[0]!) !== undefined;
    if (isUnsigned || isAlone) found.add(name);
  }
  return found;
}

function joinOperator(steps: Steps, step: Step, unsigned: ReadonlySet<string>): void {
  const name = ON_INTEGERS.get(step.operator);
  if (name === undefined) return;
  const scaled = step.inputs.map((input) => producerNamed(steps, input, KERNEL_NAMES.dequantise));
  const data = scaled.filter((one) => one !== undefined && !steps.isConstant(one.inputs[0]!));
  if (data.length === 0 || !step.inputs.every((input, i) => scaled[i] || steps.isConstant(input))) return;
  const quantised = step.outputs.map((output) => quantisedAfter(steps, output));
  if (quantised.includes(undefined)) return;
  const values = [
    ...data.map((one) => one!.inputs[0]!),
    ...quantised.map((parts) => parts!.at(-1)!.outputs[0]!),
  ];
  if (!TAKES_SIGNED.has(name) && !values.every((value) => unsigned.has(value))) return;
  const isMovement = name === step.operator;
  const inputs = step.inputs.flatMap((input, i) => {
    const all = scaled[i]?.inputs ?? [input];
    return isMovement ? all.slice(0, 1) : all;
  });
  const last = quantised.flat().at(-1)!;
  const scales = isMovement ? [] : last.inputs.slice(1);
  // A bias comes after the scales of the result.
  const bias = step.inputs.length > 2 && scaled[2] !== undefined ? scaled[2].inputs.slice(0, 1) : [];
  const operands = bias.length === 0 ? inputs : inputs.slice(0, inputs.length - scaled[2]!.inputs.length);
  const outputs = quantised.map((parts) => parts!.at(-1)!.outputs[0]!);
  steps.replace(
    [step, ...quantised.flat().map((one) => one!)],
    name,
    [...operands, ...scales, ...bias],
    last,
    {
      main: step,
      outputs,
    },
  );
}

/** QuantizeLinear that alone reads a value, with a rectifier before it, which the range of integers makes superfluous. */
function quantisedAfter(steps: Steps, output: string): Step[] | undefined {
  const reader = steps.onlyReader(output);
  if (reader?.operator === KERNEL_NAMES.quantise) return [reader];
  const isRectifier = reader !== undefined && DONE_BY_ROUNDING.has(reader.operator);
  const after = isRectifier ? steps.onlyReader(reader.outputs[0]!) : undefined;
  return after?.operator === KERNEL_NAMES.quantise ? [reader!, after] : undefined;
}

/** A product of integers, its conversion to float and the scale that it is multiplied with, then a bias. */
function joinProduct(steps: Steps, step: Step): void {
  const scale = (one: Step | undefined, of: string): Step | undefined =>
    one?.main.operator?.traits?.arithmetic === 'multiply'
      ? steps.producers.get(one.inputs.find((name) => name !== of)!)
      : undefined;
  const source = producerNamed(steps, step.inputs[0]!, KERNEL_NAMES.quantiseAsItComes);
  const cast = steps.onlyReader(step.outputs[0]!);
  const rescaled = cast && steps.onlyReader(cast.outputs[0]!);
  const factor = scale(rescaled, cast?.outputs[0] ?? '');
  if (source === undefined || rescaled === undefined || factor === undefined) return;
  const isShared = (steps.readers.get(source.outputs[0]!) ?? []).length > 1;
  const parts = [step, cast!, factor, rescaled, ...(isShared ? [] : [source])];
  const weights = step.inputs.slice(1, 2);
  const inputs = isShared ? [...source.outputs, ...weights] : [...source.inputs, ...weights];
  let last = rescaled;
  const bias = steps.onlyReader(last.outputs[0]!);
  const shift = bias?.inputs.find((name) => name !== last.outputs[0]) ?? '';
  if (bias?.main.operator?.traits?.arithmetic === 'add' && shift !== '' && steps.isConstant(shift)) {
    parts.push(bias);
    inputs.push(shift);
    last = bias;
  }
  const name = isShared ? KERNEL_NAMES.sharedProduct : KERNEL_NAMES.dynamicProduct;
  steps.replace(parts, name, inputs, last, { main: step, outputs: last.outputs });
}

function producerNamed(steps: Steps, value: string, operator: string): Step | undefined {
  const step = steps.producers.get(value);
  return step?.operator === operator ? step : undefined;
}
