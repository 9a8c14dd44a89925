// Holds what was inferred of an output against the value a test expects there.
import type { Dim } from '../../src/graph/dim.js';
import type { KnownElements, SequenceType, TensorType, ValueType } from '../../src/graph/types.js';

/** `pass`: all of it was inferred and is right. `unknown`: nothing is wrong, something is missing. */
export type Verdict = 'pass' | 'unknown' | 'wrong';

/** The tolerance of ONNX's own tests, for elements that inference computed. */
const RELATIVE_TOLERANCE = 1e-3;
const ABSOLUTE_TOLERANCE = 1e-7;

/** The worst of several verdicts. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('wrong')) return 'wrong';
  return verdicts.includes('unknown') ? 'unknown' : 'pass';
}

export function compareTypes(inferred: ValueType, expected: ValueType): Verdict {
  if (inferred.kind === 'unknown') return 'unknown';
  if (inferred.kind === 'tensor' && expected.kind === 'tensor') return compareTensors(inferred, expected);
  if (inferred.kind === 'sequence' && expected.kind === 'sequence') {
    return compareSequences(inferred, expected);
  }
  if (inferred.kind === 'optional' && expected.kind === 'optional') {
    if (inferred.present !== undefined && inferred.present !== expected.present) return 'wrong';
    return expected.present ? compareElements(inferred.element, expected.element) : 'pass';
  }
  return 'wrong';
}

/** Element type, rank, every size, and every element that inference says it knows. */
function compareTensors(inferred: TensorType, expected: TensorType): Verdict {
  const dtype = same(inferred.dtype, expected.dtype);
  if (inferred.shape === undefined) return worst([dtype, 'unknown']);
  if (inferred.rank !== expected.rank) return 'wrong';
  const sizes = inferred.shape.map((d, i) => same(typeof d === 'number' ? d : undefined, expected.shape![i]));
  return worst([dtype, ...sizes, compareNumbers(inferred.elements, expected.elements)]);
}

function same<T>(inferred: T | undefined, expected: T): Verdict {
  if (inferred === undefined) return 'unknown';
  return inferred === expected ? 'pass' : 'wrong';
}

/** Elements need not be known, but those that are must be right. */
function compareNumbers(inferred: KnownElements | undefined, expected: KnownElements | undefined): Verdict {
  if (inferred === undefined || expected === undefined) return 'pass';
  if (inferred.length !== expected.length) return 'wrong';
  return inferred.every((element, i) => near(element, expected[i]!)) ? 'pass' : 'wrong';
}

function near(inferred: Dim, expected: Dim): boolean {
  if (typeof inferred !== 'number' || typeof expected !== 'number') return true;
  if (Object.is(inferred, expected) || inferred === expected) return true;
  return Math.abs(inferred - expected) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * Math.abs(expected);
}

/** A sequence may leave its length open; what it holds must have the right kind and element type. */
function compareSequences(inferred: SequenceType, expected: SequenceType): Verdict {
  const items = expected.items ?? [];
  if (inferred.items === undefined) {
    return worst(items.map((item) => compareElements(inferred.element, item)));
  }
  if (inferred.items.length !== items.length) return 'wrong';
  return worst(inferred.items.map((item, i) => compareElements(item, items[i]!)));
}

/** What a sequence or optional holds: its shape may stay open, its element type not. */
function compareElements(inferred: ValueType, expected: ValueType): Verdict {
  const verdict = compareTypes(inferred, expected);
  const dtypeKnown = inferred.kind === 'tensor' && inferred.dtype !== undefined;
  return verdict === 'unknown' && dtypeKnown ? 'pass' : verdict;
}
