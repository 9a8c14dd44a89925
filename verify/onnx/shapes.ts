// The first check of a test: infer the outputs' types from the inputs alone, compare with the data.
import { inferShapes } from '../../src/analysis/infer.js';
import type { Model } from '../../src/graph/graph.js';
import { formatType, isTensor, type ValueType } from '../../src/graph/types.js';
import { AuspexError } from '../../src/util/errors.js';
import { compareTypes, type Verdict, worst } from './compare.js';
import { type DataSet, freeInputs } from './corpus.js';
import { typeOfValue } from './value-type.js';

export interface ShapeResult {
  readonly verdict: Verdict;
  /** The first output that did not pass. */
  readonly output?: { readonly name: string; readonly expected: string; readonly inferred: string };
  readonly error?: string;
}

/** What is done to types on their way into inference and out of it. */
export interface Disguise {
  given(type: ValueType): ValueType;
  found(type: ValueType): ValueType;
}

const NO_DISGUISE: Disguise = { given: (type) => type, found: (type) => type };
const SEVERITY: readonly Verdict[] = ['pass', 'unknown', 'wrong'];

/** Checks all data sets of a model without declarations; the worst result counts. */
export function checkShapes(model: Model, dataSets: readonly DataSet[]): ShapeResult {
  return dataSets
    .map((data) => checkDataSet(model, data, NO_DISGUISE))
    .reduce((a, b) => (SEVERITY.indexOf(b.verdict) > SEVERITY.indexOf(a.verdict) ? b : a));
}

export function checkDataSet(model: Model, data: DataSet, disguise: Disguise): ShapeResult {
  const given = freeInputs(model).map(({ name, type }, i): [string, ValueType] => [
    name,
    disguise.given(typeOfValue(data.inputs[i]!, type)),
  ]);
  let inferred: readonly ValueType[];
  try {
    inferred = inferShapes(model, { types: Object.fromEntries(given) }).graph.outputTypes.map(disguise.found);
  } catch (error) {
    return { verdict: 'wrong', error: error instanceof AuspexError ? error.describe() : String(error) };
  }
  const outputs = data.outputs.map((value, i) => compareOutput(value, inferred[i]!, model, i));
  const verdict = worst(outputs.map((o) => o.verdict));
  if (verdict === 'pass') return { verdict };
  const { verdict: _, ...output } = outputs.find((o) => o.verdict === verdict)!;
  return { verdict, output };
}

function compareOutput(
  value: DataSet['outputs'][number],
  inferred: ValueType,
  { graph }: Model,
  index: number,
): { verdict: Verdict; name: string; expected: string; inferred: string } {
  const expected = typeOfValue(value);
  const showElements = isTensor(inferred) && inferred.mayBeKnown;
  return {
    verdict: compareTypes(inferred, expected),
    name: graph.outputs[index]!.name,
    expected: format(expected, showElements),
    inferred: format(inferred, showElements),
  };
}

const MAX_SHOWN_ELEMENTS = 16;

/** A type with its items and, where they are asked for and few, its known elements. */
function format(type: ValueType, showElements: boolean): string {
  if (type.kind === 'sequence' && type.items) {
    return `seq(${type.items.map((item) => format(item, showElements)).join(', ')})`;
  }
  if (type.kind === 'optional' && type.present === false) return 'optional(nothing)';
  const elements = isTensor(type) && showElements ? type.elements : undefined;
  const shown = elements && elements.length <= MAX_SHOWN_ELEMENTS ? ` {${elements.join(', ')}}` : '';
  return formatType(type) + shown;
}
